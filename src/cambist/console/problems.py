"""What the console answers to an error: a status, a code for the page and a sentence for the operator."""

from __future__ import annotations

from typing import Any, NamedTuple

from cambist import errors


class ConsoleRefused(errors.CambistError):
    """A request of the console is refused before it reaches an action, with this status and code."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code


class ConsoleProblem(NamedTuple):
    """The HTTP status, the code and the other fields of the answer to an error."""

    status: int
    code: str
    fields: dict[str, Any]


_PROBLEMS: tuple[tuple[type[Exception], int, str], ...] = (
    (errors.ChangedMeanwhile, 409, "changed_meanwhile"),
    (errors.NameTaken, 409, "name_taken"),
    (errors.CannotStart, 409, "not_here"),
    (errors.NotHere, 409, "not_here"),
    (errors.LinkRefused, 403, "link_refused"),
    (errors.StoreBroken, 503, "store_broken"),
    (OSError, 503, "store_broken"),
    (errors.SettingRefused, 400, "bad_parameter"),
    (errors.SourceRefused, 400, "bad_parameter"),
    (errors.RequestRefused, 400, "bad_parameter"),
)


def problem_of(error: Exception) -> ConsoleProblem | None:
    """Return what to answer to an error; None if it is an unexpected one."""
    if isinstance(error, ConsoleRefused):
        return ConsoleProblem(error.status, error.code, {})
    if isinstance(error, errors.PlansRefused):
        where = {"line": error.line, "plan": error.plan or None, "field": error.field or None}
        return ConsoleProblem(400, "plans_refused", where)
    for kind, status, code in _PROBLEMS:
        if isinstance(error, kind):
            return ConsoleProblem(status, code, {})
    return None

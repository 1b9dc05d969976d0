"""Values that an answer must have, beyond its rates, for all of it to be accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from cambist.errors import shorten
from cambist.sources.declaration.layouts import Column, DeclaredTable
from cambist.sources.declaration.tree_path import TreePath, parse_path
from cambist.sources.parsing import PayloadReader

_LONGEST = 1000
"""Characters: longer texts are not matched with a declared pattern."""
Scope = Literal["document", "block", "record"]


class DeclaredCheck(DeclaredTable, frozen=True, kw_only=True):
    """`[[checks]]`: what must be at a path or in a column of the document, of each block or of each record."""

    at: Column
    of: Scope = "document"
    one_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    same_as: str | None = None
    matches: str = ""
    at_least: int | None = None
    at_most: int | None = None
    says: str = ""

    @property
    def is_count(self) -> bool:
        """Whether the entries at the path are counted, instead of comparing a text."""
        return self.at_least is not None or self.at_most is not None


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """A check with its paths. `same_as` is a path in the block, or in the document without blocks."""

    declared: DeclaredCheck
    at: TreePath
    same_as: TreePath | None


def answer_checks(checks: Iterable[DeclaredCheck], scope: Scope) -> list[AnswerCheck]:
    """Return the checks of JSON or XML for one scope."""
    return [
        AnswerCheck(each, parse_path(str(each.at)), parse_path(each.same_as) if each.same_as else None)
        for each in checks
        if each.of == scope
    ]


def check_text(
    check: DeclaredCheck, text: str, same: str | None, known: Mapping[str, str], reader: PayloadReader
) -> None:
    """Compare a text with what it must or must not be. Errors: SourceBroken."""
    allowed = (same,) if same is not None else check.one_of
    is_match = not check.matches or (len(text) <= _LONGEST and re.fullmatch(check.matches, text))
    if (allowed and text not in allowed) or text in check.none_of or not is_match:
        wanted = " or ".join(allowed) or check.matches or "anything else"
        raise reader.broken(_sentence(check, f"[{check.at}] is [{{value}}] and not {wanted}", {**known, "value": text}))


def check_count(check: DeclaredCheck, count: int, known: Mapping[str, str], reader: PayloadReader) -> None:
    """Compare a number of entries with the limits. Errors: SourceBroken."""
    least, most = check.at_least or 0, count if check.at_most is None else check.at_most
    if not least <= count <= most:
        raise reader.broken(
            _sentence(check, f"there are {{count}} entries at [{check.at}]", {**known, "count": f"{count}"})
        )


def _sentence(check: DeclaredCheck, default: str, known: Mapping[str, str]) -> str:
    sentence = check.says or default
    for name, text in known.items():
        sentence = sentence.replace(f"{{{name}}}", shorten(text))
    return sentence

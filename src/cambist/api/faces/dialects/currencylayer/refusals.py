"""The numbers and types of this interface's errors, which say more than ours do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from cambist.api.faces.dialects.numbered_errors import ERRORS
from cambist.errors import BadParameter, CambistError, UnknownSymbol

_TOO_FAST = 106, "rate_limit_reached"
_ERRORS = {**ERRORS, "rate_limited": _TOO_FAST, "too_many_failures": _TOO_FAST}
_INVALID_SOURCE = 201, "invalid_source_currency"
_INVALID_CURRENCIES = 202, "invalid_currency_codes"


def write_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's: a number, a type and a sentence."""
    number, kind = _ERRORS.get(code, (status, code))
    if isinstance(error, UnknownSymbol):
        number, kind = _INVALID_SOURCE if error.role == "source" else _INVALID_CURRENCIES
    for note in getattr(error, "__notes__", ()):
        text, _, kind = note.partition(" ")
        number = int(text)
    body = {"success": False, "error": {"code": number, "type": kind, "info": sentence}}
    return status, msgspec.json.encode(body)


@contextmanager
def called(number: int, kind: str) -> Iterator[None]:
    """Give the errors of a parameter the number and the type that the original has for it."""
    try:
        yield
    except BadParameter as error:
        error.add_note(f"{number} {kind}")
        raise

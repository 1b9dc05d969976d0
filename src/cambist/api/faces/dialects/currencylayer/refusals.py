"""The numbers and types of this interface's errors, which say more than ours do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from cambist.errors import BadParameter, CambistError, UnknownSymbol

_ERRORS = {
    "key_missing": (101, "missing_access_key"),
    "key_malformed": (101, "invalid_access_key"),
    "key_unknown": (101, "invalid_access_key"),
    "key_ended": (101, "invalid_access_key"),
    "keys_differ": (101, "invalid_access_key"),
    "account_suspended": (102, "inactive_user"),
    "unknown_path": (103, "invalid_api_function"),
    "wrong_method": (103, "invalid_api_function"),
    "quota_spent": (104, "usage_limit_reached"),
    "rate_limited": (106, "rate_limit_reached"),
    "too_many_failures": (106, "rate_limit_reached"),
    "not_in_plan": (105, "function_access_restricted"),
    "no_rate": (106, "no_rates_available"),
    "rate_unavailable": (106, "no_rates_available"),
    "bad_parameter": (400, "invalid_parameter"),
}
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

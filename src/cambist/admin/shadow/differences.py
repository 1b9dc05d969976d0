"""The kinds of differences between two answers, and those between two single values. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

MOMENTS_APART = timedelta(hours=1)
"""Times of rates that are no further apart are the same: no two services publish in the same second."""

_LONGEST_SHOWN = 80
_ENCODER = msgspec.json.Encoder(decimal_format="number")
_UTC = "%Y-%m-%dT%H:%M:%SZ"
_NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME_NAME = re.compile(r"time|updated|date|_at$|^t$|^ts$", re.IGNORECASE)
_FIRST_CELL = "[0]"
_EXACT_NAMES = frozenset({"code", "count", "day", "decimals", "id", "month", "page", "status", "total", "year"})
"""Numbers that are no rates: near to each other they are still different."""

_OF_ONE_REQUEST = frozenset({"elapsed", "ms", "request_id", "requestid", "took"})
"""What is another with each request: how long the answer took, and how the request is called."""

_SECONDS = range(946_684_800, 4_102_444_800)
_MILLISECONDS = range(946_684_800_000, 4_102_444_800_000)
"""The times of 2000 to 2099."""


class DifferenceKind(StrEnum):
    """What differs between the answer of the other service, theirs, and that of this one, ours."""

    NO_ANSWER = "no answer"
    STATUS = "status"
    FORMAT = "format"
    MISSING = "missing"
    TYPE = "type"
    NUMBER = "number"
    DATE = "date"
    VALUE = "value"
    ADDED = "added"
    AGE = "age"
    WORDS = "words"


MINOR = frozenset({DifferenceKind.ADDED, DifferenceKind.AGE, DifferenceKind.WORDS})
"""What most programs do not notice: a field more, another time of a rate, other words in a text."""


class AnswerDifference(Struct, frozen=True, omit_defaults=True):
    """One difference. `where` is the path of a field, `apart` of two numbers their distance as a part of theirs.

    `apart` is None where theirs is 0.
    """

    kind: DifferenceKind
    where: str
    theirs: str = ""
    ours: str = ""
    apart: float | None = None


def shown(value: Any, longest: int = _LONGEST_SHOWN) -> str:
    """Return a value as JSON, cut to what a table has room for."""
    text = value if isinstance(value, str) else _ENCODER.encode(value).decode()
    return text if len(text) <= longest else f"{text[:longest]}…"


def type_name(value: Any) -> str:
    """Return the type of a JSON value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, int | Decimal):
        return "number"
    return "string" if isinstance(value, str) else "object" if isinstance(value, dict) else "list"


def compare_values(where: str, theirs: Any, ours: Any, tolerance: Decimal) -> Iterator[AnswerDifference]:
    """Yield the difference between two values that are neither objects nor lists, if there is one."""
    kinds = type_name(theirs), type_name(ours)
    if kinds[0] != kinds[1]:
        yield AnswerDifference(DifferenceKind.TYPE, where, _with_type(theirs), _with_type(ours))
    elif theirs != ours and _name(where).lower() not in _OF_ONE_REQUEST:
        yield from _compare_unequal(where, theirs, ours, tolerance)


def _with_type(value: Any) -> str:
    return "null" if value is None else f"{type_name(value)} {shown(value)}"


def _compare_unequal(where: str, theirs: Any, ours: Any, tolerance: Decimal) -> Iterator[AnswerDifference]:
    moment, our_moment = _moment(where, theirs), _moment(where, ours)
    if moment is not None and our_moment is not None:
        if abs(moment - our_moment) > MOMENTS_APART:
            yield AnswerDifference(DifferenceKind.AGE, where, f"{moment:{_UTC}}", f"{our_moment:{_UTC}}")
        return
    number, our_number = _number(theirs), _number(ours)
    if number is not None and our_number is not None:
        yield from _compare_numbers(where, number, our_number, tolerance)
        return
    kind = DifferenceKind.VALUE
    if _is_day(theirs) and _is_day(ours):
        kind = DifferenceKind.DATE
    elif _is_prose(theirs) and _is_prose(ours):
        kind = DifferenceKind.WORDS
    yield AnswerDifference(kind, where, shown(theirs), shown(ours))


def _compare_numbers(where: str, theirs: Decimal, ours: Decimal, tolerance: Decimal) -> Iterator[AnswerDifference]:
    if theirs == ours:
        return
    apart = abs(ours - theirs) / abs(theirs) if theirs else None
    if apart is None or apart > tolerance or _name(where).lower() in _EXACT_NAMES:
        distance = None if apart is None else float(apart)
        yield AnswerDifference(DifferenceKind.NUMBER, where, shown(f"{theirs}"), shown(f"{ours}"), distance)


def _name(where: str) -> str:
    return where.rpartition(".")[2]


def _number(value: Any) -> Decimal | None:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return Decimal(value)
    return Decimal(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def _moment(where: str, value: Any) -> datetime | None:
    """Return the time that a text is, or a number whose field is named as one or stands first in a row."""
    if isinstance(value, str):
        return _written_moment(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    if not (_TIME_NAME.search(_name(where)) or where.endswith(_FIRST_CELL)):
        return None
    if value in _SECONDS:
        return datetime.fromtimestamp(value, UTC)
    return datetime.fromtimestamp(value / 1000, UTC) if value in _MILLISECONDS else None


def _written_moment(text: str) -> datetime | None:
    if not 16 <= len(text) <= 40:
        return None
    try:
        is_iso = _DAY.match(text) is not None
        moment = datetime.fromisoformat(text) if is_iso else parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, TypeError):
        return None


def _is_day(value: Any) -> bool:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return False
    try:
        return bool(date.fromisoformat(value))
    except ValueError:
        return False


def _is_prose(value: Any) -> bool:
    """Return whether a value is a text for people or an address, and no code that a program compares."""
    return isinstance(value, str) and (" " in value.strip() or "://" in value)

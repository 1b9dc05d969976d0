"""Parameters for days, durations, intervals, sides, units, limits, flags and text."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta
from typing import Any

import msgspec

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten
from cambist.history.bars import Interval
from cambist.reference.weights import UNITS

EARLIEST_DAY = date(1970, 1, 1)
INTERVALS = ("P1D", "P1W", "P1M", "P1Y")

_SIDES = ("bid", "ask")
_COUNT = re.compile(r"[0-9]{1,9}")
_TRUE_VALUES = frozenset({"true", "1", "yes", "y"})
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY_SCHEMA = {"type": "string", "format": "date", "examples": ["2024-02-29"]}


def bar_interval(name: str, **options: Any) -> Param:
    """Declare the interval of a bar."""
    return Param(name, _parse_bar_interval, schema={"type": "string", "enum": list(Interval)}, **options)


def side(name: str, **options: Any) -> Param:
    """Declare a side, `bid` or `ask`."""
    return Param(name, _parse_side, schema={"type": "string", "enum": list(_SIDES)}, **options)


def limit(name: str, max_count: int, **options: Any) -> Param:
    """Declare a maximum number of rows, from 1 to `max_count`."""
    schema = {"type": "integer", "minimum": 1, "maximum": max_count}
    return Param(name, lambda _, text: _parse_limit(name, text, max_count), schema=schema, **options)


def unit(name: str, **options: Any) -> Param:
    """Declare the handle of a unit of mass."""
    return Param(name, _parse_unit, schema={"type": "string", "enum": list(UNITS)}, **options)


def choice(name: str, values: Collection[str], **options: Any) -> Param:
    """Declare one of several words."""
    return Param(
        name,
        lambda _, text: _parse_option(name, text, text.lower(), values),
        schema={"type": "string", "enum": list(values)},
        **options,
    )


def text(name: str, **options: Any) -> Param:
    """Declare a text that the endpoint parses."""
    return Param(name, lambda _, text: text, **options)


def flag(name: str, **options: Any) -> Param:
    """Declare a flag: `true`, `1`, `yes` and `y` are true, everything else is false."""
    return Param(
        name,
        lambda _, text: text.isascii() and text.lower() in _TRUE_VALUES,
        default=False,
        selects_data=False,
        **options,
    )


def day(name: str, **options: Any) -> Param:
    """Declare a calendar day since 1970."""
    return Param(name, _parse_day, schema=_DAY_SCHEMA, **options)


def interval(name: str, **options: Any) -> Param:
    """Declare an interval of a series: each day, or the last of each week, month or year."""
    return Param(name, _parse_interval, schema={"type": "string", "enum": list(INTERVALS)}, **options)


def duration(name: str, **options: Any) -> Param:
    """Declare an ISO 8601 duration; the example is longer than a weekend with holidays."""
    return Param(
        name,
        _parse_duration,
        schema={"type": "string", "format": "duration", "examples": ["P5D"]},
        selects_data=False,
        **options,
    )


def _parse_bar_interval(name: str, text: str) -> Interval:
    return Interval(_parse_option(name, text, text.upper(), (Interval.DAY, Interval.HOUR, Interval.MINUTE)))


def _parse_side(name: str, text: str) -> str:
    return _parse_option(name, text, text.lower(), _SIDES)


def _parse_limit(name: str, text: str, max_count: int) -> int:
    value = int(text) if _COUNT.fullmatch(text) else 0
    if not 1 <= value <= max_count:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a whole number from 1 to {max_count}")
    return value


def _parse_unit(name: str, text: str) -> str:
    return _parse_option(name, text, text.lower() if text.isascii() else text, UNITS)


def _parse_day(name: str, text: str) -> date:
    try:
        value = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        value = None
    if value is None:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a day as YYYY-MM-DD, such as 2024-02-29")
    if value < EARLIEST_DAY:
        raise BadParameter(f"Invalid {name}: [{text}], history begins on {EARLIEST_DAY}")
    return value


def read_day(name: str, text: str, today: date) -> date:
    """Return a day since 1970; tomorrow is today. Errors: BadParameter."""
    return not_after_today(name, _parse_day(name, text.strip()), today)


def read_last_day(name: str, text: str, today: date) -> date:
    """Return the last day of a period; one that ends later ends today. Errors: BadParameter."""
    return min(_parse_day(name, text.strip()), today)


def not_after_today(name: str, value: date, today: date) -> date:
    """Return a day, or today for tomorrow, which has begun in the time zones east of UTC.

    Errors: BadParameter for a later day.
    """
    if value > today + timedelta(days=1):
        raise BadParameter(f"Invalid {name}: [{value}] is in the future, today is {today} (UTC)")
    return min(value, today)


def _parse_interval(name: str, text: str) -> str:
    return _parse_option(name, text, text.upper(), INTERVALS)


def _parse_option(name: str, text: str, value: str, options: Collection[str]) -> str:
    if value not in options:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}]. Options are [{', '.join(options)}]")
    return value


def _parse_duration(name: str, text: str) -> timedelta:
    try:
        value = msgspec.convert(text, timedelta)
    except (msgspec.ValidationError, OverflowError):
        value = timedelta(0)
    if value <= timedelta(0):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes an ISO 8601 duration, such as PT2H")
    return value

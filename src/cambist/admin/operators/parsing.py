"""Read the days, moments and durations that operators type."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

import msgspec

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.names import echo
from cambist.errors import BadParameter
from cambist.suggestions import did_you_mean

_Choice = TypeVar("_Choice", bound=StrEnum)
_DAY = r"\d{4}-\d\d-\d\d"
_MOMENT = re.compile(rf"{_DAY}([T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def parse_datetime_format(text: str | None) -> DatetimeFormat | None:
    """Parse the name of a datetime format. Errors: BadParameter."""
    if text is not None and text not in set(DatetimeFormat):
        raise BadParameter(f"Unknown datetime format: [{echo(text)}]; {did_you_mean(text, DatetimeFormat)}")
    return None if text is None else DatetimeFormat(text)


def parse_choice(name: str, text: str | None, choices: type[_Choice]) -> _Choice | None:
    """Parse one of some words; None if there is none. Errors: BadParameter."""
    if text is not None and text not in set(choices):
        raise BadParameter(f"Unknown {name}: [{echo(text)}], it is one of {', '.join(choices)}")
    return None if text is None else choices(text)


def parse_day(name: str, text: str | None) -> date | None:
    """Parse a day such as 2026-12-31. Errors: BadParameter."""
    try:
        return None if text is None else datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise BadParameter(f"Invalid {name}: [{echo(text or '')}], it takes a day such as 2026-12-31") from None


def parse_moment(name: str, text: str | None) -> datetime | None:
    """Parse a day or a time. Without an offset a time is UTC; a day means its start. Errors: BadParameter."""
    if text is None:
        return None
    try:
        value = datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
        utc = value and (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC))
    except (ValueError, OverflowError):
        utc = None
    if utc is None:
        raise BadParameter(
            f"Invalid {name}: [{echo(text)}], it takes a day or a moment, such as 2026-12-31 or 2026-12-31T18:00:00Z"
        )
    return utc


def parse_duration(name: str, text: str) -> timedelta:
    """Parse an ISO 8601 duration. Errors: BadParameter."""
    try:
        return msgspec.convert(text, timedelta)
    except (msgspec.ValidationError, OverflowError):
        raise BadParameter(f"Invalid {name}: [{echo(text)}], it takes an ISO 8601 duration such as PT24H") from None

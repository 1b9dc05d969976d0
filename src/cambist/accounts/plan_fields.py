"""The keys of a plan's table: how each is read, what stands for it when it is absent, which need each other. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from cambist.accounts.names import echo, nearest

TAGS = ("currency", "crypto", "fx", "fx-series", "metals", "stream", "admin")
"""The groups of endpoints that a plan may include."""

_MOST_CALLS = 10**15
"""Readers of JSON keep it exact, and with calls bought it stays below the number that stands for no quota."""
_MOST = 1_000_000
_MOST_DAYS = 36_500
_DAY = 86_400


def _whole(value: object, *, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"takes a whole number from {least} to {most}, not [{_echo(value)}]")
    return value


def _rate(value: object) -> float:
    number = _number(value)
    if not 0 < number <= _MOST:
        raise ValueError(f"takes requests a second, above 0 and at most {_MOST}, not [{_echo(value)}]")
    return number


def _seconds(value: object) -> float:
    number = _number(value)
    if not 0 <= number <= _DAY:
        raise ValueError(f"takes seconds from 0 to {_DAY}, not [{_echo(value)}]")
    return number


def _number(value: object) -> float:
    """Give a number as it is, and anything else as one that no key takes: text, true, NaN and the infinities."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST:
        return float(value)
    return -1.0


def _tags(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(tag, str) for tag in value):
        raise ValueError(f"takes a list of {', '.join(TAGS)}, not [{_echo(value)}]")
    for tag in value:
        if tag not in TAGS:
            raise ValueError(f"has an unknown tag [{echo(tag)}]; {nearest(tag, TAGS)}")
    return tuple(dict.fromkeys(value))


def _echo(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return echo(text)


_limit = partial(_whole, least=0, most=_MOST)

READERS: Mapping[str, Callable[[object], Any]] = {
    "calls_a_month": partial(_whole, least=0, most=_MOST_CALLS),
    "rate": _rate,
    "burst": partial(_whole, least=1, most=_MOST),
    "book_refresh": _seconds,
    "tags": _tags,
    "history_days": partial(_whole, least=1, most=_MOST_DAYS),
    "stream_connections": _limit,
    "stream_pairs": _limit,
    "stream_messages": _limit,
    "stream_calls_a_minute": _limit,
}
"""How each key's value is read; a ValueError says what it takes, as the end of a sentence that begins with the key."""

ABSENT: Mapping[str, Any] = {
    "calls_a_month": None,
    "rate": None,
    "burst": None,
    "book_refresh": 0.0,
    "tags": (),
    "history_days": None,
    "stream_connections": 0,
    "stream_pairs": 0,
    "stream_messages": 0,
    "stream_calls_a_minute": 0,
}
"""What holds where a plan does not say."""


def lack(chosen: Mapping[str, Any]) -> tuple[str, str] | None:
    """Find a key that lacks another one: the key and the reason, as the end of a sentence; None if all is there."""
    if not chosen["tags"]:
        return "tags", "has no tags: it must name the groups of endpoints that it includes"
    if chosen["rate"] is not None and chosen["burst"] is None:
        return "rate", "has a rate without a burst"
    if chosen["burst"] is not None and chosen["rate"] is None:
        return "burst", "has a burst without a rate"
    for key in ("stream_connections", "stream_pairs", "stream_messages"):
        if "stream" in chosen["tags"] and not chosen[key]:
            return "tags", f"includes the stream, but {key} is not above 0"
    return None

"""Times as milliseconds or microseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_MILLISECOND, _MICROSECOND = timedelta(milliseconds=1), timedelta(microseconds=1)


def unix_ms(moment: datetime) -> int:
    """Return a moment in milliseconds since 1970, rounded down."""
    return (moment - EPOCH) // _MILLISECOND


def from_unix_us(microseconds: int) -> datetime:
    """Return the moment that is so many microseconds after the beginning of 1970, in UTC."""
    return EPOCH + timedelta(microseconds=microseconds)


def unix_us(moment: datetime) -> int:
    """Return a moment in microseconds since 1970, exactly."""
    return (moment - EPOCH) // _MICROSECOND

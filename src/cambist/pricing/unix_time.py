"""Time as numbers: milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def unix_ms(moment: datetime) -> int:
    """Write a moment in milliseconds since 1970, cut as all times are."""
    return (moment - EPOCH) // timedelta(milliseconds=1)

"""What the answers of all endpoints share: their times, their headers, and their base class."""

from __future__ import annotations

import datetime as dt
from typing import Any

import msgspec


class Timestamp(dt.datetime):
    """A time of the service, as a datetime in UTC.

    An account may get its times as ISO 8601, as `YYYY-MM-DD HH:MM:SS` or in milliseconds since 1970; all are parsed.
    """

    @classmethod
    def parse(cls, value: str | int) -> Timestamp:
        """Parse a time in any of the three formats. Errors: ValueError, OverflowError."""
        if isinstance(value, int):
            return cls.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=value)
        parsed = cls.fromisoformat(value)
        return parsed.astimezone(dt.UTC) if parsed.tzinfo else parsed.replace(tzinfo=dt.UTC)


class ResponseHeaders(msgspec.Struct, frozen=True, kw_only=True):
    """What the headers of a response say.

    `environment` is `live`, or `sandbox` if the prices are simulated; `calls_cost` is what the answer cost; `ignored`
    names the parameters that the service does not know.
    """

    environment: str = "live"
    calls_cost: int = 0
    ignored: tuple[str, ...] = ()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer: `ms` is the time that the service took, in milliseconds."""

    ms: int
    headers: ResponseHeaders = ResponseHeaders()


class RawAnswer(msgspec.Struct, frozen=True):
    """An answer as it was sent: the bytes of its JSON."""

    content: bytes
    headers: ResponseHeaders


def decode_custom_type(expected: type, value: Any) -> Any:
    """Decode what JSON has no type for. Errors: ValueError, NotImplementedError for another type."""
    if expected is Timestamp:
        if not isinstance(value, str | int):
            raise ValueError("Expected a time")
        return Timestamp.parse(value)
    raise NotImplementedError(expected)

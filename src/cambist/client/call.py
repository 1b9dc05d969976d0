"""A call of an endpoint: its path, its parameters and the type of its answer. No I/O."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")
Joined = TypeVar("Joined")

JSON, CSV = "application/json", "text/csv"

Codes = str | Iterable[str]
"""One code, several with commas, or a collection of codes."""

AsOf = str | dt.datetime | None
"""An edition, or a moment: in UTC if it has no offset."""

Amount = Decimal | int | float | str
"""An amount; a float is the number that it is shown as."""

MaxAge = dt.timedelta | str | None
Lock = dt.timedelta | str | None
"""How long rates are held, or the token of a lock."""

"""Rates older than this are refused: a timedelta, or an ISO 8601 duration such as `PT2H`."""

Day = dt.date | str | None
"""A day, or a text such as `2024-02-29`; a datetime is the day that it shows."""

Value = str | int | float | bool | Decimal | dt.date | dt.timedelta | Iterable[str] | None
"""The value of a parameter; None and False leave it out."""


class Interval(StrEnum):
    """The length of a bar."""

    MINUTE = "PT1M"
    HOUR = "PT1H"
    DAY = "P1D"


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A call of the endpoint at `path`, whose answer has the type `answer` and comes as the media type `accept`.

    A call with a `body`, which is of the type `media`, is a POST, and is repeated only after a rate limit. `read` reads
    an answer that is not JSON.
    """

    path: str
    answer: type[T]
    parameters: Mapping[str, Value]
    accept: str = JSON
    body: bytes = field(default=b"", repr=False)
    read: Callable[[bytes], T] | None = None
    media: str = CSV

    @property
    def query(self) -> dict[str, str]:
        """The parameters as texts. None and False are left out, which means the same to the service."""
        return {
            name: write_value(value)
            for name, value in self.parameters.items()
            if value is not None and value is not False
        }


@dataclass(frozen=True, slots=True)
class Parts(Generic[T, Joined]):
    """A question of several calls: the first, the others that its answer leads to, and how their answers are joined."""

    first: Call[T]
    rest: Callable[[T], list[Call[T]]]
    join: Callable[[list[T]], Joined]


def write_day(value: Day) -> dt.date | str | None:
    """Return a day; of a datetime, also one of pandas, the day that it shows, whatever its offset."""
    return value.date() if isinstance(value, dt.datetime) else value


def split_codes(codes: Codes) -> list[str]:
    """Return codes one by one, each once."""
    found = codes.split(",") if isinstance(codes, str) else codes
    return [*dict.fromkeys(text for code in found if (text := code.strip()))]


def write_value(value: str | float | Decimal | dt.date | dt.timedelta | Iterable[str]) -> str:
    """Return a value as it is written in a query. A time without an offset is UTC."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        value = Decimal(float.__repr__(value))
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.datetime):
        # A datetime of pandas would write nanoseconds.
        return dt.datetime.isoformat(value if value.tzinfo else value.replace(tzinfo=dt.UTC))
    if isinstance(value, dt.timedelta):
        return str(msgspec.to_builtins(value))
    if isinstance(value, str | int | dt.date):
        return str(value)
    return ",".join(value)

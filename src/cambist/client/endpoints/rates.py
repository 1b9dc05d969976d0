"""Current rates: `/fetch-one`, `/fetch-multi`, `/fetch-all`, `/fetch-many-to-one`, `/fetch-matrix` and `/convert`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import field

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Call, Codes

MaxAge = dt.timedelta | str | None
"""Rates older than this are refused: a timedelta, or an ISO 8601 duration such as `PT2H`."""


class FetchOneResponse(Answer, frozen=True, kw_only=True):
    """One rate, in `result` by its target. `updated` is the market's time of the oldest quote in it."""

    base: str
    result: dict[str, Decimal]
    updated: Timestamp

    @property
    def rate(self) -> Decimal:
        """What one unit of `base` is worth in the target."""
        return next(iter(self.result.values()))


class FetchMultiResponse(Answer, frozen=True, kw_only=True):
    """Rates in the order of the request. `unavailable`, with `partial`: the targets that have none."""

    base: str
    results: dict[str, Decimal]
    updated: Timestamp
    unavailable: tuple[str, ...] = ()


class FetchAllResponse(Answer, frozen=True, kw_only=True):
    """Rates by code."""

    base: str
    results: dict[str, Decimal]
    updated: Timestamp


class FetchManyToOneResponse(Answer, frozen=True, kw_only=True):
    """Rates by source currency, in the order of the request, and how many calls they cost."""

    to: str
    from_: dict[str, Decimal] = field(name="from")
    updated: Timestamp
    calls: int
    unavailable: tuple[str, ...] = ()


class FetchMatrixResponse(Answer, frozen=True, kw_only=True):
    """Rates by source and target, both in the order of the request, and how many calls they cost."""

    from_: list[str] = field(name="from")
    to: list[str]
    matrix: dict[str, dict[str, Decimal]]
    updated: Timestamp
    calls: int
    unavailable: tuple[str, ...] = ()


class ConvertResponse(Answer, frozen=True, kw_only=True):
    """A converted amount. `result` has it by its target, and the `rate`.

    A current rate has `updated`; a rate of a past day has `date` and, unless the law alone decides, `fixed_on`: the day
    of the oldest fixing in it.
    """

    base: str
    amount: Decimal
    result: dict[str, Decimal]
    updated: Timestamp | None = None
    date: dt.date | None = None
    fixed_on: dt.date | None = None

    @property
    def converted(self) -> Decimal:
        """The amount in the target."""
        return next(value for name, value in self.result.items() if name != "rate")

    @property
    def rate(self) -> Decimal:
        """What one unit of `base` is worth in the target."""
        return self.result["rate"]


def fetch_one(from_: str, to: str, *, max_age: MaxAge = None) -> Call[FetchOneResponse]:
    """Return the current rate between two currencies, coins or metals."""
    return Call("/fetch-one", FetchOneResponse, {"from": from_, "to": to, "max_age": max_age})


def fetch_multi(from_: str, to: Codes, *, max_age: MaxAge = None, partial: bool = False) -> Call[FetchMultiResponse]:
    """Return the current rates of one currency in several others. With `partial`, some of them may be missing."""
    parameters = {"from": from_, "to": to, "max_age": max_age, "partial": partial}
    return Call("/fetch-multi", FetchMultiResponse, parameters)


def fetch_all(from_: str = "USD", *, max_age: MaxAge = None) -> Call[FetchAllResponse]:
    """Return the current rates of one currency in all others."""
    return Call("/fetch-all", FetchAllResponse, {"from": from_, "max_age": max_age})


def fetch_many_to_one(
    from_: Codes, to: str, *, max_age: MaxAge = None, partial: bool = False
) -> Call[FetchManyToOneResponse]:
    """Return the current rates of several currencies in one. Each rate costs a call."""
    parameters = {"from": from_, "to": to, "max_age": max_age, "partial": partial}
    return Call("/fetch-many-to-one", FetchManyToOneResponse, parameters)


def fetch_matrix(
    from_: Codes, to: Codes, *, max_age: MaxAge = None, partial: bool = False
) -> Call[FetchMatrixResponse]:
    """Return the current rates of several currencies in several others. Each rate costs a call."""
    parameters = {"from": from_, "to": to, "max_age": max_age, "partial": partial}
    return Call("/fetch-matrix", FetchMatrixResponse, parameters)


def convert(
    amount: Decimal | int | str,
    from_: str,
    to: str,
    *,
    date: dt.date | str | None = None,
    precision: int | None = None,
    max_age: MaxAge = None,
) -> Call[ConvertResponse]:
    """Convert an amount at the current rate, or at that of a past day.

    The result is rounded to `precision` decimal places, to 2 if it is left out.
    """
    parameters = {"amount": amount, "from": from_, "to": to, "date": date, "precision": precision, "max_age": max_age}
    return Call("/convert", ConvertResponse, parameters)

"""Current rates: `/fetch-one`, `/fetch-multi`, `/fetch-all`, `/fetch-many-to-one`, `/fetch-matrix` and `/convert`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct, field

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Amount, AsOf, Call, Codes, Day, Lock, MaxAge, write_day
from cambist.client.endpoints.booking import BookingRecord, LockRecord, PublishedRecord


class AgreementRecord(Struct, frozen=True, kw_only=True):
    """How many independent sources agree on the rate of a code, or which law decides it.

    `deviation` is the highest minus the lowest of their rates of `pair`; None for fewer than two sources. `status` is
    what was found of a daily fixing, such as single or disputed; then `other` is the rate that the rest say.
    """

    sources: int
    pair: str = ""
    deviation: Decimal | None = None
    law: str = ""
    status: str = ""
    other: Decimal | None = None


class FetchOneResponse(Answer, frozen=True, kw_only=True):
    """One rate, in `result` by its target. `updated` is the market's time of the oldest quote in it.

    `agreement`, with `min_sources`, says by code how many sources agree.
    """

    base: str
    result: dict[str, Decimal]
    updated: Timestamp
    agreement: dict[str, AgreementRecord] | None = None

    @property
    def rate(self) -> Decimal:
        """What one unit of `base` is worth in the target."""
        return next(iter(self.result.values()))


class FetchMultiResponse(Answer, frozen=True, kw_only=True):
    """Rates in the order of the request. `unavailable`, with `partial`: the targets that have none."""

    base: str
    results: dict[str, Decimal]
    updated: Timestamp
    agreement: dict[str, AgreementRecord] | None = None
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
    agreement: dict[str, AgreementRecord] | None = None
    unavailable: tuple[str, ...] = ()


class FetchMatrixResponse(Answer, frozen=True, kw_only=True):
    """Rates by source and target, both in the order of the request, and how many calls they cost."""

    from_: list[str] = field(name="from")
    to: list[str]
    matrix: dict[str, dict[str, Decimal]]
    updated: Timestamp
    calls: int
    agreement: dict[str, AgreementRecord] | None = None
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
    source: str = ""
    rule: str = ""
    published: dict[str, list[PublishedRecord]] | None = None
    booking: BookingRecord | None = None
    lock: LockRecord | None = None
    agreement: dict[str, AgreementRecord] | None = None
    assumed: tuple[str, ...] = ()

    @property
    def converted(self) -> Decimal:
        """The amount in the target."""
        return next(value for name, value in self.result.items() if name != "rate")

    @property
    def rate(self) -> Decimal:
        """What one unit of `base` is worth in the target."""
        return self.result["rate"]


def fetch_one(
    from_: str, to: str, *, max_age: MaxAge = None, min_sources: int | None = None, rate_type: str | None = None
) -> Call[FetchOneResponse]:
    """Return the current rate between two currencies, coins or metals.

    With `min_sources`, a rate that fewer independent sources agree on is refused. With `rate_type`, such as `parallel`,
    it is the newest fixing of that type.
    """
    parameters = {"from": from_, "to": to, "max_age": max_age, "min_sources": min_sources, "rate_type": rate_type}
    return Call("/fetch-one", FetchOneResponse, parameters)


def fetch_multi(
    from_: str,
    to: Codes,
    *,
    max_age: MaxAge = None,
    partial: bool = False,
    min_sources: int | None = None,
    rate_type: str | None = None,
) -> Call[FetchMultiResponse]:
    """Return the current rates of one currency in several others. With `partial`, some of them may be missing."""
    parameters = {
        "from": from_,
        "to": to,
        "max_age": max_age,
        "partial": partial,
        "min_sources": min_sources,
        "rate_type": rate_type,
    }
    return Call("/fetch-multi", FetchMultiResponse, parameters)


def fetch_all(from_: str = "USD", *, max_age: MaxAge = None) -> Call[FetchAllResponse]:
    """Return the current rates of one currency in all others."""
    return Call("/fetch-all", FetchAllResponse, {"from": from_, "max_age": max_age})


def fetch_many_to_one(
    from_: Codes, to: str, *, max_age: MaxAge = None, partial: bool = False, min_sources: int | None = None
) -> Call[FetchManyToOneResponse]:
    """Return the current rates of several currencies in one. Each rate costs a call."""
    parameters = {"from": from_, "to": to, "max_age": max_age, "partial": partial, "min_sources": min_sources}
    return Call("/fetch-many-to-one", FetchManyToOneResponse, parameters)


def fetch_matrix(
    from_: Codes, to: Codes, *, max_age: MaxAge = None, partial: bool = False, min_sources: int | None = None
) -> Call[FetchMatrixResponse]:
    """Return the current rates of several currencies in several others. Each rate costs a call."""
    parameters = {"from": from_, "to": to, "max_age": max_age, "partial": partial, "min_sources": min_sources}
    return Call("/fetch-matrix", FetchMatrixResponse, parameters)


def convert(  # noqa: PLR0913  the parameters of an endpoint
    amount: Amount,
    from_: str,
    to: str,
    *,
    date: Day = None,
    precision: int | None = None,
    max_age: MaxAge = None,
    min_sources: int | None = None,
    rate_type: str | None = None,
    source: str | None = None,
    rule: str | None = None,
    booking: str | None = None,
    as_of: AsOf = None,
    assume: str | None = None,
    lock: Lock = None,
) -> Call[ConvertResponse]:
    """Convert an amount at the current rate, or at that of a past day.

    The result is rounded to `precision` decimal places, or as its currency is: JPY to 0, KWD to 3, coins to six
    digits. `source`, `rule` and `booking` choose a publisher's rate and its day. With `date` and `as_of` it is made as
    the service knew it then; `assume` is "published" or left out. `lock` holds the rate for a time such as "PT30M".
    """
    parameters = {
        "amount": amount,
        "from": from_,
        "to": to,
        "date": write_day(date),
        "precision": "currency" if precision is None else precision,
        "max_age": max_age,
        "min_sources": min_sources,
        "rate_type": rate_type,
        "source": source,
        "rule": rule,
        "booking": booking,
        "as_of": as_of,
        "assume": assume,
        "lock": lock,
    }
    return Call("/convert", ConvertResponse, parameters)

"""What is done with rates: `/averages`, `/price-list`, and the rules of authorities at `/booking-rules`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct, field

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Amount, Call, Codes, Day, Lock, MaxAge, write_day


class PublishedRecord(Struct, frozen=True):
    """What a publisher said: `nominal` units of `base` are `value` of `quote`, on `date`.

    A mean has in `days` of how many days it is, and the last of them as its `date`.
    """

    base: str
    quote: str
    value: Decimal
    date: dt.date
    nominal: int = 1
    days: int = 1


class BookingRecord(Struct, frozen=True):
    """The rule of an authority that was applied; `proven` if a published figure of it is reproduced by a test."""

    key: str
    country: str
    purpose: str
    law: str
    rule: str
    proven: bool


class PeriodRecord(Struct, frozen=True):
    """What a rate was in a period, which is `complete` when it has ended.

    `open` and `close` are its first and last rate, of the days `opened` and `closed`. `days` counts those that the mean
    is of, and `missing` the Mondays to Fridays without a publication. Where no day of a period is known, the mean may
    be that of `publishers`, as `made` says; the rest is then None.
    """

    start: dt.date
    end: dt.date
    mean: Decimal
    open: Decimal | None
    high: Decimal | None
    low: Decimal | None
    close: Decimal | None
    opened: dt.date | None
    closed: dt.date | None
    days: int
    missing: int
    complete: bool
    made: str = ""
    publishers: tuple[str, ...] = ()


class LockRecord(Struct, frozen=True):
    """A `token` that holds the rates of an answer until `ends_at`, for the account that asked."""

    token: str
    ends_at: Timestamp


class AveragesResponse(Answer, frozen=True, kw_only=True):
    """The periods of each target that have a rate, in ascending order."""

    base: str
    by: str
    method: str
    results: dict[str, list[PeriodRecord]]
    unit: str = ""
    purity: str = ""
    price: str = ""
    source: str = ""
    booking: BookingRecord | None = None
    unavailable: tuple[str, ...] = ()


class PriceRecord(Struct, frozen=True):
    """A price: `cost` is the amount at the `rate`, to which `markup` and then `rounding` were added.

    `below_cost` warns of a price that is lower than its cost. A current rate has `updated`, a past one `fixed_on`.
    """

    price: Decimal
    cost: Decimal
    markup: Decimal
    rounding: Decimal
    rate: Decimal
    below_cost: bool
    updated: Timestamp | None = None
    fixed_on: dt.date | None = None


class PriceListResponse(Answer, frozen=True, kw_only=True):
    """The prices by target, in the order of the request."""

    base: str
    amount: Decimal
    prices: dict[str, PriceRecord]
    lock: LockRecord | None = None
    unavailable: tuple[str, ...] = ()


class BookingRuleRecord(Struct, frozen=True):
    """A rule: whose rate, which publication of it, and the law; `unanswered` says why it is only listed."""

    country: str
    purpose: str
    source: str | None
    rule: str | None
    decimals: str | None
    law: str
    since: dt.date | None
    until: dt.date | None
    proven: bool
    example: str | None
    unanswered: str | None


class BookingRulesResponse(Answer, frozen=True, kw_only=True):
    """The rules of authorities by key."""

    rules: dict[str, BookingRuleRecord] = field(name="booking-rules")


def averages(  # noqa: PLR0913  the parameters of an endpoint
    from_: str,
    to: Codes,
    start: Day,
    end: Day = None,
    *,
    by: str = "month",
    method: str | None = None,
    year_start: str | None = None,
    source: str | None = None,
    booking: str | None = None,
    unit: str | None = None,
    purity: str | int | None = None,
    partial: bool = False,
) -> Call[AveragesResponse]:
    """Return mean, first, highest, lowest and last rate of each week, month, quarter or year.

    They are of the days on which rates were published, or with the `method` "calendar" of all days. `year_start`, such
    as "04-06", is the month and day on which a year begins. With `source` they are of one source, with `booking` the
    means that an authority wants.
    """
    parameters = {
        "from": from_,
        "to": to,
        "start": write_day(start),
        "end": write_day(end),
        "by": by,
        "method": method,
        "year_start": year_start,
        "source": source,
        "booking": booking,
        "unit": unit,
        "purity": purity,
        "partial": partial,
    }
    return Call("/averages", AveragesResponse, parameters)


def price_list(  # noqa: PLR0913  the parameters of an endpoint
    amount: Amount,
    from_: str,
    to: Codes,
    *,
    markup: str | None = None,
    rounding: str | None = None,
    date: Day = None,
    max_age: MaxAge = None,
    source: str | None = None,
    rule: str | None = None,
    booking: str | None = None,
    lock: Lock = None,
    partial: bool = False,
) -> Call[PriceListResponse]:
    """Return an amount in several currencies, with a `markup` such as "2.5%", rounded as shops do.

    `rounding` is "currency" (minor units), "cash" (coins that there are), "up", "step:0.05" or "charm:0.99". Each price
    costs a call. `lock` holds the rates for a time, or uses those that a token holds.
    """
    parameters = {
        "amount": amount,
        "from": from_,
        "to": to,
        "markup": markup,
        "rounding": rounding,
        "date": write_day(date),
        "max_age": max_age,
        "source": source,
        "rule": rule,
        "booking": booking,
        "lock": lock,
        "partial": partial,
    }
    return Call("/price-list", PriceListResponse, parameters)


def booking_rules() -> Call[BookingRulesResponse]:
    """Return the rules of authorities by which rates can be asked for, and those that are not answered."""
    return Call("/booking-rules", BookingRulesResponse, {})

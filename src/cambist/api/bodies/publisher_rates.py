"""Rates of one publisher, or by a rule for the day that counts: what a request asks for, and how an answer shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.source_tables import reports
from cambist.errors import BadParameter, NoRate
from cambist.history.day_rules import Counting, DayRule, MeanOf, counting_for
from cambist.history.fixing_age import fixing_ages
from cambist.history.published_days import PublishedDays, counted_days, day_number, days_to_read
from cambist.history.publisher_rates import PublishedLeg, PublisherRate, PublisherTable, Rounding, as_published
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.series import read_series
from cambist.pricing.anchor import anchor_in
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import RateType
from cambist.reference.booking_rules import BOOKING_RULES, BookingRule
from cambist.suggestions import did_you_mean

_NEAREST_DAYS = 50
"""For how many rates that there are not one request is told the nearest day: it takes the whole history of a pair."""


class PublishedRecord(Struct, frozen=True, omit_defaults=True):
    """What a publisher said: `nominal` units of `base` are `value` of `quote`, on `date`.

    A mean has in `days` of how many days it is, and the last of them as its `date`.
    """

    base: str
    quote: str
    value: str
    date: date
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


Source = Annotated[str | UnsetType, Meta(description="With `source` or `booking`: the publisher.")]
RuleName = Annotated[str | UnsetType, Meta(description="With `rule` or `booking`: which publication counts.")]
Published = Annotated[
    dict[str, list[PublishedRecord]] | UnsetType,
    Meta(description="With `source` or `booking`: what was published, in its direction; two where they are crossed."),
]
Booked = Annotated[BookingRecord | UnsetType, Meta(description="With `booking`: the rule of the authority.")]


@dataclass(frozen=True, slots=True)
class RateChoice:
    """Whose rate is asked for, None for the agreed one, and which publication counts."""

    source: str | None
    rule: DayRule
    rounding: Rounding | None = None
    booking: BookingRule | None = None

    def counting(self, day: date) -> Counting:
        """Return which publications count for a day. Errors: NoRate outside the days of the rule."""
        booking = self.booking
        if booking and ((booking.since and day < booking.since) or (booking.until and day > booking.until)):
            span = " to ".join(str(each) if each else "today" for each in (booking.since or FIRST_DAY, booking.until))
            raise NoRate(f"The rule [{booking.key}] has no rate of [{day}]: it is answered for days from {span}")
        return counting_for(self.rule, day)


def choice_of(params: Struct) -> RateChoice | None:
    """Return what is asked for; None if it is the ordinary rate of the day. Errors: BadParameter."""
    asked = {
        name: value for name in ("source", "rule", "booking") if (value := getattr(params, name, None)) is not None
    }
    if not asked:
        return None
    for name in ("rate_type", "min_sources", "as_of"):
        if getattr(params, name, None) is not None:
            raise BadParameter(f"[{next(iter(asked))}] cannot be combined with [{name}]")
    if "booking" not in asked:
        return RateChoice(asked.get("source"), asked.get("rule", DayRule.DAY))
    if len(asked) > 1:
        raise BadParameter(f"[booking] names the source and the rule: leave out [{next(iter(asked))}]")
    booking = BOOKING_RULES[asked["booking"]]
    least = booking.least_decimals
    rounding = None if least is None else Rounding(least, booking.rounds_as_published)
    return RateChoice(booking.publisher, DayRule(booking.rule or ""), rounding, booking)


def earliest_counted(params: Struct, day: date) -> date:
    """Return the first day that an answer about a day is made from: a plan must include it."""
    choice = choice_of(params)
    if choice is None:
        return day
    counting = choice.counting(day)
    return min(day, counting.first if isinstance(counting, MeanOf) else counting.day)


class PublisherRates:
    """The rates of a choice, for some codes. `source` is whose they are, None if they are agreed.

    In a sandbox they are the simulated ones, also for a booking. Errors: BadParameter for a source that there is not.
    """

    def __init__(self, context: RequestContext, choice: RateChoice, codes: Iterable[str]) -> None:
        self._context = context
        self.choice = choice
        self._codes = tuple(dict.fromkeys(codes))
        self._is_published = choice.source is not None and context.fixings is not None
        self._anchor = _anchor_of(context, choice.source) if choice.source and self._is_published else ""
        self.source = choice.source if self._is_published else _simulated(context, choice)

    def rate(self, pair: Pair, day: date) -> PublisherRate:
        """Return the rate that counts for a day. Errors: NoRate, RateUnavailable."""
        return self.counted(pair, self.choice.counting(day))

    def counted(self, pair: Pair, counting: Counting, *, nearest: bool = True) -> PublisherRate:
        """Return the rate of what counts. Errors: NoRate, which with `nearest` names a day; RateUnavailable."""
        today = self._context.today
        if not self._is_published:
            counted = counted_days(self.days(pair, *days_to_read(counting)), counting, today)
            return PublisherRate(_mean(counted), (), max(counted.dates()))
        table = self._table(*days_to_read(counting))
        try:
            return table.rate(pair, counting, today, self.choice.rounding)
        except NoRate:
            if not nearest:
                raise
            asked = self._context.remembered(_NEAREST_DAYS, list[Pair])
            asked.append(pair)
            if len(asked) > _NEAREST_DAYS:
                first, last = days_to_read(counting)
                sentence = f"No rate from [{pair.base}] to [{pair.quote}] was published between [{first}] and [{last}]"
                raise NoRate(sentence) from None
            # The whole history says which day is the nearest.
            return self._table(FIRST_DAY, today).rate(pair, counting, today, self.choice.rounding)

    def days(self, pair: Pair, first: date, last: date) -> PublishedDays:
        """Return what was published of a pair from one day to another. Errors: NoRate, RateUnavailable."""
        if self._is_published:
            return self._table(first, last).days(pair).between(first, last)
        matrix = self._context.matrix
        series = read_series(matrix, pair, first, min(last, self._context.today))
        is_own = np.array([not age for age in fixing_ages(matrix, series)]) & ~np.isnan(series.values)
        days = day_number(series.first_day) + np.flatnonzero(is_own)
        return PublishedDays(pair, days, series.values[is_own])

    def published(self, rates: Mapping[str, PublisherRate]) -> dict[str, list[PublishedRecord]]:
        """Return what was published behind rates, by target. Errors: RateUnavailable."""
        return {code: [self._record(leg) for leg in rate.legs] for code, rate in rates.items()}

    def _record(self, leg: PublishedLeg) -> PublishedRecord:
        source, read = self.choice.source or "", self._context.fixings
        code = leg.pair.other(anchor_in(leg.pair, self._anchor))
        known = [] if read is None or leg.days > 1 else read(source, code, leg.day)
        exact = as_published(leg, known)
        return PublishedRecord(exact.pair.base, exact.pair.quote, exact.value, exact.day, exact.nominal, exact.days)

    def _table(self, first: date, last: date) -> PublisherTable:
        """Return what the source published in the years of two days; the rows of a file share it."""
        source, years = self.choice.source or "", (first.year, last.year)
        return self._context.remembered((source, self._codes, years), lambda: self._read(source, *years))

    def _read(self, source: str, first: int, last: int) -> PublisherTable:
        anchors, days = {source: self._anchor}, (date(first, 1, 1), date(last, 12, 31))
        found = self._context.state.readers.source_rates(anchors, self._codes, *days)
        return PublisherTable(source, self._anchor, found.lines.get(source, {}).values())


def _mean(found: PublishedDays) -> Fraction:
    values = [Fraction(repr(value)) for value in found.rates.tolist()]
    return sum(values, Fraction(0)) / len(values)


def _simulated(context: RequestContext, choice: RateChoice) -> str | None:
    """Return the source of a sandbox's rates, if one is asked for. Errors: BadParameter for another."""
    if choice.source is None:
        return None
    simulated = [each.key for each in reports(context) if each.rate_type == RateType.SIMULATED]
    if not simulated:
        raise BadParameter(f"Invalid source: [{choice.source}], nothing is archived here")
    if choice.booking is None and choice.source not in simulated:
        sentence = f"the prices of a sandbox are all of [{simulated[0]}]: nobody published them"
        raise BadParameter(f"Invalid source: [{choice.source}], {sentence}")
    return simulated[0]


def _anchor_of(context: RequestContext, source: str) -> str:
    anchors = {each.key: each.anchor for each in reports(context)}
    if source not in anchors:
        raise BadParameter(f"Invalid source: [{source}], {did_you_mean(source, anchors)} [/sources] lists all")
    if not anchors[source]:
        raise BadParameter(f"Invalid source: [{source}] publishes no table of daily rates, but prices of trades")
    return anchors[source]


def booked(choice: RateChoice) -> BookingRecord | UnsetType:
    """Return the rule of the authority in a choice."""
    each = choice.booking
    if each is None:
        return UNSET
    return BookingRecord(each.key, each.country, each.purpose, each.law, choice.rule, each.proven == "yes")

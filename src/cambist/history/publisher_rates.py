"""The rates of one publisher as it published them: never a mixture, and crossed within its own table only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np

from cambist.errors import NoRate
from cambist.history.day_rules import Counting, MeanOf, OneOf
from cambist.history.fixing import ReceivedFixing
from cambist.history.pair_series import PairSeries
from cambist.history.published_days import PublishedDays, counted_days, days_to_read
from cambist.history.source_history import SourceHistory
from cambist.pricing.anchor import anchors_of
from cambist.pricing.number_format import half_up, plain
from cambist.pricing.pair import Pair


@dataclass(frozen=True, slots=True)
class PublishedLeg:
    """One leg of a publisher's rate: `nominal` units of the base are `value` of the quote, on `day`.

    A mean has the number of its `days`, and the last of them as its `day`. `rate` is the exact price of one unit.
    """

    pair: Pair
    value: str
    rate: Fraction
    day: date
    nominal: int = 1
    days: int = 1

    def worth(self, code: str) -> Fraction:
        """Return what one unit of a code is worth in the other currency."""
        return self.rate if self.pair.base == code else 1 / self.rate


@dataclass(frozen=True, slots=True)
class PublisherRate:
    """A publisher's rate, exact, with the legs that it was made of: one, or two that were crossed.

    `day` is that of the publication, of a mean the last one.
    """

    rate: Fraction
    legs: tuple[PublishedLeg, ...]
    day: date


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a mean is rounded: to as many decimals as were published, but at least so many; or to exactly so many."""

    decimals: int = 0
    as_published: bool = False

    def round(self, mean: Fraction, values: Iterable[str]) -> str:
        """Round a mean of published values, half up."""
        places = self.decimals
        if self.as_published:
            places = max(places, *(len(value.partition(".")[2]) for value in values))
        return half_up(mean.numerator, mean.denominator, places)


class PublisherTable:
    """What one publisher, whose pairs share the currency `anchor`, published of some codes."""

    def __init__(self, key: str, anchor: str, lines: Iterable[PairSeries]) -> None:
        self._key = key
        self._anchor = anchor
        self._history = SourceHistory(anchor, lines, key)
        self._found: dict[Pair, PublishedDays] = {}

    def days(self, pair: Pair) -> PublishedDays:
        """Return the days on which both sides of a pair were published, and the rate on each. Errors: NoRate."""
        found = self._found.get(pair)
        if found is None:
            found = self._found[pair] = self._read_days(pair)
        return found

    def _read_days(self, pair: Pair) -> PublishedDays:
        parts = [part for anchor in reversed(anchors_of(self._anchor)) if (part := self._days_by(anchor, pair))]
        if not parts:
            raise NoRate(f"[{self._key}] has no rate from [{pair.base}] to [{pair.quote}]")
        days = np.concatenate([part.days for part in parts])
        rates = np.concatenate([part.rates for part in parts])
        days, last = np.unique(days[::-1], return_index=True)
        return PublishedDays(pair, days, rates[::-1][last])

    def rate(self, pair: Pair, counting: Counting, today: date, rounding: Rounding | None = None) -> PublisherRate:
        """Return the rate that counts; each leg of a mean is rounded by itself. Errors: NoRate."""
        counted = counted_days(self.days(pair), counting, today)
        day = next(counted.dates())
        first, last = days_to_read(counting) if isinstance(counting, MeanOf) else (day, day)
        legs = {code: self._leg(code, first, last, counting, rounding) for code in self._own_codes(pair)}
        rate = Fraction(1)
        for code, leg in legs.items():
            rate *= leg.worth(code) if code == pair.base else 1 / leg.worth(code)
        return PublisherRate(rate, tuple(legs.values()), min(leg.day for leg in legs.values()))

    def _own_codes(self, pair: Pair) -> Iterator[str]:
        """Yield the sides of a pair that have a leg: not the publisher's own currency."""
        return (code for code in (pair.base, pair.quote) if code not in anchors_of(self._anchor))

    def _days_by(self, anchor: str, pair: Pair) -> PublishedDays | None:
        days, rates = None, np.ones(1)
        for code in (pair.base, pair.quote):
            if code == anchor:
                continue
            series = self._history.leg(code).get(anchor)
            if series is None:
                return None
            worth = series.rates if series.pair.base == code else 1 / series.rates
            if days is None:
                days, rates = series.rows, worth if code == pair.base else 1 / worth
                continue
            days, of_base, of_quote = np.intersect1d(days, series.rows, assume_unique=True, return_indices=True)
            rates = rates[of_base] / worth[of_quote]
        return None if days is None or not len(days) else PublishedDays(pair, days, rates)

    def _leg(self, code: str, first: date, last: date, counting: Counting, rounding: Rounding | None) -> PublishedLeg:
        """Return the publication of a code between two days, or the mean of all there. Errors: NoRate."""
        for series in reversed(self._history.leg(code).values()):
            found = PublishedDays(series.pair, series.rows, series.rates).between(first, last)
            found = found.last_of_months() if isinstance(counting, MeanOf) and counting.month_ends else found
            if not len(found.days):
                continue
            values = [format(Decimal(repr(value)), "f") for value in found.rates.tolist()]
            if isinstance(counting, OneOf):
                return PublishedLeg(series.pair, values[0], Fraction(values[0]), first)
            mean = sum(map(Fraction, values), Fraction(0)) / len(values)
            text = plain(mean) if rounding is None else rounding.round(mean, values)
            rate = mean if rounding is None else Fraction(text)
            return PublishedLeg(series.pair, text, rate, max(found.dates()), days=len(values))
        raise NoRate(f"[{self._key}] published no rate of [{code}] between [{first}] and [{last}]")


def as_published(leg: PublishedLeg, fixings: Iterable[ReceivedFixing]) -> PublishedLeg:
    """Return a leg with the digits and the nominal that were published, if its fixing is among these."""
    for each in fixings:
        fixing = each.fixing
        if fixing.day == leg.day and fixing.pair == leg.pair and leg.days == 1:
            return PublishedLeg(fixing.pair, format(fixing.value, "f"), fixing.rate, leg.day, fixing.nominal)
    return leg

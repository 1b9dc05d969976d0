"""Rates of one type, asked for by name: fixings of that type, and the ordinary rate of the other side of the pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import isnan
from zoneinfo import ZoneInfo

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.agreement import AgreementRecord, Agreements, agreement_record, check_agreement
from cambist.api.bodies.source_tables import anchors_of_type, compiled_sources, prices, types_of
from cambist.errors import NoRate, NoRateOfType
from cambist.history.rate_matrix import NOBODY, RateMatrix
from cambist.history.series import Series
from cambist.history.source_rates import CarriedRates, SourceRates, best_of
from cambist.history.typed_series import parse_series_key
from cambist.pricing.agreement import SourceRate, agreement
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.currency_tables import CURRENCIES

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a pair: units per pivot for each day (NaN without a rate), their ages in days, and the source.

    `typed` are the rates of all sources of the type; empty if it is the ordinary rate.
    """

    units: Floats
    ages: NDArray[np.int64]
    source: str = ""
    typed: tuple[CarriedRates, ...] = ()


class TypedRates:
    """The rates of one type, for the days from `first` to `last`; of today if neither is given.

    A pair has a rate of the type if one of its sides has a fixing of it. The other side then has its own fixing of the
    type, or its ordinary rate.
    """

    def __init__(
        self, context: RequestContext, rate_type: str, codes: Iterable[str], days: tuple[date, date] | None = None
    ) -> None:
        self._context = context
        self._type = rate_type
        self._is_live = days is None
        self.first, self.last = days or (context.today, context.today)
        self._anchors = anchors_of_type(context, rate_type)
        wanted = [code for code in dict.fromkeys(codes) if code != PIVOT]
        self._rates: SourceRates = context.state.readers.source_rates(self._anchors, wanted, self.first, self.last)
        self._typed: dict[str, Side | None] = {}
        self._sides: dict[str, Side] = {}

    def rate(self, base: str, quote: str) -> float:
        """Return the rate of the last day. Errors: NoRateOfType, NoRate, RateUnavailable."""
        return float(self._values(base, quote)[-1])

    def series(self, base: str, quote: str) -> Series:
        """Return the rates of all days. Errors: NoRateOfType, NoRate."""
        return Series(Pair(base, quote), self.first, self._values(base, quote))

    def fixing_ages(self, pair: Pair) -> list[int | None]:
        """Return how old the older fixing in the rate of each day is, in days."""
        ages: list[int | None] = np.maximum(self.side(pair.base).ages, self.side(pair.quote).ages).tolist()
        return ages

    def fixed_on(self, base: str, quote: str) -> date:
        """Return the day of the older fixing in the rate of the last day."""
        return self.last - timedelta(days=int(max(self.side(base).ages[-1], self.side(quote).ages[-1])))

    def as_of(self, base: str, quote: str) -> datetime:
        """Return the market time of the older price in a current rate."""
        return min(self._market_time(code) for code in (base, quote) if code != PIVOT)

    def series_of(self, code: str) -> str:
        """Return the key of the series that a code's rate of the last day is from; empty for an ordinary rate."""
        return self.side(code).source

    def agreements(self, codes: Iterable[str], min_sources: int | None) -> Agreements | UnsetType:
        """Return how many sources of the type agree on the rate of each code that has one, if that is asked for.

        Errors: TooFewSources.
        """
        if min_sources is None:
            return UNSET
        sides = {code: self.side(code) for code in dict.fromkeys(codes)}
        compiled = compiled_sources(self._context)
        found = {code: _agreement(code, side, compiled) for code, side in sides.items() if side.typed}
        check_agreement(found, min_sources)
        return found

    def side(self, code: str) -> Side:
        """Return one side of a pair. Errors: RateUnavailable if the current book has no price for it."""
        if code not in self._sides:
            self._sides[code] = self._typed_side(code) or self._ordinary(code)
        return self._sides[code]

    def _typed_side(self, code: str) -> Side | None:
        if code not in self._typed:
            self._typed[code] = self._read_typed(code)
        return self._typed[code]

    def _values(self, base: str, quote: str) -> Floats:
        if not any(self._typed_side(code) for code in (base, quote)):
            raise self._none(base, quote)
        sides = self.side(base), self.side(quote)
        values = sides[1].units / sides[0].units
        is_of_type = np.zeros(len(values), np.bool_)
        for side in sides:
            is_of_type |= ~np.isnan(side.units) & bool(side.typed)
        values = np.where(is_of_type, values, np.nan)
        if isnan(values[-1]) and np.isnan(values).all():
            raise self._none(base, quote) if not is_of_type.any() else self._no_rate(base, quote)
        return values

    def _read_typed(self, code: str) -> Side | None:
        if code == PIVOT:
            return None
        found = tuple(each for each in self._rates.of(code) if prices(each.source, self._anchors[each.source], code))
        # The issuer of a currency is its best source.
        best = best_of(sorted(found, key=lambda each: self._anchors[each.source] != code))
        if best is None:
            return None
        units = np.where(_lives(code, self.first, len(best.units)), best.units, np.nan)
        return None if np.isnan(units).all() else Side(units, best.ages, best.source, found)

    def _ordinary(self, code: str) -> Side:
        count = (self.last - self.first).days + 1
        if self._is_live:
            if code not in self._context.book.mids:
                raise self._context.book.unavailable(code)
            return Side(np.array([1 / self._context.book.mids[code]]), np.zeros(count, np.int64))
        return _from_matrix(self._context.matrix, code, self.first, count)

    def _market_time(self, code: str) -> datetime:
        side = self.side(code)
        if not side.typed:
            return self._context.book.leg(code).as_of
        day = self.last - timedelta(days=int(side.ages[-1]))
        return min(market_start(self._context.matrix, side.source, day), self._context.now)

    def _none(self, base: str, quote: str) -> NoRateOfType:
        types = {code: types_of(self._context, code) for code in dict.fromkeys((base, quote)) if code != PIVOT}
        have = "".join(f"; [{code}] has [{', '.join(names)}]" for code, names in types.items() if names)
        return NoRateOfType(f"No [{self._type}] rate from [{base}] to [{quote}]{self._period()}{have}")

    def _no_rate(self, base: str, quote: str) -> NoRate:
        return NoRate(f"No rate from [{base}] to [{quote}]{self._period()}")

    def _period(self) -> str:
        if self.first == self.last:
            return f" on [{self.last}]"
        return f" between [{self.first}] and [{self.last}]"


def market_start(matrix: RateMatrix, series: str, day: date) -> datetime:
    """Return the market time of a fixing; the day's beginning for a source that the rate matrix does not have."""
    source = parse_series_key(series).source
    if source not in matrix.sources or len(matrix.fixed_at) != len(matrix.sources):
        return datetime.combine(day, time(), UTC)
    zone, hour = matrix.fixed_at[matrix.sources.index(source)]
    return datetime.combine(day, time.fromisoformat(hour), ZoneInfo(zone)).astimezone(UTC)


def _agreement(code: str, side: Side, compiled: frozenset[str]) -> AgreementRecord:
    last = ((parse_series_key(each.source).source, float(each.units[-1])) for each in side.typed)
    rates = [SourceRate(source, units, source in compiled) for source, units in last if not isnan(units)]
    return agreement_record(f"{PIVOT}/{code}", agreement(float(side.units[-1]), rates))


def _lives(code: str, first: date, count: int) -> NDArray[np.bool_]:
    """Return on which days a currency exists."""
    if code not in CURRENCIES:
        return np.ones(count, np.bool_)
    return np.array([CURRENCIES[code].lives_on(first + timedelta(days=place)) for place in range(count)])


def _from_matrix(matrix: RateMatrix, code: str, first: date, count: int) -> Side:
    days = [first + timedelta(days=place) for place in range(count)]
    units = np.array([1.0 if code == PIVOT else matrix.cell(day, code) for day in days])
    ages = [matrix.source_and_age(day, code) for day in days]
    return Side(units, np.array([0 if source == NOBODY else age for source, age in ages], np.int64))

"""The series that a request for data gets: daily rates, and their averages over longer periods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, islice
from math import isnan
from statistics import fmean

from cambist.api.faces.dialects.ecb_sdmx.periods import bounds, period_of
from cambist.api.faces.dialects.ecb_sdmx.query import NO_RESULTS, DataQuery
from cambist.api.faces.dialects.euro_series import EURO, EuroSeries, Floats, newest_reference_day, read_euro_series
from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.number_format import SHOWN_DIGITS, plain_float
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.ecb_listings import ECB_LISTINGS, FIRST_REFERENCE_DAY, target_days

_YEAR_START = FIRST_REFERENCE_DAY.replace(day=1)


@dataclass(frozen=True, slots=True)
class RateSeries:
    """One series: the units of a currency for one euro by period, as they are written.

    `decimals` is how many decimals its largest value can have. `first_day` is the first day of its first period; None
    for a series without observations.
    """

    frequency: str
    currency: str
    periods: Sequence[str] = ()
    values: Sequence[str] = ()
    decimals: int = SHOWN_DIGITS
    first_day: date | None = None


@dataclass(frozen=True, slots=True)
class _Span:
    """The observation days of one period, as places in a series of days."""

    name: str
    first_day: date
    last_day: date
    first: int
    past: int

    def lies_within(self, start: date, end: date, newest: date) -> bool:
        """Return whether the period lies between two days, and whether all of its days have been fixed by now."""
        if self.first_day < start or self.last_day > end:
            return False
        last_week = target_days(self.last_day - timedelta(days=7), self.last_day)
        return self.last_day <= newest or max(last_week) <= newest

    def average(self, values: Sequence[float]) -> float:
        """Return the average of the days of the period; NaN if one has no rate."""
        return values[self.first] if self.past - self.first == 1 else fmean(values[self.first : self.past])


def find_series(matrix: RateMatrix, query: DataQuery) -> list[RateSeries]:
    """Return the series that a query matches, by frequency and currency, even those without observations in its period.

    Errors: NoRate if no series matches.
    """
    codes = _matching(matrix, query.currencies)
    if not codes:
        raise NoRate(NO_RESULTS)
    if not query.wants_values:
        return [RateSeries(frequency, code) for frequency in query.frequencies for code in codes]
    newest = newest_reference_day(matrix)
    start, end = max(query.start or _YEAR_START, _YEAR_START), query.end or date.max
    daily = read_euro_series(matrix, codes, start, min(end, newest))
    return [
        _observed(query, frequency, code, spans, column)
        for frequency in query.frequencies
        for spans in [[span for span in _spans(daily, frequency) if span.lies_within(start, end, newest)]]
        for code, column in zip(codes, daily.columns, strict=True)
    ]


def _matching(matrix: RateMatrix, currencies: Sequence[str] | None) -> list[str]:
    """Return the currencies that have a series: those that the ECB lists, or those with a rate that are named."""
    if currencies is None:
        return sorted(ECB_LISTINGS)
    return sorted(code for code in currencies if code in CURRENCIES and code != EURO and matrix.span(code))


def _spans(daily: EuroSeries, frequency: str) -> Iterator[_Span]:
    """Yield the periods of the days of a series."""
    place = 0
    for name, days in groupby(daily.days, lambda day: period_of(frequency, day)):
        count = sum(1 for _ in days)
        yield _Span(name, *bounds(frequency, daily.days[place]), place, place + count)
        place += count


def _observed(query: DataQuery, frequency: str, code: str, spans: Sequence[_Span], column: Floats) -> RateSeries:
    kept = _kept(query, spans, column.tolist())
    if not kept:
        return RateSeries(frequency, code)
    values = [plain_float(value) for _, value in kept]
    decimals = max(0, SHOWN_DIGITS - len(str(int(max(value for _, value in kept))).lstrip("0")))
    return RateSeries(frequency, code, [span.name for span, _ in kept], values, decimals, kept[0][0].first_day)


def _kept(query: DataQuery, spans: Sequence[_Span], daily: Sequence[float]) -> list[tuple[_Span, float]]:
    """Return the observations, or the first and the last of them if a number of them was asked for."""
    first, last = query.first_count, query.last_count
    if first is None and last is None:
        return list(_observations(spans, daily))
    head = list(islice(_observations(spans, daily), first or 0))
    tail = list(islice(_observations(reversed(spans), daily), last or 0))[::-1]
    return head + [found for found in tail if not head or found[0].first > head[-1][0].first]


def _observations(spans: Iterable[_Span], daily: Sequence[float]) -> Iterator[tuple[_Span, float]]:
    averages = ((span, span.average(daily)) for span in spans)
    return ((span, value) for span, value in averages if not isnan(value))

"""The rates that dialects answer, with the digits of Cambist's own endpoints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from math import isnan

from cambist.api.answer.request_context import RequestContext
from cambist.errors import NoRate
from cambist.history import as_of
from cambist.history.fixing_age import carried_days, fixing_ages, fixing_days
from cambist.history.series import read_series
from cambist.pricing.cross_rates import check_crossable, listed_midpoints, midpoints
from cambist.pricing.number_format import SHOWN_DIGITS, TIES_UP
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import EPOCH, unix_us

_ONE_DAY = timedelta(days=1)
_DAY_MICROSECONDS = 86_400_000_000
_END_OF_DAY = time(23, 59, 59, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DatedRates:
    """Rates by code, and of which day each is: that of its fixing or its price, never that of the request.

    `is_named` is whether the client has named the codes.
    """

    values: Mapping[str, float]
    days: Mapping[str, date]
    is_named: bool

    def day(self, codes: Iterable[str] | None = None) -> date:
        """Return the one day that an answer shows for these codes, or for all.

        Of named codes it is the oldest, so that no rate is shown as newer than it is. A list of all has currencies that
        are fixed once a week, so it is the day of most of them.
        """
        days = [self.days[code] for code in (self.days if codes is None else codes)]
        if self.is_named:
            return min(days)
        counts = Counter(days)
        return max(counts, key=lambda day: (counts[day], day))

    def timestamp(self, newest: datetime) -> int:
        """Return the end of the day that is shown, or the `newest` moment of a price if that is earlier."""
        return int(min(datetime.combine(self.day(), _END_OF_DAY), newest).timestamp())


def joined(parts: Iterable[DatedRates]) -> DatedRates:
    """Return the rates of several parts as one answer."""
    found = list(parts)
    values = {code: value for part in found for code, value in part.values.items()}
    days = {code: day for part in found for code, day in part.days.items()}
    return DatedRates(values, days, is_named=all(part.is_named for part in found))


def latest_rates(context: RequestContext, base: str, quotes: Sequence[str] | None = None) -> DatedRates:
    """Return the midpoints of now, as `/fetch-one` answers them: of all listed currencies without `quotes`.

    Errors: BadParameter, RateUnavailable.
    """
    if quotes is None:
        found = listed_midpoints(context.book, base)
    else:
        for quote in quotes:
            check_crossable(base, quote)
        context.check_fresh((base, *quotes))
        found = midpoints(context.book, [base], quotes)
    context.check_age(found.as_of, None)
    days = _days_of_prices(context.book, base, found.quotes)
    return DatedRates(_shown(found.quotes, found.values), days, bool(quotes))


def _days_of_prices(book: RateBook, base: str, quotes: Sequence[str]) -> Mapping[str, date]:
    times, newest = book.times, unix_us(book.as_of)  # the pivot, and what the law fixes, have no time
    own = times.get(base, newest) // _DAY_MICROSECONDS
    if quotes is not book.listed:
        return {quote: _day_at(min(own, times.get(quote, newest) // _DAY_MICROSECONDS)) for quote in quotes}
    days: dict[int, Mapping[str, date]] = book.derived.setdefault(_days_of_prices, {})  # type: ignore[assignment]
    if own not in days:  # all bases with prices of one day share them
        days[own] = {quote: _day_at(min(own, times.get(quote, newest) // _DAY_MICROSECONDS)) for quote in quotes}
    return days[own]


@lru_cache(maxsize=4096)
def _day_at(days: int) -> date:
    return (EPOCH + timedelta(days=days)).date()


def rates_on(context: RequestContext, base: str, quotes: Sequence[str] | None, day: date) -> DatedRates:
    """Return the rates of a past day, as `/historical` answers them, of those that have one; all without `quotes`.

    Errors: NoRate if there is none.
    """
    if quotes is None:
        found = as_of.listed_rates(context.matrix, day, base)
    else:
        found = as_of.rates_on(context.matrix, day, base, quotes)
    fixed = fixing_days(context.matrix, day, base, found.codes)
    return DatedRates(
        _shown(found.codes, found.values), {code: fixed_on or day for code, fixed_on in fixed.items()}, bool(quotes)
    )


def daily_rates(
    context: RequestContext, base: str, quotes: Iterable[str], start: date, end: date, *, only_fixed: bool = False
) -> dict[date, dict[str, float]]:
    """Return the rates of each calendar day of a period, as `/time-series` answers them; days without one are left out.

    With `only_fixed` a rate is left out of the days to which it is carried forward. A target without a rate in the
    whole period is left out. Errors: NoRate if there is no rate at all.
    """
    by_day: dict[date, dict[str, float]] = {}
    refused: NoRate | None = None
    for quote in quotes:
        try:
            series = read_series(context.matrix, Pair(base, quote), start, end)
        except NoRate as error:
            refused = error
            continue
        carried = carried_days(series, fixing_ages(context.matrix, series)) if only_fixed else ()
        for offset, value in enumerate(series.values.tolist()):
            day = series.first_day + offset * _ONE_DAY
            if not isnan(value) and day not in carried:
                by_day.setdefault(day, {})[quote] = shown(value)
    if not by_day and refused is not None:
        raise refused
    return dict(sorted(by_day.items()))


def priced_currencies(context: RequestContext, day: date | None = None) -> Collection[str]:
    """Return the codes that have a rate now, or on a past day, sorted. Errors: RateUnavailable, NoRate."""
    if day is None:
        return tuple(listed_midpoints(context.book, "USD").quotes)
    return as_of.listed_rates(context.matrix, day, "USD").codes


def shown(value: float) -> float:
    """Return a rate with the ten significant digits that every answer has."""
    return float(f"{value * TIES_UP:.{SHOWN_DIGITS}g}")


def _shown(codes: Iterable[str], values: Iterable[float]) -> dict[str, float]:
    lifted = [value * TIES_UP for value in values]
    # One format operation for all numbers takes half the time of one for each.
    texts = (f"%.{SHOWN_DIGITS}g " * len(lifted) % tuple(lifted)).split()
    return dict(zip(codes, map(float, texts), strict=True))

"""Averages of a rate over weeks, months, quarters and years: what was published in each period, summed up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from cambist.history.published_days import PublishedDays
from cambist.history.series import Series
from cambist.pricing.pair import Pair
from cambist.reference.published_averages import published_average

_ONE_DAY = timedelta(days=1)
_FRIDAY = 4
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_PERIOD_OF: Mapping[str, Callable[[date], tuple[int, ...]]] = MappingProxyType(
    {
        "P1W": lambda day: day.isocalendar()[:2],
        "P1M": lambda day: (day.year, day.month),
        "P1Y": lambda day: (day.year,),
    }
)


class Span(StrEnum):
    """How long the periods are."""

    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class AveragePeriod:
    """A period from its first day to its last, both of it."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Average:
    """What a rate was in a period. `days` are those that count, `missing` the working days without one."""

    period: AveragePeriod
    mean: float
    first: float
    last: float
    high: float
    low: float
    days: int
    missing: int
    first_day: date
    last_day: date


@dataclass(frozen=True, slots=True)
class PublishedMean:
    """A mean that publishers computed themselves, of one period, and who did.

    `made` says whether it is the published number, or was computed from such: turned round, or of two currencies.
    """

    period: AveragePeriod
    mean: float
    made: str
    publishers: tuple[str, ...]


def published_mean(pair: Pair, period: AveragePeriod, weight: float = 1.0) -> PublishedMean | None:
    """Return the mean of a pair from published means over exactly this period; None if there is none of a side.

    `weight` is what it is multiplied by, for another weight of a metal than its own unit.
    """
    base, quote = (published_average(code, period.first, period.last) for code in (pair.base, pair.quote))
    if base is None or quote is None:
        return None
    is_published = (not base.publisher and quote.is_per_dollar) or (not quote.publisher and not base.is_per_dollar)
    made = "published average" if is_published and weight == 1.0 else "computed from published averages"
    publishers = tuple(dict.fromkeys(filter(None, (base.publisher, quote.publisher))))
    return PublishedMean(period, float(base.worth / quote.worth) * weight, made, publishers)


def periods(start: date, end: date, span: Span, year_start: tuple[int, int] = (1, 1)) -> Iterator[AveragePeriod]:
    """Yield the whole periods that have a day from `start` to `end`. Weeks begin on Mondays.

    Months, quarters and years are counted from the day on which a year begins: a month and a day of it, up to the 28th.
    """
    first = _first_of(start, span, year_start)
    while first <= end:
        following = first + timedelta(weeks=1) if span is Span.WEEK else _later(first, _MONTHS[span])
        yield AveragePeriod(first, following - _ONE_DAY)
        first = following


def _first_of(day: date, span: Span, year_start: tuple[int, int]) -> date:
    if span is Span.WEEK:
        return day - timedelta(days=day.weekday())
    month, month_day = year_start if span is not Span.MONTH else (1, year_start[1])
    first = date(day.year - 1, month, month_day)
    step = _MONTHS[span]
    while (following := _later(first, step)) <= day:
        first = following
    return first


def _later(day: date, months: int) -> date:
    count = day.year * 12 + day.month - 1 + months
    return day.replace(year=count // 12, month=count % 12 + 1)


def average(found: PublishedDays, period: AveragePeriod, today: date) -> Average | None:
    """Return the average of what was published in a period; None if nothing was.

    A period that has not ended yet has what was published so far.
    """
    inside = found.between(period.first, period.last)
    if not len(inside.days):
        return None
    rates, days = inside.rates, list(inside.dates())
    weekdays = _working_days(period, today)
    return Average(
        period,
        float(np.mean(rates)),
        float(rates[0]),
        float(rates[-1]),
        float(rates.max()),
        float(rates.min()),
        len(rates),
        len(weekdays - set(days)),
        days[0],
        days[-1],
    )


def working_days(period: AveragePeriod, today: date) -> int:
    """Return how many Mondays to Fridays a period has until today."""
    return len(_working_days(period, today))


def _working_days(period: AveragePeriod, today: date) -> set[date]:
    last = min(period.last, today)
    days = (period.first + timedelta(days=number) for number in range((last - period.first).days + 1))
    return {day for day in days if day.weekday() <= _FRIDAY}


def closes(series: Series, interval: str) -> Series:
    """Return the last rate of each week, month or year of a series; all other days have none."""
    days = [series.first_day + timedelta(days=number) for number in range(len(series.values))]
    has_rate = ~np.isnan(series.values)
    last_places = {_PERIOD_OF[interval](day): place for place, day in enumerate(days) if has_rate[place]}
    kept = list(last_places.values())
    values = np.full(len(days), np.nan)
    values[kept] = series.values[kept]
    return Series(series.pair, series.first_day, values)

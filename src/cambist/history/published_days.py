"""The days on which a rate was published, and what one publication or the mean of several is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from cambist.errors import NoRate
from cambist.history.as_of import CARRY_DAYS
from cambist.history.day_rules import MeanOf, OneOf, month_end
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair

_REACH = timedelta(days=CARRY_DAYS)


@dataclass(frozen=True, slots=True)
class PublishedDays:
    """The days on which a pair was published, counted from 1970-01-01 and ascending, and its rate on each (float64)."""

    pair: Pair
    days: NDArray[np.int64]
    rates: NDArray[np.float64]

    def between(self, first: date, last: date) -> PublishedDays:
        """Return what was published from one day to another."""
        start, end = np.searchsorted(self.days, (day_number(first), day_number(last) + 1))
        return PublishedDays(self.pair, self.days[start:end], self.rates[start:end])

    def dates(self) -> Iterator[date]:
        """Yield the days as dates."""
        return (FIRST_DAY + timedelta(days=day) for day in self.days.tolist())

    def last_of_months(self) -> PublishedDays:
        """Return the last publication of each month."""
        ends = [day_number(month_end(day)) for day in self.dates()]
        is_last = np.append(np.diff(np.array(ends, np.int64)) != 0, [True][: len(ends)])
        return PublishedDays(self.pair, self.days[is_last], self.rates[is_last])


def day_number(day: date) -> int:
    """Return a day counted from 1970-01-01."""
    return (day - FIRST_DAY).days


def days_to_read(counting: OneOf | MeanOf) -> tuple[date, date]:
    """Return the first and the last day among which what counts must have been published."""
    if isinstance(counting, MeanOf):
        return counting.first, counting.last
    if counting.forward:
        return counting.day, counting.day + _REACH
    return counting.since or counting.day - _REACH, counting.day


def counted_days(found: PublishedDays, counting: OneOf | MeanOf, today: date) -> PublishedDays:
    """Return the publications that count, one or those of a mean.

    A publication counts for at most two weeks, that of a month for the month.

    Errors: NoRate if there is none, or not yet.
    """
    pair = f"from [{found.pair.base}] to [{found.pair.quote}]"
    first, last = days_to_read(counting)
    end = counting.last if isinstance(counting, MeanOf) else counting.day
    if end > today:
        raise NoRate(f"No rate {pair} yet: it counts what is published until [{end}]")
    inside = found.between(first, last)
    if isinstance(counting, MeanOf):
        inside = inside.last_of_months() if counting.month_ends else inside
    elif len(inside.days):
        place = slice(0, 1) if counting.forward else slice(-2, -1) if counting.printed else slice(-1, None)
        inside = PublishedDays(found.pair, inside.days[place], inside.rates[place])
    if not len(inside.days):
        raise NoRate(f"No rate {pair} was published between [{first}] and [{last}]{_nearest(found, end)}")
    return inside


def _nearest(found: PublishedDays, day: date) -> str:
    if not len(found.days):
        return ""
    nearest = found.days[np.argmin(np.abs(found.days - day_number(day)))]
    return f"; the nearest day with one is [{FIRST_DAY + timedelta(days=int(nearest))}]"

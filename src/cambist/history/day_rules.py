"""Day rules: which publication counts for a day, as laws and contracts say it."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from types import MappingProxyType

_ONE_DAY = timedelta(days=1)
_WEDNESDAY = 2


class DayRule(StrEnum):
    """Which publications count for a day: a single one, or those whose mean is taken."""

    DAY = "day"
    BEFORE = "before"
    GAZETTE_BEFORE = "gazette-before"
    NEXT = "next"
    MONTH = "month"
    MONTH_END = "month-end"
    PREVIOUS_MONTH_END = "previous-month-end"
    PENULTIMATE_WEDNESDAY = "penultimate-wednesday"
    BEFORE_PENULTIMATE_DAY = "before-penultimate-day"
    PREVIOUS_MID_MONTH = "previous-mid-month"
    PREVIOUS_OCTOBER = "previous-october"
    YEAR_END = "year-end"
    MONTH_MEAN = "month-mean"
    YEAR_MEAN = "year-mean"
    MEAN_OF_MONTH_ENDS = "mean-of-month-ends"


@dataclass(frozen=True, slots=True)
class OneOf:
    """The one publication that counts: the last up to `day`, or the first from it on if `forward`.

    It must not be older than `since`, two weeks if that is None. With `printed` it is the one before: a gazette prints
    each publication on the day of the next.
    """

    day: date
    forward: bool = False
    since: date | None = None
    printed: bool = False


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The mean of all publications from `first` to `last`; or of the last of each month, with `month_ends`."""

    first: date
    last: date
    month_ends: bool = False


Counting = OneOf | MeanOf


def _before(day: date) -> Counting:
    return OneOf(day - _ONE_DAY)


def month_start(day: date) -> date:
    """Return the first day of the month of a day."""
    return day.replace(day=1)


def month_end(day: date) -> date:
    """Return the last day of the month of a day."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def _previous_month(day: date) -> date:
    return month_start(day) - _ONE_DAY


def _penultimate_wednesday(day: date) -> Counting:
    """Return the second-last Wednesday of the month before, which counts for the whole month."""
    last = _previous_month(day)
    wednesday = last - timedelta(days=(last.weekday() - _WEDNESDAY) % 7)
    return OneOf(wednesday - timedelta(weeks=1))


_COUNTING: Mapping[DayRule, Callable[[date], Counting]] = MappingProxyType(
    {
        DayRule.DAY: OneOf,
        DayRule.BEFORE: _before,
        DayRule.GAZETTE_BEFORE: lambda day: OneOf(day - _ONE_DAY, printed=True),
        DayRule.NEXT: lambda day: OneOf(day, forward=True),
        DayRule.MONTH: lambda day: OneOf(day, since=month_start(day)),
        DayRule.MONTH_END: lambda day: OneOf(month_end(day)),
        DayRule.PREVIOUS_MONTH_END: lambda day: OneOf(_previous_month(day)),
        DayRule.PENULTIMATE_WEDNESDAY: _penultimate_wednesday,
        DayRule.BEFORE_PENULTIMATE_DAY: lambda day: OneOf(_previous_month(day) - 2 * _ONE_DAY),
        DayRule.PREVIOUS_MID_MONTH: lambda day: OneOf(_previous_month(day).replace(day=15)),
        DayRule.PREVIOUS_OCTOBER: lambda day: OneOf(date(day.year - 1, 10, 1), forward=True),
        DayRule.YEAR_END: lambda day: OneOf(date(day.year, 12, 31)),
        DayRule.MONTH_MEAN: lambda day: MeanOf(month_start(day), month_end(day)),
        DayRule.YEAR_MEAN: lambda day: MeanOf(date(day.year, 1, 1), date(day.year, 12, 31)),
        DayRule.MEAN_OF_MONTH_ENDS: lambda day: MeanOf(date(day.year, 1, 1), date(day.year, 12, 31), month_ends=True),
    }
)

MEANS = frozenset({DayRule.MONTH_MEAN, DayRule.YEAR_MEAN, DayRule.MEAN_OF_MONTH_ENDS})
"""The rules by which a mean counts."""


def counting_for(rule: DayRule, day: date) -> Counting:
    """Return which publications count for a day."""
    return _COUNTING[rule](day)

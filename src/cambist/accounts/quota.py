"""Quotas: the periods in which calls are counted, and how many an account has in each. Pure."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from zlib import crc32

from cambist.accounts.account import Account
from cambist.accounts.plan import Plan
from cambist.errors import QuotaSpent

NO_QUOTA = 9007199254740991
"""Stands for no quota: the largest integer that all JSON parsers keep exact."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """The days for which a quota counts, both ends included."""

    start: date
    end: date

    def days(self) -> Iterator[date]:
        """Yield its days."""
        for offset in range((self.end - self.start).days + 1):
            yield self.start + offset * _DAY


@dataclass(frozen=True, slots=True)
class AccountQuota:
    """The current period of an account, and its calls."""

    period: Period
    quota: int


def period_of(anchor_day: int, day: date) -> Period:
    """Return the period that contains `day`; periods begin on `anchor_day`, or a shorter month's last day."""
    start = _anchored(anchor_day, day.year, day.month)
    if day < start:
        last_month = day.replace(day=1) - _DAY
        start = _anchored(anchor_day, last_month.year, last_month.month)
    next_month = start.replace(day=1) + timedelta(days=31)
    return Period(start, _anchored(anchor_day, next_month.year, next_month.month) - _DAY)


def spread_anchor_day(name: str) -> int:
    """Return the anchor day of an account for which none is chosen: the same for a name, and spread over all names.

    It is from 1 to 28, which every month has. If all periods began on one day, all nodes would ask for their first
    calls at one moment.
    """
    return crc32(name.encode()) % 28 + 1


def quota_of(plan: Plan, account: Account, period: Period) -> int | None:
    """Return the calls of a period: the plan's and those bought for it; None without a quota."""
    if plan.calls_a_month is None:
        return None
    return plan.calls_a_month + account.bought_for(period.start)


def seconds_to_end(period: Period, now: datetime) -> int:
    """Return the seconds until a period ends in UTC, rounded up."""
    end = datetime.combine(period.end + _DAY, time(), UTC)
    return max(0, ceil((end - now).total_seconds()))


def quota_spent(period: Period, cost: int, left: int, now: float, what: str) -> QuotaSpent:
    """Return the error that `what` costs more calls than are left; `now` is in seconds since 1970."""
    return QuotaSpent(
        f"Quota spent: {what} costs [{cost}] calls, [{left}] remain until the period ends on {period.end}",
        max(1, seconds_to_end(period, datetime.fromtimestamp(now, UTC))),
    )


def _anchored(anchor_day: int, year: int, month: int) -> date:
    return date(year, month, min(anchor_day, monthrange(year, month)[1]))

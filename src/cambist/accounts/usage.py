"""The usage of an account: the last fifteen days, and its current period."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from cambist.accounts.quota import Period

SHOWN_DAYS = 15


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """Calls by day, oldest first, zeros included, ending today; the quota, and what the period has used and left."""

    by_day: dict[date, int]
    quota: int | None
    period: Period
    used: int

    @property
    def remaining(self) -> int | None:
        """Calls that are left in the period; None without a quota."""
        return None if self.quota is None else max(0, self.quota - self.used)


def usage_record(calls_on: Callable[[date], int], quota: int | None, period: Period, today: date) -> UsageRecord:
    """Return the usage of an account from its calls on each day."""
    shown = [today - timedelta(days=back) for back in reversed(range(SHOWN_DAYS))]
    return UsageRecord(
        by_day={day: calls_on(day) for day in shown},
        quota=quota,
        period=period,
        used=sum(calls_on(day) for day in period.days()),
    )

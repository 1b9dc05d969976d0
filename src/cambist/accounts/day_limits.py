"""The limits of an account on one day, worked out once, and how they are shown. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import ceil

from cambist.accounts.account import Account
from cambist.accounts.plan import Plan
from cambist.accounts.quota import Period, period_of, quota_of

SECONDS_A_DAY = 86_400

_DAY = timedelta(days=1)
_JUMP_SECONDS = 60
_LATE_SECONDS = 120
"""How long after midnight answers that began before it may still be counted on the day before."""


@dataclass(slots=True)
class DayLimits:
    """The limits of an account on one day, worked out once.

    `quota_left` are the calls that it had left when the day began; `ends` is the end of its period, `settled_at` and
    `day_ends` the times between which `quota_left` does not change, in seconds since 1970. `policy` is the header
    `RateLimit-Policy`, `form` the header `RateLimit` with places for its numbers, until `form_until`. `remaining` are
    its calls left when they were checked last.
    """

    account: Account
    plan: Plan
    today: date
    period: Period
    quota: int | None
    ends: float
    settled_at: float
    day_ends: float
    policy: tuple[str, str]
    quota_left: int
    remaining: int = 0
    form: str = ""
    form_until: float = 0.0

    def shown(self, left: int, level: float | None, now: float) -> str:
        """Return the value of the header `RateLimit`, for so many calls left and a bucket filled so far, if any.

        The seconds until the period ends are worked out once a second.
        """
        if not self.form_until - 1 <= now < self.form_until:
            self._renew_form(now)
        plan = self.plan
        if level is None or plan.rate is None or plan.burst is None:
            return self.form % left if self.quota is not None else ""
        whole, full_in = max(0, int(level)), max(0, ceil((plan.burst - level) / plan.rate))
        return self.form % ((whole, full_in) if self.quota is None else (left, whole, full_in))

    def _renew_form(self, now: float) -> None:
        seconds = ceil(self.ends - now)
        quota = [] if self.quota is None else [f'"quota";r=%d;t={max(0, seconds)}']
        rate = [] if self.plan.rate is None or self.plan.burst is None else ['"rate";r=%d;t=%d']
        self.form, self.form_until = ", ".join([*quota, *rate]), self.ends - seconds + 1


def build_day_limits(account: Account, plan: Plan, today: date) -> DayLimits:
    """Work out the limits of an account on a day, but for the calls that it has left."""
    period = period_of(account.anchor_day, today)
    quota = quota_of(plan, account, period)
    end = datetime.combine(period.end + _DAY, datetime.min.time(), UTC)
    seconds = ((period.end - period.start).days + 1) * SECONDS_A_DAY
    policies = [] if quota is None else [f'"quota";q={quota};w={seconds}']
    if plan.rate is not None and plan.burst is not None:
        policies.append(f'"rate";q={plan.burst};w={round(plan.burst / plan.rate) or 1}')
    begins = datetime.combine(today, datetime.min.time(), UTC).timestamp()
    return DayLimits(
        account=account,
        plan=plan,
        today=today,
        period=period,
        quota=quota,
        ends=end.timestamp(),
        settled_at=begins + _LATE_SECONDS,
        day_ends=begins + SECONDS_A_DAY,
        policy=("RateLimit-Policy", ", ".join(policies)),
        quota_left=0,
    )


def is_jump(before: float, now: float) -> bool:
    """Return whether the clock was set between two moments that are a tenth of a second apart."""
    return not 0 <= now - before < _JUMP_SECONDS

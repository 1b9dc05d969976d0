"""Billing: what a connection to the stream costs."""

from __future__ import annotations

from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.errors import QuotaSpent
from cambist.stream.rejection import Rejection

USAGE_LABEL = "stream"
"""The name of the stream in usage records, in the place of an endpoint's path."""


class Billing:
    """Charges accounts for the minutes of their connections."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def charge_minute(self, principal: Principal, now: float) -> Rejection | None:
        """Charge the minute that begins `now`, in seconds since 1970; return a rejection if the quota is spent."""
        cost = principal.plan.stream_calls_a_minute
        try:
            if cost:
                self._meter.check_quota(principal, cost, now, "a minute of the stream")
        except QuotaSpent as spent:
            return Rejection(429, str(spent))
        self._meter.spend(principal, USAGE_LABEL, cost, now)
        return None

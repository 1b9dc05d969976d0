"""Billing: what a connection to the stream costs."""

from __future__ import annotations

from cambist.accounts.meter import Meter
from cambist.accounts.principal import Principal
from cambist.accounts.would_block import WouldBlock
from cambist.errors import QuotaSpent, QuotaUnknown
from cambist.stream.rejection import Rejection

USAGE_LABEL = "stream"
"""The name of the stream in usage records, in the place of an endpoint's path."""


MINUTE = 60.0
_LONGEST_WAIT = 5.0
_UNKNOWN = "How many calls the account has left could not be found out in time"


class Billing:
    """Charges accounts for the minutes of their connections."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def charge_minute(self, principal: Principal, due: float, now: float) -> float | Rejection:
        """Charge a minute that was `due`, in seconds since 1970; return when the next is due.

        A minute whose quota is being asked for is charged a little later: it is due again. Return a rejection if the
        quota is spent, or cannot be known.
        """
        cost = principal.plan.stream_calls_a_minute
        try:
            self._meter.admit(principal, USAGE_LABEL, cost, now, "a minute of the stream", is_rate_checked=True)
        except QuotaSpent as spent:
            return Rejection(429, str(spent))
        except QuotaUnknown as unknown:
            return Rejection(503, str(unknown))
        except WouldBlock:
            return due if now - due < _LONGEST_WAIT else Rejection(503, _UNKNOWN)
        was_asleep = now >= due + MINUTE  # minutes in which the machine was asleep cost nothing
        return (now if was_asleep else due) + MINUTE

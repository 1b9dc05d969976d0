"""The calls of one's own account: `/usage`."""

from __future__ import annotations

import datetime as dt

from msgspec import Struct

from cambist.client.answers import Answer
from cambist.client.call import Call


class CurrentPeriod(Struct, frozen=True, kw_only=True):
    """The current period, `end` inclusive; `remaining_quota` is None without a quota."""

    start: dt.date
    end: dt.date
    remaining_quota: int | None
    usage: int


class UsageResponse(Answer, frozen=True, kw_only=True):
    """The calls of the last fifteen days, oldest first; the quota, None without one; the current period."""

    usage: dict[dt.date, int]
    monthly_quota: int | None
    current_period: CurrentPeriod


def usage() -> Call[UsageResponse]:
    """Return how many calls the account has made."""
    return Call("/usage", UsageResponse, {})

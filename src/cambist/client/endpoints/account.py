"""The calls of one's own account: `/usage`."""

from __future__ import annotations

import datetime as dt

from msgspec import Struct

from cambist.client.answers import Answer
from cambist.client.call import Call


class CurrentPeriod(Struct, frozen=True, kw_only=True):
    """The current period, `end` inclusive; `remaining_quota` is 9007199254740991 without a quota."""

    start: dt.date
    end: dt.date
    remaining_quota: int
    usage: int


class UsageResponse(Answer, frozen=True, kw_only=True):
    """The calls of the last fifteen days, oldest first; the quota; the current period.

    Without a quota it is `unlimited`, and `monthly_quota` is 9007199254740991.
    """

    usage: dict[dt.date, int]
    monthly_quota: int
    current_period: CurrentPeriod
    unlimited: bool = False


def usage() -> Call[UsageResponse]:
    """Return how many calls the account has made."""
    return Call("/usage", UsageResponse, {})

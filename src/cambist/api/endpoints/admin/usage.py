"""`GET /usage`: the calls that the account has spent and has left."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from cambist.api.endpoint import Endpoint
from cambist.api.parameters import NoParameters
from cambist.api.request_context import RequestContext

Calls = Annotated[int, Meta(ge=0)]


class CurrentPeriod(Struct, frozen=True):
    """The current period, `end` inclusive; `remaining_quota` is null without a quota."""

    start: date
    end: date
    remaining_quota: Calls | None
    usage: Calls


class UsageResponse(Struct, frozen=True):
    """The calls of the last fifteen days, oldest first; the quota, null without one; the current period."""

    usage: dict[str, Calls]
    monthly_quota: Calls | None
    current_period: CurrentPeriod


def answer(context: RequestContext, _params: NoParameters) -> UsageResponse:
    """Return the calls that the account has spent. This call is not yet included."""
    record = context.usage
    if record is None:
        raise TypeError("a personal endpoint needs the usage of the account")
    return UsageResponse(
        usage={day.isoformat(): calls for day, calls in record.by_day.items()},
        monthly_quota=record.quota,
        current_period=CurrentPeriod(
            start=record.period.start,
            end=record.period.end,
            remaining_quota=record.remaining,
            usage=record.used,
        ),
    )


endpoint: Endpoint[NoParameters, UsageResponse] = Endpoint(
    path="/usage",
    tag="admin",
    summary="Calls spent and left",
    params=NoParameters,
    body=UsageResponse,
    answer=answer,
    personal=True,
)

"""`GET /usage`: the calls that the account has spent and has left."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from cambist.accounts.usage import UsageRecord
from cambist.api.answer.answer_table import COUNT, DATE, AnswerTable, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.parameters import NoParameters

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
    record = _record(context)
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


def table(context: RequestContext, _params: NoParameters) -> AnswerTable:
    """Return a row for each day."""
    rows = [(day.isoformat(), calls) for day, calls in _record(context).by_day.items()]
    return AnswerTable((Column("date", DATE), Column("calls", COUNT)), rows)


def _record(context: RequestContext) -> UsageRecord:
    if context.usage is None:
        raise TypeError("a personal endpoint needs the usage of the account")
    return context.usage


endpoint: Endpoint[NoParameters, UsageResponse] = Endpoint(
    path="/usage",
    tag="admin",
    summary="Calls spent and left",
    params=NoParameters,
    body=UsageResponse,
    answer=answer,
    table=table,
    personal=True,
)

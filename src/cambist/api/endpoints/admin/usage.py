"""`GET /usage`: the calls that the account has spent and has left."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.accounts.usage import UsageRecord
from cambist.api.answer.answer_table import COUNT, DATE, AnswerTable, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.parameters import NoParameters

NO_QUOTA = 2**53 - 1
"""What the numbers of a quota are without one: the largest integer that every client of JSON can read."""

Calls = Annotated[int, Meta(ge=0)]


class CurrentPeriod(Struct, frozen=True):
    """The current period, `end` inclusive; without a quota `remaining_quota` is 9007199254740991."""

    start: date
    end: date
    remaining_quota: Calls
    usage: Calls


class UsageResponse(Struct, frozen=True):
    """The calls of the last fifteen days, oldest first; the quota; the current period.

    Without a quota `monthly_quota` is 9007199254740991, and `unlimited` is there and true.
    """

    usage: dict[str, Calls]
    monthly_quota: Calls
    current_period: CurrentPeriod
    unlimited: bool | UnsetType = UNSET


def answer(context: RequestContext, _params: NoParameters) -> UsageResponse:
    """Return the calls that the account has spent. This call is not yet included."""
    record = _record(context)
    return UsageResponse(
        usage={day.isoformat(): calls for day, calls in record.by_day.items()},
        monthly_quota=NO_QUOTA if record.quota is None else record.quota,
        current_period=CurrentPeriod(
            start=record.period.start,
            end=record.period.end,
            remaining_quota=NO_QUOTA if record.remaining is None else record.remaining,
            usage=record.used,
        ),
        unlimited=UNSET if record.quota is not None else True,
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

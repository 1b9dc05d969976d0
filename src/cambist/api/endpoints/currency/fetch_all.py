"""`GET /fetch-all`: rates from one currency to all others."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from cambist.api.answer.answer_table import AnswerTable, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Rates, rates
from cambist.api.answer.request_context import RequestContext, Updated
from cambist.api.bodies.rate_columns import RATE_COLUMNS
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.symbol_parameters import code
from cambist.pricing.cross_rates import listed_midpoints
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT


class FetchAllParams(FreshnessParameters, frozen=True, kw_only=True):
    """A source."""

    base: Annotated[str, code("from", "source", default=PIVOT, description="Source, USD if left out.", example="EUR")]


class FetchAllResponse(Struct, frozen=True):
    """Rates by code."""

    base: str
    results: Rates
    updated: Updated


def answer(context: RequestContext, params: FetchAllParams) -> FetchAllResponse:
    """Return the rates from one currency to all that have a rate now, including itself."""
    found = listed_midpoints(context.book, params.base)
    return FetchAllResponse(
        base=params.base,
        results=rates(found.quotes, found.values),
        updated=context.updated(found.as_of, params.max_age),
    )


def table(context: RequestContext, params: FetchAllParams) -> AnswerTable:
    """Return a row for each rate."""
    found = listed_midpoints(context.book, params.base)
    updated = context.updated(found.as_of, params.max_age)
    rows = [
        (updated, params.base, code, plain_float(rate)) for code, rate in zip(found.quotes, found.values, strict=True)
    ]
    return AnswerTable((Column("updated"), *RATE_COLUMNS), rows)


endpoint: Endpoint[FetchAllParams, FetchAllResponse] = Endpoint(
    path="/fetch-all",
    tag="currency",
    summary="All rates from one currency",
    params=FetchAllParams,
    body=FetchAllResponse,
    answer=answer,
    table=table,
)

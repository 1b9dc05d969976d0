"""`GET /fetch-many-to-one`: rates from several currencies to one."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Rates, rates
from cambist.api.answer.request_context import RequestContext, Updated
from cambist.api.bodies.agreement import Agreed, agreed_now
from cambist.api.bodies.partial import AgreedListParameters, Unavailable, select_priced
from cambist.api.questions.symbol_parameters import code, codes
from cambist.pricing.cross_rates import midpoints
from cambist.pricing.pair import PIVOT


class FetchManyToOneParams(AgreedListParameters, frozen=True, kw_only=True):
    """A list of sources and one target."""

    bases: Annotated[tuple[str, ...], codes("from", "source", description="Sources.", example="USD,JPY,GBP")]
    quote: Annotated[str, code("to", "target", empty=PIVOT, description="Target, USD if empty.", example="EUR")]


class FetchManyToOneResponse(Struct, frozen=True, rename={"quote": "to", "results": "from"}):
    """Rates by source, in the order of the request."""

    quote: str
    results: Rates
    updated: Updated
    calls: int
    agreement: Agreed = UNSET
    unavailable: Unavailable = UNSET


def cost(context: RequestContext, params: FetchManyToOneParams) -> int:
    """One call for each rate in the answer."""
    return len(select_priced(context, params.bases, params)[0])


def answer(context: RequestContext, params: FetchManyToOneParams) -> FetchManyToOneResponse:
    """Return the rates from each of several currencies to one."""
    bases, unavailable = select_priced(context, params.bases, params)
    agreed = agreed_now(context, (*bases, params.quote), params.min_sources)
    found = midpoints(context.book, bases, [params.quote])
    return FetchManyToOneResponse(
        quote=params.quote,
        results=rates(bases, found.values),
        updated=context.updated(found.as_of, params.max_age),
        calls=len(bases),
        agreement=agreed,
        unavailable=unavailable,
    )


endpoint: Endpoint[FetchManyToOneParams, FetchManyToOneResponse] = Endpoint(
    path="/fetch-many-to-one",
    tag="currency",
    summary="Several rates to one currency",
    params=FetchManyToOneParams,
    body=FetchManyToOneResponse,
    answer=answer,
    cost=cost,
)

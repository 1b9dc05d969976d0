"""`GET /fetch-multi`: rates from one currency to several."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct

from cambist.api.endpoint import Endpoint
from cambist.api.partial import LiveListParameters, Unavailable, select_priced
from cambist.api.rendering import Rates, rates
from cambist.api.request_context import RequestContext, Updated
from cambist.api.symbol_parameters import MONEY_AND_METALS, code, codes
from cambist.pricing.cross_rates import midpoints
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import METALS


class FetchMultiParams(LiveListParameters, frozen=True, kw_only=True):
    """One source and a list of targets."""

    base: Annotated[
        str,
        code(
            "from",
            "source",
            MONEY_AND_METALS,
            default=PIVOT,
            description="Source, USD if left out: a currency or a metal.",
            example="EUR",
        ),
    ]
    quotes: Annotated[
        tuple[str, ...],
        codes("to", "target", MONEY_AND_METALS, description="Targets: currencies or metals.", example="USD,JPY,GBP"),
    ]


class FetchMultiResponse(Struct, frozen=True):
    """Rates in the order of the request."""

    base: str
    results: Rates
    updated: Updated
    unavailable: Unavailable = UNSET


def cost(context: RequestContext, params: FetchMultiParams) -> int:
    """One call; from a metal one more for each target, and another for each target other than USD and itself."""
    if params.base not in METALS:
        return 1
    quotes, _ = select_priced(context, params.quotes, params)
    return 1 + len(quotes) + sum(quote not in (PIVOT, params.base) for quote in quotes)


def answer(context: RequestContext, params: FetchMultiParams) -> FetchMultiResponse:
    """Return the rates from one currency or metal to each of several.

    Precious metals are priced by the troy ounce, base metals by the tonne.
    """
    quotes, unavailable = select_priced(context, params.quotes, params)
    context.check_fresh((params.base, *quotes))
    found = midpoints(context.book, [params.base], quotes)
    return FetchMultiResponse(
        base=params.base,
        results=rates(quotes, found.values),
        updated=context.updated(found.as_of, params.max_age),
        unavailable=unavailable,
    )


endpoint: Endpoint[FetchMultiParams, FetchMultiResponse] = Endpoint(
    path="/fetch-multi",
    tag="currency",
    summary="Several rates from one currency",
    params=FetchMultiParams,
    body=FetchMultiResponse,
    answer=answer,
    cost=cost,
)

"""`GET /fetch-one`: a single midpoint rate."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Rates, rates
from cambist.api.answer.request_context import RequestContext, Updated
from cambist.api.bodies.agreement import Agreed, agreed_now
from cambist.api.bodies.typed_rates import TypedRates
from cambist.api.questions.agreement_parameters import MinSources, RateTypeName
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.symbol_parameters import asset
from cambist.errors import BadParameter
from cambist.pricing.cross_rates import check_crossable, midpoint
from cambist.pricing.pair import PIVOT, Pair


class FetchOneParams(FreshnessParameters, frozen=True, kw_only=True):
    """A source and a target; one of them may be left out."""

    base: Annotated[
        str | None,
        asset(
            "from",
            "source",
            default=None,
            description="Source, USD if left out: a currency, a metal or a coin.",
            example="EUR",
        ),
    ]
    quote: Annotated[
        str | None,
        asset(
            "to",
            "target",
            default=None,
            description="Target, USD if empty: a currency, a metal or a coin.",
            example="USD",
        ),
    ]
    min_sources: MinSources = None
    rate_type: RateTypeName = None


class FetchOneResponse(Struct, frozen=True):
    """One rate."""

    base: str
    result: Rates
    updated: Updated
    agreement: Agreed = UNSET


def answer(context: RequestContext, params: FetchOneParams) -> FetchOneResponse:
    """Return the rate between two currencies, metals or coins.

    Either side may be left out and is then the US dollar; without both the request is refused (400).

    Precious metals are priced by the troy ounce, base metals by the tonne. Coins are not priced in metals.

    With `rate_type` it is the newest fixing of that type, crossed with the current rate of the other side.
    """
    if params.base is None and params.quote is None:
        raise BadParameter("Missing parameter: [to], such as to=EUR")
    pair = Pair(params.base or PIVOT, params.quote or PIVOT)
    check_crossable(pair.base, pair.quote)
    context.check_fresh((pair.base, pair.quote), params.max_age)
    if params.rate_type is not None:
        return _of_type(context, pair, params.rate_type, params)
    agreed = agreed_now(context, (pair.base, pair.quote), params.min_sources)
    rate = midpoint(context.book, pair)
    return FetchOneResponse(
        base=pair.base,
        result=rates([pair.quote], [rate.value]),
        updated=context.updated(rate.as_of, params.max_age),
        agreement=agreed,
    )


def _of_type(context: RequestContext, pair: Pair, rate_type: str, params: FetchOneParams) -> FetchOneResponse:
    codes = (pair.base, pair.quote)
    typed = TypedRates(context, rate_type, codes)
    rate = typed.rate(*codes)
    return FetchOneResponse(
        base=pair.base,
        result=rates([pair.quote], [rate]),
        updated=context.updated(typed.as_of(*codes), params.max_age),
        agreement=typed.agreements(codes, params.min_sources),
    )


endpoint: Endpoint[FetchOneParams, FetchOneResponse] = Endpoint(
    path="/fetch-one",
    tag="currency",
    summary="One rate",
    params=FetchOneParams,
    body=FetchOneResponse,
    answer=answer,
)

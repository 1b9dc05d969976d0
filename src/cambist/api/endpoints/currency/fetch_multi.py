"""`GET /fetch-multi`: rates from one currency to several."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Rates, rates
from cambist.api.answer.request_context import RequestContext, Updated
from cambist.api.bodies.agreement import Agreed, agreed_now
from cambist.api.bodies.partial import AgreedListParameters, Unavailable, answer_each, select_priced
from cambist.api.bodies.typed_rates import TypedRates
from cambist.api.questions.agreement_parameters import RateTypeName
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Codes, code, codes
from cambist.pricing.cross_rates import midpoints
from cambist.pricing.metals.instrument import crosses
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import METALS


class FetchMultiParams(AgreedListParameters, frozen=True, kw_only=True):
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
    rate_type: RateTypeName = None


class FetchMultiResponse(Struct, frozen=True):
    """Rates in the order of the request."""

    base: str
    results: Rates
    updated: Updated
    agreement: Agreed = UNSET
    unavailable: Unavailable = UNSET


def cost(context: RequestContext, params: FetchMultiParams) -> int:
    """One call; from a metal one more for each target, and another for each that it has no instrument in."""
    if params.base not in METALS:
        return 1
    quotes, _ = select_priced(context, params.quotes, params)
    return 1 + len(quotes) + crosses(context.book, params.base, quotes)


def answer(context: RequestContext, params: FetchMultiParams) -> FetchMultiResponse:
    """Return the rates from one currency or metal to each of several.

    Precious metals are priced by the troy ounce, base metals by the tonne.

    With `rate_type` they are the newest fixings of that type, crossed with the current rate of the source.
    """
    if params.rate_type is not None:
        return _of_type(context, params.rate_type, params)
    quotes, unavailable = select_priced(context, params.quotes, params)
    context.check_fresh((params.base, *quotes), params.max_age)
    agreed = agreed_now(context, (params.base, *quotes), params.min_sources)
    found = midpoints(context.book, [params.base], quotes)
    return FetchMultiResponse(
        base=params.base,
        results=rates(quotes, found.values),
        updated=context.updated(found.as_of, params.max_age),
        agreement=agreed,
        unavailable=unavailable,
    )


def _of_type(context: RequestContext, rate_type: str, params: FetchMultiParams) -> FetchMultiResponse:
    typed = TypedRates(context, rate_type, (params.base, *params.quotes))
    unknown = params.quotes.unknown if isinstance(params.quotes, Codes) else ()
    found, unavailable = answer_each(
        params.quotes, lambda quote: typed.rate(params.base, quote), partial=params.partial, unknown=unknown
    )
    return FetchMultiResponse(
        base=params.base,
        results=rates([*found], found.values()),
        updated=context.updated(min(typed.as_of(params.base, quote) for quote in found), params.max_age),
        agreement=typed.agreements((params.base, *found), params.min_sources),
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

"""`GET /fetch-matrix`: rates from each of several currencies to each of several others."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import RatesByCode, matrix
from cambist.api.answer.request_context import RequestContext, Updated
from cambist.api.bodies.agreement import Agreed, agreed_now
from cambist.api.bodies.partial import AgreedListParameters, Unavailable, select_priced
from cambist.api.questions.symbol_parameters import codes
from cambist.errors import BadParameter
from cambist.pricing.cross_rates import midpoints

MAX_PAIRS = 10_000


class FetchMatrixParams(AgreedListParameters, frozen=True, kw_only=True):
    """A list of sources and a list of targets."""

    bases: Annotated[tuple[str, ...], codes("from", "source", description="Sources.", example="USD,EUR")]
    quotes: Annotated[tuple[str, ...], codes("to", "target", description="Targets.", example="JPY,GBP")]


class FetchMatrixResponse(Struct, frozen=True, rename={"bases": "from", "quotes": "to"}):
    """Rates by source and target, both in the order of the request."""

    bases: tuple[str, ...]
    quotes: tuple[str, ...]
    matrix: RatesByCode
    updated: Updated
    calls: int
    agreement: Agreed = UNSET
    unavailable: Unavailable = UNSET


def cost(context: RequestContext, params: FetchMatrixParams) -> int:
    """One call for each rate in the answer, also if source and target are the same."""
    (bases, quotes), _ = context.once(_sides, params)
    return len(bases) * len(quotes)


def answer(context: RequestContext, params: FetchMatrixParams) -> FetchMatrixResponse:
    """Return every rate between two lists of currencies, at most 10,000."""
    calls = len(params.bases) * len(params.quotes)
    if calls > MAX_PAIRS:
        raise BadParameter(f"Too many pairs in [from] x [to]: [{calls}], at most {MAX_PAIRS}")
    (bases, quotes), unavailable = context.once(_sides, params)
    agreed = agreed_now(context, (*bases, *quotes), params.min_sources)
    found = midpoints(context.book, bases, quotes)
    return FetchMatrixResponse(
        bases=bases,
        quotes=quotes,
        matrix=matrix(bases, quotes, found.values),
        updated=context.updated(found.as_of, params.max_age),
        calls=len(bases) * len(quotes),
        agreement=agreed,
        unavailable=unavailable,
    )


def _sides(
    context: RequestContext, params: FetchMatrixParams
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], list[str] | UnsetType]:
    bases, missing = select_priced(context, params.bases, params)
    quotes, also_missing = select_priced(context, params.quotes, params)
    if missing is UNSET or also_missing is UNSET:
        return (bases, quotes), UNSET
    return (bases, quotes), list(dict.fromkeys([*missing, *also_missing]))


endpoint: Endpoint[FetchMatrixParams, FetchMatrixResponse] = Endpoint(
    path="/fetch-matrix",
    tag="currency",
    summary="Every rate between two lists of currencies",
    params=FetchMatrixParams,
    body=FetchMatrixResponse,
    answer=answer,
    cost=cost,
)

"""The tool `rate`: one rate, now or on a past day."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated

from msgspec import Meta

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency import convert, fetch_one
from cambist.api.faces.mcp.origin import OriginBody, exact, origin, origin_words, unit_words
from cambist.api.faces.mcp.tool import Question, Tool
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.parameter_types import day, not_after_today
from cambist.api.questions.symbol_parameters import asset
from cambist.pricing.pair import PIVOT, Pair


class RateArguments(FreshnessParameters, frozen=True, kw_only=True):
    """A pair, now or on a day."""

    base: Annotated[
        str, asset("from", "source", default=PIVOT, description="Source: a currency, a coin or a metal.", example="EUR")
    ]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a coin or a metal.", example="USD")]
    day: Annotated[date | None, day("date", default=None, description="The day, UTC; now if left out.")]


class RateBody(OriginBody, frozen=True, kw_only=True, rename={"base": "from", "quote": "to"}):
    """What one unit of `from` is worth in `to`. A metal is priced by the troy ounce, a base metal by the tonne."""

    base: str
    quote: str
    rate: Annotated[str, Meta(description="A decimal with all its digits.")]


def question(params: RateArguments) -> tuple[Question, str]:
    """Return what is asked at which endpoint, and under which name its answer has the rate."""
    if params.day is None:
        asked = fetch_one.FetchOneParams(base=params.base, quote=params.quote, max_age=params.max_age)
        return (fetch_one.endpoint, asked), params.quote
    one = convert.ConvertParams(
        base=params.base, quote=params.quote, amount=Decimal(1), day=params.day, precision=2, max_age=params.max_age
    )
    return (convert.endpoint, one), "rate"


def answer(context: RequestContext, params: RateArguments) -> RateBody:
    """Return the rate of `/fetch-one`, or of a past day that of `/convert`."""
    (endpoint, asked), name = question(params)
    found = endpoint.answer(context, asked)
    on = None if params.day is None else not_after_today("date", params.day, context.today)
    pair = Pair(params.base, params.quote)
    rate = exact(found.result)[name]
    return RateBody(base=pair.base, quote=pair.quote, rate=rate, **origin(context, pair, on))


def sentence(body: RateBody) -> str:
    """Return the rate in words."""
    return f"{unit_words(body.base)} = {body.rate} {body.quote}{origin_words(body, Pair(body.base, body.quote))}"


tool: Tool[RateArguments, RateBody] = Tool(
    name="rate",
    title="Exchange rate",
    description=(
        "The midpoint rate between two currencies, coins or metals, now or at the end of a past day, with its date, "
        "its age and its sources. Costs one call."
    ),
    params=RateArguments,
    body=RateBody,
    question=lambda params: question(params)[0],
    answer=answer,
    sentence=sentence,
)

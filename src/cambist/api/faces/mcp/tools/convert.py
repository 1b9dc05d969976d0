"""The tool `convert`: an amount in another currency."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.convert import AnyAmountParams, endpoint
from cambist.api.faces.mcp.origin import OriginBody, exact, origin, origin_words
from cambist.api.faces.mcp.tool import Tool
from cambist.api.questions.parameter_types import not_after_today
from cambist.pricing.number_format import trimmed
from cambist.pricing.pair import Pair


class ConversionBody(OriginBody, frozen=True, kw_only=True, rename={"base": "from", "quote": "to"}):
    """An amount of `from`, the `result` in `to`, and the rate. The result and the rate are each rounded once."""

    base: str
    quote: str
    amount: Annotated[str, Meta(description="The amount, a decimal.")]
    result: Annotated[str, Meta(description="The converted amount, a decimal.")]
    rate: Annotated[str, Meta(description="A decimal with all its digits.")]


def answer(context: RequestContext, params: AnyAmountParams) -> ConversionBody:
    """Return the answer of `/convert`."""
    found = exact(endpoint.answer(context, params).result)
    on = None if params.day is None else not_after_today("date", params.day, context.today)
    pair = Pair(params.base, params.quote)
    return ConversionBody(
        base=pair.base,
        quote=pair.quote,
        amount=trimmed(params.amount),
        result=found[pair.quote],
        rate=found["rate"],
        **origin(context, pair, on),
    )


def sentence(body: ConversionBody) -> str:
    """Return the conversion in words."""
    ending = origin_words(body, Pair(body.base, body.quote))
    return f"{body.amount} {body.base} = {body.result} {body.quote} at the rate {body.rate}{ending}"


tool: Tool[AnyAmountParams, ConversionBody] = Tool(
    name="convert",
    title="Convert an amount",
    description=(
        "An amount in another currency, coin or metal, at the rate of now or of a past day, with the date, age and "
        "sources of the rate. Costs one call."
    ),
    params=AnyAmountParams,
    body=ConversionBody,
    question=lambda params: (endpoint, params),
    answer=answer,
    sentence=sentence,
)

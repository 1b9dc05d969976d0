"""The tool `metal_price`: the price of a weight of a metal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.metals.spot import MetalsSpotParams, endpoint
from cambist.api.faces.mcp.origin import MAX_SOURCES, OriginBody, origin_words
from cambist.api.faces.mcp.tool import Tool


class MetalPriceBody(OriginBody, frozen=True, kw_only=True):
    """The price of one unit of mass. `mid` is exactly between `bid` and `ask`; all are decimals."""

    metal: str
    metal_name: str | UnsetType
    currency: str
    unit: str
    unit_name: str | UnsetType
    bid: str
    ask: str
    mid: str
    spread: str
    crossed: Annotated[bool, Meta(description="Whether it was crossed through the US dollar.")]
    purity: Annotated[str | UnsetType, Meta(description="Of precious metals; a code, or parts per thousand.")] = UNSET
    grade_name: Annotated[str | UnsetType, Meta(description="The contract grade of base metals.")] = UNSET


def answer(context: RequestContext, params: MetalsSpotParams) -> MetalPriceBody:
    """Return the answer of `/metals/spot`."""
    found = endpoint.answer(context, replace(params, verbose=True))
    as_of = datetime.fromtimestamp(found.tsp / 1000, UTC)
    return MetalPriceBody(
        metal=found.metal,
        metal_name=found.metal_name,
        currency=found.currency,
        unit=found.unit,
        unit_name=found.unit_name,
        bid=found.bid,
        ask=found.ask,
        mid=found.mid,
        spread=found.spread,
        crossed=found.cross_rate,
        purity=found.purity,
        grade_name=found.grade_name,
        sources=found.source.split("; ")[:MAX_SOURCES],
        as_of=f"{as_of:%Y-%m-%dT%H:%M:%SZ}",
        age_seconds=max(int((context.now - as_of).total_seconds()), 0),
    )


def sentence(body: MetalPriceBody) -> str:
    """Return the price in words."""
    purity = f", purity {body.purity}" if isinstance(body.purity, str) else ""
    return (
        f"1 {str(body.unit_name).lower()} of {str(body.metal_name).lower()} ({body.metal}{purity}) = {body.mid} "
        f"{body.currency}, bid {body.bid}, ask {body.ask},{origin_words(body)}"
    )


tool: Tool[MetalsSpotParams, MetalPriceBody] = Tool(
    name="metal_price",
    title="Price of a metal",
    description=(
        "The bid, ask and mid price of a unit of mass of a precious or base metal in a currency, by purity, with its "
        "age and source. Costs one call; two if it has to be crossed through the US dollar."
    ),
    params=MetalsSpotParams,
    body=MetalPriceBody,
    question=lambda params: (endpoint, params),
    answer=answer,
    sentence=sentence,
    left_out=("verbose",),
    tags=("metals",),
)

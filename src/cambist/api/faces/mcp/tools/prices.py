"""The tool `prices`: one price in many currencies, marked up and rounded as shops do it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.price_list import PriceListParams, endpoint
from cambist.api.faces.mcp.tool import Tool, ToolBody
from cambist.errors import BadParameter

MAX_TARGETS = 12


class PriceBody(Struct, frozen=True, kw_only=True):
    """A price, which is its cost at the rate, the mark-up and the rounding. All are decimals."""

    price: str
    cost: str
    rate: str
    below_cost: bool


class PricesBody(ToolBody, frozen=True, kw_only=True, rename={"base": "from"}):
    """The prices by currency."""

    base: str
    amount: str
    prices: Annotated[dict[str, PriceBody], Meta(description="By code.")]


def asked(params: PriceListParams) -> PriceListParams:
    """Return what is asked at the endpoint. Errors: BadParameter."""
    if len(params.quotes) > MAX_TARGETS:
        raise BadParameter(f"Invalid to: [{len(params.quotes)}] targets, it takes {MAX_TARGETS} at most")
    return params


def answer(context: RequestContext, params: PriceListParams) -> PricesBody:
    """Return the answer of `/price-list`."""
    found = endpoint.answer(context, asked(params))
    prices = {
        code: PriceBody(
            price=bytes(each.price).decode(),
            cost=bytes(each.cost).decode(),
            rate=bytes(each.rate).decode(),
            below_cost=each.below_cost,
        )
        for code, each in found.prices.items()
    }
    return PricesBody(base=found.base, amount=bytes(found.amount).decode(), prices=prices)


def sentence(body: PricesBody) -> str:
    """Return the prices in words."""
    listed = ", ".join(
        f"{each.price} {code} (cost {each.cost}{', below cost' if each.below_cost else ''})"
        for code, each in body.prices.items()
    )
    return f"{body.amount} {body.base} is priced {listed}."


tool: Tool[PriceListParams, PricesBody] = Tool(
    name="prices",
    title="A price in many currencies",
    description=(
        "One price in other currencies, with a mark-up and rounded as shops do it, and what it costs at the rate. Each "
        "currency costs one call."
    ),
    params=PriceListParams,
    body=PricesBody,
    question=lambda params: (endpoint, asked(params)),
    answer=answer,
    sentence=sentence,
    left_out=("partial",),
)

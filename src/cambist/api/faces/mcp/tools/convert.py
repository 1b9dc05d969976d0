"""The tool `convert`: an amount in another currency."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.convert import ConvertParams, endpoint
from cambist.api.faces.mcp.origin import OriginBody, exact, origin, origin_words
from cambist.api.faces.mcp.tool import Tool
from cambist.api.questions.amounts import MAX_DECIMAL_PLACES, decimal_places
from cambist.api.questions.parameter_types import not_after_today
from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten
from cambist.pricing.number_format import trimmed
from cambist.pricing.pair import Pair

_AMOUNT = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
_MAX_EXPONENT = 308
_DECIMALS, _DIGITS = 2, 4
"""How many decimals a result has; one that would be less than the last of them has so many digits instead."""


def _parse_amount(name: str, text: str) -> Decimal:
    value = Decimal(text) if _AMOUNT.fullmatch(text) else Decimal(0)
    if not value or abs(value.adjusted()) > _MAX_EXPONENT:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes a decimal above 0, such as 1234.56 or 1.5E7")
    return value


class ConvertArguments(ConvertParams, frozen=True, kw_only=True):
    """An amount of any size; without `precision` the result of a small one has more decimals."""

    amount: Annotated[
        Decimal, Param("amount", _parse_amount, "Above 0, of any size, any number of digits.", {"type": "string"})
    ]
    precision: Annotated[
        int | None,
        decimal_places(
            "precision", default=None, description=f"Decimals of the result: {_DECIMALS}, or more if it is small."
        ),
    ]  # type: ignore[assignment]  # the endpoint has a number


class ConversionBody(OriginBody, frozen=True, kw_only=True, rename={"base": "from", "quote": "to"}):
    """An amount of `from`, the `result` in `to`, and the rate. The result and the rate are each rounded once."""

    base: str
    quote: str
    amount: Annotated[str, Meta(description="The amount, a decimal.")]
    result: Annotated[str, Meta(description="The converted amount, a decimal.")]
    rate: Annotated[str, Meta(description="A decimal with all its digits.")]


def asked(params: ConvertArguments, precision: int = _DECIMALS) -> ConvertParams:
    """Return what is asked at the endpoint."""
    return replace(params, precision=precision) if params.precision is None else params


def _converted(context: RequestContext, params: ConvertArguments) -> dict[str, str]:
    """Return the result by code, and the rate."""
    found = exact(endpoint.answer(context, asked(params)).result)
    value = params.amount * Decimal(found["rate"])
    if params.precision is None and value.adjusted() < -_DECIMALS:
        precision = min(_DIGITS - 1 - value.adjusted(), MAX_DECIMAL_PLACES)
        found = exact(endpoint.answer(context, asked(params, precision)).result)
    return found


def answer(context: RequestContext, params: ConvertArguments) -> ConversionBody:
    """Return the answer of `/convert`."""
    found = _converted(context, params)
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


tool: Tool[ConvertArguments, ConversionBody] = Tool(
    name="convert",
    title="Convert an amount",
    description=(
        "An amount in another currency, coin or metal, at the rate of now or of a past day, with the date, age and "
        "sources of the rate. Costs one call."
    ),
    params=ConvertArguments,
    body=ConversionBody,
    question=lambda params: (endpoint, asked(params)),
    answer=answer,
    sentence=sentence,
)

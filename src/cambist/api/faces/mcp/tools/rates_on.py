"""The tool `rates_on`: the rates of one day."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.historical import HistoricalParams, endpoint
from cambist.api.faces.mcp.origin import (
    OriginBody,
    exact,
    fixing_words,
    origin_on,
    same_words,
    source_words,
    unit_words,
)
from cambist.api.faces.mcp.tool import Tool
from cambist.api.questions.parameter_types import day
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Codes, code, codes
from cambist.pricing.pair import PIVOT

MAX_TARGETS = 20
_MAJOR = ("USD", "EUR", "JPY", "GBP", "CNY", "CHF", "AUD", "CAD", "INR", "SGD")


class RatesOnArguments(Struct, frozen=True, kw_only=True):
    """A day, a source and some targets."""

    day: Annotated[date, day("date", description="The day, UTC.", example="2024-02-29")]
    base: Annotated[
        str, code("from", "source", MONEY_AND_METALS, default=PIVOT, description="Source: a currency or a metal.")
    ]
    quotes: Annotated[
        Codes | None,
        codes(
            "to",
            "target",
            max_count=MAX_TARGETS,
            default=None,
            description=f"Targets, up to {MAX_TARGETS}; major currencies if left out.",
        ),
    ]


class RatesOnBody(OriginBody, frozen=True, kw_only=True, rename={"base": "from"}):
    """What one unit of `from` was worth on the day, by target."""

    base: str
    rates: Annotated[dict[str, str], Meta(description="Decimals by code.")]
    unavailable: Annotated[list[str] | UnsetType, Meta(description="Targets without a rate on that day.")] = UNSET


def asked(params: RatesOnArguments) -> HistoricalParams:
    """Return what is asked at the endpoint. Errors: UnknownSymbol."""
    quotes = Codes(each for each in _MAJOR if each != params.base) if params.quotes is None else params.quotes
    if quotes.unknown:
        raise quotes.unknown[0]
    return HistoricalParams(day=params.day, base=params.base, quotes=quotes, verbose=False, partial=True)


def answer(context: RequestContext, params: RatesOnArguments) -> RatesOnBody:
    """Return the answer of `/historical`."""
    found = endpoint.answer(context, asked(params))
    rates = exact(found.results)
    return RatesOnBody(
        base=params.base,
        rates=rates,
        unavailable=found.unavailable or UNSET,
        day=found.day,
        **origin_on(context, params.base, rates, found.day),
    )


def sentence(body: RatesOnBody) -> str:
    """Return the rates in words."""
    listed = ", ".join(f"{rate} {code}" for code, rate in body.rates.items())
    day = body.day
    fixed = fixing_words(day, body.fixed_on) if isinstance(day, date) else ""
    missing = f" No rate: {', '.join(body.unavailable)}." if isinstance(body.unavailable, list) else ""
    if list(body.rates) == [body.base]:
        return f"{unit_words(body.base)} = {listed}{same_words(body.base)}{missing}"
    return f"{unit_words(body.base)} on {day}{fixed} = {listed}; {source_words(body.sources)}.{missing}"


tool: Tool[RatesOnArguments, RatesOnBody] = Tool(
    name="rates_on",
    title="Rates of a day",
    description=(
        f"The rates from one currency or metal to up to {MAX_TARGETS} currencies on a day, back to 1970 as far as "
        "there are any. On weekends and holidays the last fixing before is used, and named. Costs one call."
    ),
    params=RatesOnArguments,
    body=RatesOnBody,
    question=lambda params: (endpoint, asked(params)),
    answer=answer,
    sentence=sentence,
)

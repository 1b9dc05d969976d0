"""The tool `value`: what amounts of currencies, metals and coins are worth together."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Annotated

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.value import PositionQuestion, ValueQuestion, endpoint
from cambist.api.faces.mcp.tool import Tool, ToolBody
from cambist.api.questions.parameter_types import day
from cambist.api.questions.parameters import Param
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, code, split_list
from cambist.errors import BadParameter, shorten
from cambist.pricing.pair import PIVOT

MAX_POSITIONS = 12
_POSITION = re.compile(r"([-+]?[0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([A-Za-z]\w{1,11})", re.ASCII)


def _parse_positions(name: str, text: str) -> tuple[PositionQuestion, ...]:
    items = split_list(text)
    if not 1 <= len(items) <= MAX_POSITIONS:
        raise BadParameter(f"Invalid {name}: there are [{len(items)}], it takes from 1 to {MAX_POSITIONS}")
    found = []
    for item in items:
        read = _POSITION.fullmatch(item)
        if read is None:
            raise BadParameter(f"Invalid {name}: [{shorten(item)}], it takes an amount and a code, such as 2 XAU")
        found.append(PositionQuestion(asset=read[2], amount=Decimal(read[1])))
    return tuple(found)


class ValueArguments(Struct, frozen=True, kw_only=True):
    """Positions, and the currency and day of their worth."""

    positions: Annotated[
        tuple[PositionQuestion, ...],
        Param(
            "positions",
            _parse_positions,
            f"Amounts with codes, such as 2 XAU, 0.05 BTC, -300 USD; up to {MAX_POSITIONS}. Metals by the ounce.",
            {"type": "string", "pattern": "^[^,]+(,[^,]+)*$", "examples": ["2 XAU,0.05 BTC"]},
        ),
    ]
    currency: Annotated[
        str, code("currency", "target", MONEY_AND_METALS, default=PIVOT, description="Currency of the worth.")
    ]
    day: Annotated[date | None, day("date", default=None, description="Past day, UTC; now if left out.")]
    since: Annotated[date | None, day("since", default=None, description="An earlier day to compare with.")]


class ValueBody(ToolBody, frozen=True, kw_only=True):
    """The worth of each position by its place, and of all that have a rate. All are decimals."""

    currency: str
    worth: Annotated[str, Meta(description="Of all positions that have a rate.")]
    each: Annotated[list[str], Meta(description="The worth of each, in the order asked; empty without a rate.")]
    change: Annotated[str | UnsetType, Meta(description="Since the earlier day.")] = UNSET
    day: Annotated[date | UnsetType, Meta(description="The day of the worth.")] = field(default=UNSET, name="date")


def asked(params: ValueArguments) -> ValueQuestion:
    """Return what is asked at the endpoint."""
    return ValueQuestion(positions=list(params.positions), currency=params.currency, day=params.day, since=params.since)


def answer(context: RequestContext, params: ValueArguments) -> ValueBody:
    """Return the answer of `/value`, shortened."""
    found = endpoint.answer(context, asked(params))
    return ValueBody(
        currency=found.currency,
        worth=_text(found.totals.worth),
        each=[_text(each.worth) for each in found.positions],
        change=UNSET if isinstance(found.totals.change, UnsetType) else _text(found.totals.change),
        day=UNSET if found.day is None else found.day,
    )


def _text(number: Raw | UnsetType) -> str:
    return "" if isinstance(number, UnsetType) else bytes(number).decode()


def sentence(body: ValueBody) -> str:
    """Return the worth in words."""
    on = f" on {body.day}" if isinstance(body.day, date) else ""
    change = f", {body.change} more than on the earlier day" if isinstance(body.change, str) else ""
    missing = body.each.count("")
    without = f" {missing} of them {'has' if missing == 1 else 'have'} no rate." if missing else ""
    return f"Together worth {body.worth} {body.currency}{on}{change}.{without}"


tool: Tool[ValueArguments, ValueBody] = Tool(
    name="value",
    title="Worth of positions",
    description=(
        "What amounts of currencies, metals and coins are worth together, now or on a day, and how that "
        "has changed. Each asset costs one call, two with `since`."
    ),
    params=ValueArguments,
    body=ValueBody,
    question=lambda params: (endpoint, asked(params)),
    answer=answer,
    sentence=sentence,
)

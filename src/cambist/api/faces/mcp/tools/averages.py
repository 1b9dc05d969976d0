"""The tool `averages`: what a rate was over weeks, months, quarters or years."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.averages import AveragesParams, endpoint
from cambist.api.faces.mcp.origin import unit_words
from cambist.api.faces.mcp.tool import Tool, ToolBody
from cambist.api.questions.parameter_types import choice, day
from cambist.api.questions.publisher_parameters import Booking
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Codes, code
from cambist.history.averages import Span
from cambist.pricing.pair import PIVOT

MAX_PERIODS = 12
"""How many periods an answer has; of more the last."""


class AveragesArguments(Struct, frozen=True, kw_only=True):
    """A pair, the periods, and if you like an authority's rule."""

    base: Annotated[
        str, code("from", "source", MONEY_AND_METALS, default=PIVOT, description="Source: a currency or a metal.")
    ]
    quote: Annotated[str, code("to", "target", description="Target: a currency.", example="USD")]
    by: Annotated[str, choice("by", list(Span), default=Span.MONTH, description="How long each period is.")]
    start: Annotated[date, day("start", description="A day in the first period.", example="2024-01-01")]
    end: Annotated[date | None, day("end", default=None, description="A day in the last period, today if left out.")]
    booking: Booking = None


class PeriodBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A period: its mean, and if its days are known the highest, lowest and last rate. All are decimals."""

    start: date
    end: date
    mean: str
    high: str | None = None
    low: str | None = None
    close: str | None = None
    days: int = 0
    made: str | UnsetType = UNSET


class AveragesBody(ToolBody, frozen=True, kw_only=True, rename={"base": "from", "quote": "to"}):
    """The averages of a pair; `left_out` counts earlier periods."""

    base: str
    quote: str
    by: str
    periods: list[PeriodBody]
    left_out: Annotated[int, Meta(description="Earlier periods that are left out.")] = 0
    rule: Annotated[str | UnsetType, Meta(description="The rule of an authority, and its law.")] = UNSET


def asked(params: AveragesArguments) -> AveragesParams:
    """Return what is asked at the endpoint."""
    return AveragesParams(
        quotes=Codes([params.quote]), base=params.base, by=params.by, start=params.start, end=params.end,
        method="published", year_start=None, partial=False, booking=params.booking,
    )  # fmt: skip


def answer(context: RequestContext, params: AveragesArguments) -> AveragesBody:
    """Return the answer of `/averages`, of many periods the last."""
    found = endpoint.answer(context, asked(params))
    (periods,) = found.results.values()
    booking = found.booking
    rule = UNSET if isinstance(booking, UnsetType) else f"{booking.purpose} ({booking.country}), {booking.law}"
    return AveragesBody(
        base=params.base,
        quote=params.quote,
        by=params.by,
        periods=[
            PeriodBody(
                start=each.start, end=each.end, mean=bytes(each.mean).decode(), days=each.days, made=each.made,
                **{name: None if (value := getattr(each, name)) is None else bytes(value).decode()
                   for name in ("high", "low", "close")},
            )
            for each in periods[-MAX_PERIODS:]
        ],
        left_out=max(len(periods) - MAX_PERIODS, 0),
        rule=rule,
    )  # fmt: skip


def sentence(body: AveragesBody) -> str:
    """Return the means in words."""
    means = ", ".join(f"{each.mean} from {each.start} to {each.end}{_made(each)}" for each in body.periods)
    rule = f" By the rule: {body.rule}." if isinstance(body.rule, str) else ""
    more = f" {body.left_out} earlier periods are left out." if body.left_out else ""
    return f"{unit_words(body.base)} in {body.quote}, mean by {body.by}: {means}.{rule}{more}"


def _made(each: PeriodBody) -> str:
    return f" ({each.made})" if isinstance(each.made, str) else f" ({each.days} days)"


tool: Tool[AveragesArguments, AveragesBody] = Tool(
    name="averages",
    title="Averages of periods",
    description=(
        f"The mean, highest, lowest and last rate of each week, month, quarter or year, {MAX_PERIODS} periods at most. "
        "With `booking` the mean that an authority wants, such as de-vat. Costs one call."
    ),
    params=AveragesArguments,
    body=AveragesBody,
    question=lambda params: (endpoint, asked(params)),
    answer=answer,
    sentence=sentence,
    offered=("booking",),
)

"""The tool `series`: the daily rates of a period, summarised."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Annotated

from msgspec import UNSET, Meta, Struct

from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.currency.time_series import DEFAULT_DAYS, TimeSeriesParams, endpoint
from cambist.api.faces.mcp.origin import FixedOn, exact, fixing_words, origin_on, same_words, source_words, unit_words
from cambist.api.faces.mcp.tool import Tool, ToolBody
from cambist.api.questions.parameter_types import day
from cambist.api.questions.symbol_parameters import MONEY_AND_METALS, Codes, code
from cambist.pricing.number_format import half_up, plain
from cambist.pricing.pair import PIVOT

MAX_POINTS = 30
"""How many days an answer lists; of a longer period so many, evenly spread, the first and the last among them."""


class SeriesArguments(Struct, frozen=True, kw_only=True):
    """A pair and a period."""

    base: Annotated[
        str, code("from", "source", MONEY_AND_METALS, default=PIVOT, description="Source: a currency or a metal.")
    ]
    quote: Annotated[str, code("to", "target", description="Target: a currency.", example="USD")]
    start: Annotated[
        date | None,
        day("start", default=None, description=f"First day; {DEFAULT_DAYS} days up to the end if left out."),
    ]
    end: Annotated[date | None, day("end", default=None, description="Last day, today if left out.")]


class DatedRate(Struct, frozen=True):
    """A rate of a day, a decimal."""

    date: str
    rate: str


class SeriesBody(ToolBody, frozen=True, kw_only=True, rename={"base": "from", "quote": "to"}):
    """The rates of a period, one for each calendar day that has one: figures of all, and some of them as `points`."""

    base: str
    quote: str
    start: date
    end: date
    days: Annotated[int, Meta(description="The number of days with a rate.")]
    first: DatedRate
    last: DatedRate
    lowest: DatedRate
    highest: DatedRate
    mean: Annotated[str, Meta(description="The mean of the rates of all days, a decimal.")]
    change_percent: Annotated[str, Meta(description="From the first day to the last, a decimal.")]
    points: Annotated[dict[str, str], Meta(description=f"Up to {MAX_POINTS} rates by day, evenly spread.")]
    sources: Annotated[list[str], Meta(description="The sources of the last rate, and the laws that decide it.")]
    fixed_on: FixedOn = UNSET


def asked(params: SeriesArguments) -> TimeSeriesParams:
    """Return what is asked at the endpoint."""
    return TimeSeriesParams(
        quotes=Codes([params.quote]),
        base=params.base,
        start=params.start,
        end=params.end,
        interval="P1D",
        verbose=False,
        partial=False,
    )


def answer(context: RequestContext, params: SeriesArguments) -> SeriesBody:
    """Return the answer of `/time-series`, summarised."""
    found = endpoint.answer(context, asked(params))
    rates: dict[str, str] = exact(found.results)[params.quote]
    days = list(rates)
    low, high = min(days, key=lambda on: Fraction(rates[on])), max(days, key=lambda on: Fraction(rates[on]))
    first, last = Fraction(rates[days[0]]), Fraction(rates[days[-1]])
    return SeriesBody(
        base=params.base,
        quote=params.quote,
        start=found.start,
        end=found.end,
        days=len(days),
        first=DatedRate(days[0], rates[days[0]]),
        last=DatedRate(days[-1], rates[days[-1]]),
        lowest=DatedRate(low, rates[low]),
        highest=DatedRate(high, rates[high]),
        mean=plain(sum(map(Fraction, rates.values()), Fraction(0)) / len(days)),
        change_percent=_percent(last / first - 1),
        points=_points(rates),
        **origin_on(context, params.base, [params.quote], date.fromisoformat(days[-1])),
    )


def _percent(change: Fraction) -> str:
    text = half_up(abs(change.numerator) * 100, change.denominator, 2)
    return f"-{text}" if change < 0 and float(text) else text


def _points(rates: Mapping[str, str]) -> dict[str, str]:
    days = list(rates)
    if len(days) <= MAX_POINTS:
        return dict(rates)
    chosen = [days[number * (len(days) - 1) // (MAX_POINTS - 1)] for number in range(MAX_POINTS)]
    return {on: rates[on] for on in chosen}


def sentence(body: SeriesBody) -> str:
    """Return the figures in words."""
    if body.base == body.quote:
        days = f"on every day from {body.start} to {body.end}"
        return f"{unit_words(body.base)} is 1 {body.quote} {days}{same_words(body.base)}"
    fixed = fixing_words(date.fromisoformat(body.last.date), body.fixed_on)
    sources = source_words(body.sources).replace(":", " of the last rate:", 1)
    return (
        f"{unit_words(body.base)} in {body.quote} from {body.first.date} to {body.last.date} ({body.days} days): "
        f"first {body.first.rate}, last {body.last.rate}{fixed}, change {body.change_percent} %, "
        f"lowest {body.lowest.rate} on {body.lowest.date}, highest {body.highest.rate} on {body.highest.date}, "
        f"mean {body.mean}; {sources}."
    )


tool: Tool[SeriesArguments, SeriesBody] = Tool(
    name="series",
    title="Daily rates of a period",
    description=(
        "The daily rates of a pair over a period: first, last, lowest, highest, mean, change, and up to "
        f"{MAX_POINTS} of the rates. For every day of a long period ask in parts of {MAX_POINTS} days. Costs one call."
    ),
    params=SeriesArguments,
    body=SeriesBody,
    question=lambda params: (endpoint, asked(params)),
    answer=answer,
    sentence=sentence,
)

"""Where the rates that tools answer come from: their sources, their age, the days of their fixings; and it in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, UnsetType, field

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.closes import read_closes
from cambist.api.faces.mcp.tool import ToolBody
from cambist.history.coin_closes import explain_coin_day
from cambist.history.explanation import ExplainedLeg, explain_day, explain_now
from cambist.history.fixing_age import fixing_days
from cambist.pricing.pair import Pair
from cambist.reference.assets import METALS, kind_of
from cambist.reference.weights import UNITS

MAX_SOURCES = 12
"""How many sources an answer names."""

_MAX_NAMED = 6
"""How many sources a sentence names."""

_UNITS = (("day", 86_400, 2), ("hour", 3_600, 2), ("minute", 60, 2), ("second", 1, 0))
"""A unit, its seconds, and the smallest number of it."""

Sources = Annotated[list[str], Meta(description="The sources of the rate, and the laws that decide a part of it.")]
AsOf = Annotated[
    str | UnsetType,
    Meta(description="The market's time of the oldest quote in a rate of now; none if only laws count."),
]
Age = Annotated[int | UnsetType, Meta(description="How many seconds ago `as_of` is.")]
FixedOn = Annotated[date | UnsetType, Meta(description="The day of the oldest fixing that a rate of a past day uses.")]


class OriginBody(ToolBody, frozen=True, kw_only=True):
    """What answers say of a rate: its sources; `as_of` and its age, or the day that was asked for and its fixing."""

    sources: Sources
    as_of: AsOf = UNSET
    age_seconds: Age = UNSET
    day: Annotated[date | UnsetType, Meta(description="The day of the rate; a rate of now has none.")] = field(
        default=UNSET, name="date"
    )
    fixed_on: FixedOn = UNSET


def origin(context: RequestContext, pair: Pair, day: date | None) -> dict[str, Any]:
    """Return the fields of an `OriginBody` for a rate of now, or of a past day. Errors: RequestRefused."""
    if day is None:
        legs = explain_now(context.book, pair, context.now)
        moments = [leg.as_of for leg in legs if leg.as_of is not None]
        return {"sources": source_names(legs), **_age(min(moments, default=None), context.now)}
    closes = read_closes(context, pair, day)
    if not closes:
        return {"day": day, **origin_on(context, pair.base, [pair.quote], day)}
    legs = explain_coin_day(context.matrix, pair, day, closes)
    days = [leg.fixed_on for leg in legs if leg.fixed_on is not None]
    return {"day": day, "sources": source_names(legs), "fixed_on": min(days, default=UNSET)}


def origin_on(context: RequestContext, base: str, quotes: Iterable[str], day: date) -> dict[str, Any]:
    """Return the sources of rates of a past day, and the day of their oldest fixing, if laws alone do not decide."""
    fixed = fixing_days(context.matrix, day, base, quotes)
    sources: dict[str, None] = {}
    for quote, fixed_on in fixed.items():
        legs = explain_day(context.matrix, Pair(base, quote), day)
        sources |= dict.fromkeys(source_names([leg for leg in legs if leg.law or fixed_on]))
    days = [fixed_on for fixed_on in fixed.values() if fixed_on is not None]
    return {"sources": list(sources), "fixed_on": min(days, default=UNSET)}


def source_names(legs: Iterable[ExplainedLeg]) -> list[str]:
    """Return the sources and the laws of the legs of a rate, each once; of very many sources the first."""
    legs = tuple(legs)
    sources = dict.fromkeys(source for leg in legs for source in leg.sources)
    laws = dict.fromkeys(leg.law for leg in legs if leg.law)
    return [*list(sources)[:MAX_SOURCES], *laws]


def _age(as_of: datetime | None, now: datetime) -> dict[str, Any]:
    if as_of is None:
        return {}
    return {"as_of": f"{as_of:%Y-%m-%dT%H:%M:%SZ}", "age_seconds": max(int((now - as_of).total_seconds()), 0)}


def origin_words(body: OriginBody, pair: Pair | None = None) -> str:
    """Return the end of a sentence about a rate: its date, its age and its sources, or that its codes are the same."""
    if pair is not None and pair.base == pair.quote:
        return same_words(pair.base)
    return f"{_time_words(body)}; {source_words(body.sources)}."


def same_words(code: str) -> str:
    """Return why a code is worth one of itself."""
    return f": both are {code}, the same {kind_of(code) or 'code'}."


def _time_words(body: OriginBody) -> str:
    if isinstance(body.day, date):
        return f" on {body.day}{fixing_words(body.day, body.fixed_on)}"
    if isinstance(body.as_of, str) and isinstance(body.age_seconds, int):
        return f" as of {body.as_of} ({age_words(body.age_seconds)} old)"
    return ", fixed by law"


def fixing_words(day: date, fixed_on: date | UnsetType) -> str:
    """Return which fixing a rate of a day uses."""
    if not isinstance(fixed_on, date):
        return " (fixed by law)"
    days = (day - fixed_on).days
    return f" (fixing of {fixed_on}, {_count(days, 'day')} before)" if days else " (fixing of that day)"


def source_words(sources: Sequence[str]) -> str:
    """Return the sources of a rate in words; of many the first."""
    named, more = sources[:_MAX_NAMED], len(sources) - _MAX_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"source{'s' if len(sources) > 1 else ''}: {', '.join(named) or 'none'}{rest}"


def age_words(seconds: int) -> str:
    """Return an age in words, rounded down."""
    unit, length, _ = next(each for each in _UNITS if seconds >= each[1] * each[2])
    return _count(seconds // length, unit)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def unit_words(code: str) -> str:
    """Return one unit of an asset: `1 EUR`, `1 XAU (troy ounce)`."""
    metal = METALS.get(code)
    return f"1 {code}" if metal is None else f"1 {code} ({UNITS[metal.unit].name.lower()})"


def exact(numbers: Raw) -> dict[str, Any]:
    """Return what an endpoint wrote as JSON, its numbers as texts with all their digits."""
    found: dict[str, Any] = json.loads(bytes(numbers), parse_float=str, parse_int=str)
    return found

"""The tool `explain`: why a rate is what it is."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.endpoints.currency.explain import ExplainParams, ExplainResponse, LegRecord, endpoint
from cambist.api.mcp.origin import MAX_SOURCES, OriginBody, exact, origin, origin_words, unit_words
from cambist.api.mcp.tool import Tool
from cambist.api.request_context import RequestContext
from cambist.pricing.pair import Pair

MAX_VOTES = 4
"""How many votes of a leg an answer lists, those with the greatest weight."""

_REASONS = {
    "weekend": "the source publishes nothing on weekends",
    "holiday": "the source published nothing that day",
    "missing": "the source published other rates that day, but not this one",
    "late": "there is nothing newer yet",
    "ended": "the rate has ended",
    "closed": "its market is closed now",
}


class ToolVote(Struct, frozen=True):
    """What one source quotes; `weight` 0 if it was left out, as too far from the others."""

    source: str
    mid: str
    age_seconds: int
    weight: str


class ToolLeg(Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"base": "from", "quote": "to"}):
    """One of the rates that a rate was crossed from: its value, how it was made, and by whom."""

    base: str
    quote: str
    rate: str
    made: str
    sources: tuple[str, ...] = ()
    law: str = ""
    as_of: datetime | None = None
    fixed_on: date | None = None
    carried_days: int = 0
    because: Annotated[str, Meta(description="Why the rate is not newer.")] = ""
    votes: tuple[ToolVote, ...] = ()
    more_votes: int = 0


class ExplanationBody(OriginBody, frozen=True, kw_only=True, rename={"base": "from", "quote": "to"}):
    """The rate, and the legs that it was crossed from, each with its sources or its law."""

    base: str
    quote: str
    rate: Annotated[str, Meta(description="A decimal with all its digits.")]
    legs: list[ToolLeg]
    published_as_of: Annotated[
        str | UnsetType, Meta(description="The market's time of the oldest fixing in a rate of a past day.")
    ] = UNSET


def answer(context: RequestContext, params: ExplainParams) -> ExplanationBody:
    """Return the answer of `/explain`, shortened."""
    found: ExplainResponse = endpoint.answer(context, params)
    return ExplanationBody(
        base=params.base,
        quote=params.quote,
        rate=exact(found.result)[params.quote],
        legs=[_leg(leg) for leg in found.legs],
        published_as_of=UNSET if found.day is None or found.updated is None else str(found.updated),
        **origin(context, Pair(params.base, params.quote), found.day),
    )


def _leg(leg: LegRecord) -> ToolLeg:
    votes = [ToolVote(vote.source, vote.mid, vote.age, f"{vote.weight:g}") for vote in leg.votes[:MAX_VOTES]]
    return ToolLeg(
        base=leg.base,
        quote=leg.quote,
        rate=leg.rate,
        made=leg.made,
        sources=leg.sources[:MAX_SOURCES],
        law=leg.law,
        as_of=leg.as_of,
        fixed_on=leg.fixed_on,
        carried_days=leg.carried_days,
        because=_REASONS.get(leg.because, leg.because),
        votes=tuple(votes),
        more_votes=len(leg.votes) - len(votes),
    )


def sentence(body: ExplanationBody) -> str:
    """Return the explanation in words."""
    legs = "; ".join(_leg_words(leg) for leg in body.legs)
    crossed = f" It is made from {legs}." if legs else ""
    return f"{unit_words(body.base)} = {body.rate} {body.quote}{origin_words(body)}{crossed}"


def _leg_words(leg: ToolLeg) -> str:
    how = f"by law: {leg.law}" if leg.law else f"{leg.made} by {', '.join(leg.sources)}"
    because = f", {leg.because}" if leg.because else ""
    return f"1 {leg.base} = {leg.rate} {leg.quote} ({how}{because})"


tool: Tool[ExplainParams, ExplanationBody] = Tool(
    name="explain",
    title="Where a rate comes from",
    description=(
        "Why a rate of now or of a past day is what it is: the rates that it was crossed from, their sources with "
        "weights and ages, legal rates, and why a fixing was carried forward. Costs one call."
    ),
    params=ExplainParams,
    body=ExplanationBody,
    question=lambda params: (endpoint, params),
    answer=answer,
    sentence=sentence,
)

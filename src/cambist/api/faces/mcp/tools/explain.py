"""The tool `explain`: why a rate is what it is."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.verdict_records import VerdictRecord
from cambist.api.endpoints.currency.explain import ExplainParams, ExplainResponse, LegRecord, endpoint
from cambist.api.faces.mcp.origin import MAX_SOURCES, OriginBody, exact, origin, origin_words, unit_words
from cambist.api.faces.mcp.tool import Tool
from cambist.pricing.pair import Pair

MAX_VOTES = 4
"""How many votes of a leg an answer lists, those with the greatest weight."""

MAX_FIXINGS = 2
"""How many fixings of a leg an answer lists, those that are held first."""

_REASONS = {
    "weekend": "the source publishes nothing on weekends",
    "holiday": "the source published nothing that day",
    "missing": "the source published other rates that day, but not this one",
    "late": "there is nothing newer yet",
    "held": "what was published since is held",
    "ended": "the rate has ended",
    "closed": "its market is closed now",
}


class ToolVote(Struct, frozen=True):
    """What one source quotes; `weight` 0 if it was left out, as too far from the others."""

    source: str
    mid: str
    age_seconds: int
    weight: str


class ToolFixing(Struct, frozen=True, omit_defaults=True):
    """What one source published, how far it is from the agreed rate, and why it is held if it is."""

    source: str
    rate: str
    weight: str
    status: str
    distance_percent: float | None = None
    because: str = ""


class ToolVerdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How many sources of a daily rate agree, what each says, and what would settle a dispute."""

    status: str
    sentence: str
    pair: str
    level: str = ""
    other: str = ""
    fixings: tuple[ToolFixing, ...] = ()
    more_fixings: int = 0
    settles: str = ""
    held_since: date | None = None


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
    verdict: ToolVerdict | None = None


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
    said = () if leg.verdict else leg.votes  # the fixings of a verdict are those that have voted
    votes = [ToolVote(vote.source, vote.mid, vote.age, f"{vote.weight:g}") for vote in said[:MAX_VOTES]]
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
        more_votes=len(said) - len(votes),
        verdict=None if leg.verdict is None else _verdict(leg.verdict),
    )


def _verdict(found: VerdictRecord) -> ToolVerdict:
    """Return a verdict with the fixings that are held, and with some others."""
    ordered = sorted(found.fixings, key=lambda each: each.status != "held")[:MAX_FIXINGS]
    return ToolVerdict(
        status=found.status,
        sentence=found.sentence,
        pair=found.pair,
        level=found.level,
        other=found.other,
        fixings=tuple(
            ToolFixing(each.source, each.rate, f"{each.weight:g}", each.status, each.distance, each.because)
            for each in ordered
        ),
        more_fixings=len(found.fixings) - len(ordered),
        settles=found.settles,
        held_since=found.held_since,
    )


def sentence(body: ExplanationBody) -> str:
    """Return the explanation in words."""
    legs = "; ".join(_leg_words(leg) for leg in body.legs)
    crossed = f" It is made from {legs}." if legs and body.base != body.quote else ""
    ending = origin_words(body, Pair(body.base, body.quote))
    return f"{unit_words(body.base)} = {body.rate} {body.quote}{ending}{crossed}"


def _leg_words(leg: ToolLeg) -> str:
    how = f"by law: {leg.law}" if leg.law else f"{leg.made} by {', '.join(leg.sources)}"
    because = f", {leg.because}" if leg.because else ""
    verdict = "" if leg.verdict is None else f", {_verdict_words(leg.verdict)}"
    return f"1 {leg.base} = {leg.rate} {leg.quote} ({how}{because}{verdict})"


def _verdict_words(found: ToolVerdict) -> str:
    """Return in words how many agree; of what is held or disputed also since when, and what would settle it."""
    since = f", since {found.held_since}" if found.held_since else ""
    settles = f"; what would settle it: {found.settles}" if found.settles else ""
    return f"{found.sentence}{since}{settles}"


tool: Tool[ExplainParams, ExplanationBody] = Tool(
    name="explain",
    title="Where a rate comes from",
    description=(
        "Why a rate of now or of a past day is what it is: the rates that it was crossed from, their sources with "
        "weights and ages, how many agree and why others do not, legal rates, and why a fixing was carried forward. "
        "Costs one call."
    ),
    params=ExplainParams,
    body=ExplanationBody,
    question=lambda params: (endpoint, params),
    answer=answer,
    sentence=sentence,
    left_out=("verbose", "amount", "precision"),
)

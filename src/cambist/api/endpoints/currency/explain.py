"""`GET /explain`: the sources of a rate."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import Number, Rates, number, rates
from cambist.api.answer.request_context import RequestContext, Updated, written
from cambist.api.bodies.agreement import Agreements, agreements_now, agreements_on
from cambist.api.bodies.closes import read_closes
from cambist.api.bodies.typed_explanation import explain_typed
from cambist.api.bodies.typed_rates import TypedRates
from cambist.api.bodies.verdict_records import VerdictRecord, unjudged, verdict_now, verdict_on
from cambist.api.endpoints.currency.convert import AnyAmountParams, convert_amount
from cambist.api.questions.agreement_parameters import RateTypeName
from cambist.api.questions.amounts import amount, decimal_places
from cambist.api.questions.freshness_parameters import MaxAge
from cambist.api.questions.known_parameters import AsOf, Assume, Assumed, scope_of_day
from cambist.api.questions.parameter_types import day, flag, not_after_today
from cambist.api.questions.symbol_parameters import asset
from cambist.errors import BadParameter
from cambist.history.coin_closes import cross_on_day, explain_coin_day
from cambist.history.explanation import ExplainedLeg, explain_now
from cambist.history.known_state import Scope
from cambist.pricing.cross_rates import check_crossable, midpoint
from cambist.pricing.number_format import plain, plain_float, trimmed_text
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Vote

_WEIGHT_DIGITS = 6


class ExplainParams(Struct, frozen=True, kw_only=True):
    """A pair, now or on a day."""

    max_age: MaxAge

    base: Annotated[str, asset("from", "source", default=PIVOT, description="Source, USD if left out.", example="EUR")]
    quote: Annotated[str, asset("to", "target", description="Target: a currency, a metal or a coin.", example="AED")]
    day: Annotated[date | None, day("date", default=None, description="The day, UTC; now if left out.")]
    rate_type: RateTypeName = None
    verbose: Annotated[bool, flag("verbose", description="Add `agreement`: true, 1, yes or y.")] = False
    amount: Annotated[
        Decimal | None,
        amount(
            "amount", default=None, description="Add what this amount is worth, and who its sources are.", example="100"
        ),
    ] = None
    precision: Annotated[
        int | None,
        decimal_places("precision", default=None, description="Decimals of it; if left out as the target has them."),
    ] = None
    as_of: AsOf = None
    assume: Assume = None

    def __post_init__(self) -> None:
        """Refuse decimals of nothing. Errors: BadParameter."""
        if self.precision is not None and self.amount is None:
            raise BadParameter("[precision] needs an [amount]: it is of what that is worth")


class VoteRecord(Struct, frozen=True):
    """What one source quotes; `age` is in seconds. A `weight` of 0: it was left out, as too far from the others."""

    source: str
    mid: str
    as_of: datetime
    age: int
    weight: float


class LegRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One leg of a rate: what one unit of `base` is worth in `quote`, and why.

    On a past day each leg is a fixing as it was published: `nominal` units of the base were `published` in the quote; a
    metal's `unit` is present if it is the gram, and `rate_type` if the leg is of the type asked for. `law` quotes the
    law that decides the rate, if one does. `age` is the age of the market's time `as_of`, in seconds. `fixed_on` is the
    day of the fixing that a past day uses, `carried_days` how far it was carried forward, and `because` why: weekend,
    holiday, missing (the source published other rates that day), late, held (what was published since is), or ended. On
    a live leg `because` is closed if the price is traded and its market is closed now. `verdict` is what all sources of
    a daily rate say.
    """

    base: str
    quote: str
    rate: str
    made: str
    sources: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    law: str = ""
    as_of: datetime | None = None
    age: int | None = None
    received_at: datetime | None = None
    published: str = ""
    nominal: int = 1
    unit: str = ""
    rate_type: str = ""
    published_at: datetime | None = None
    votes: tuple[VoteRecord, ...] = ()
    fixed_on: date | None = None
    carried_days: int = 0
    because: str = ""
    verdict: VerdictRecord | None = None


class ConvertedRecord(Struct, frozen=True):
    """An amount, what it is worth, and the rate, as at `/convert`; `fixed_on` is that of the rate of a past day."""

    amount: Number
    result: Number
    rate: Number
    fixed_on: date | UnsetType | None = UNSET


class PublisherRecord(Struct, frozen=True):
    """A source of the legs: its name, and how often it publishes."""

    name: str
    pace: str


class ExplainResponse(Struct, frozen=True, rename={"day": "date"}):
    """The rate, and the legs that it was crossed from, each with its sources or its law.

    On a past day the legs are the fixings as they were published, and `updated` is the market's time of the oldest;
    null if the law alone decides, or if only coins are requested. `agreement` says how many independent sources agree
    on the rate of each code and how far apart they are, only with `verbose` and without `rate_type`.
    `converted` and `publishers`, the sources by key, are there with `amount`.
    `edition` names the state of the history, or of the live prices, that the answer was made from.
    """

    base: str
    day: date | None
    result: Rates
    updated: Updated | None
    legs: list[LegRecord]
    agreement: Agreements | UnsetType = UNSET
    converted: ConvertedRecord | UnsetType = UNSET
    publishers: dict[str, PublisherRecord] | UnsetType = UNSET
    edition: str | UnsetType = UNSET
    assumed: Assumed = UNSET


def answer(context: RequestContext, params: ExplainParams) -> ExplainResponse:
    """Explain a rate: the sources, weights and ages of each side, its pegs, and why a fixing was carried forward.

    With `amount` it says too what that is worth, so that one call has both.
    """
    explained = _explained(context, params)
    if params.amount is None:
        return explained
    found = convert_amount(context, _asked(params, params.amount))
    keys = dict.fromkeys(key for leg in explained.legs for key in leg.sources)
    known = {each.key: each for each in (context.source_reports.reports if context.source_reports else ())}
    return replace(
        explained,
        converted=ConvertedRecord(
            number(params.amount), Raw(trimmed_text(found.amount)), Raw(plain_float(found.rate)), found.fixed_on
        ),
        publishers={key: PublisherRecord(known[key].name, known[key].pace) for key in keys if key in known},
    )


def _asked(params: ExplainParams, amount: Decimal) -> AnyAmountParams:
    return AnyAmountParams(
        base=params.base,
        quote=params.quote,
        amount=amount,
        day=params.day,
        precision=params.precision,
        max_age=params.max_age,
        rate_type=params.rate_type,
    )


def _explained(context: RequestContext, params: ExplainParams) -> ExplainResponse:
    pair = Pair(params.base, params.quote)
    check_crossable(pair.base, pair.quote)
    on = params.day and not_after_today("date", params.day, context.today)
    if params.rate_type is not None:
        return _of_type(context, pair, params.rate_type, on, params.max_age)
    if on is not None:
        return _on_day(context, pair, on, verbose=params.verbose)
    context.check_fresh((pair.base, pair.quote), params.max_age)
    rate = midpoint(context.book, pair)
    return ExplainResponse(
        base=pair.base,
        day=None,
        result=rates([pair.quote], [rate.value]),
        updated=context.updated(rate.as_of, params.max_age),
        legs=[
            _live_leg(leg, context.now, verdict_now(context, leg.judged, Pair(leg.base, leg.quote)))
            for leg in explain_now(context.book, pair, context.now, context.votes)
        ],
        agreement=agreements_now(context, (pair.base, pair.quote)) if params.verbose else UNSET,
        edition=context.edition(is_live=True) or UNSET,
    )


def _on_day(context: RequestContext, pair: Pair, on: date, *, verbose: bool) -> ExplainResponse:
    closes = read_closes(context, pair, on)
    found = cross_on_day(context.matrix, pair, on, closes)
    legs = explain_coin_day(context.matrix, pair, on, closes, context.fixings)
    oldest = min((leg.as_of for leg in legs if leg.as_of is not None), default=None)
    updated = None if oldest is None else written(oldest, context.form)
    return ExplainResponse(
        base=pair.base,
        day=on,
        result=rates(found.codes, found.values),
        updated=updated,
        legs=[_leg(leg, verdict_on(context, leg.judged, Pair(leg.base, leg.quote), on)) for leg in legs],
        agreement=agreements_on(context, (pair.base, pair.quote), on) if verbose else UNSET,
        edition=context.edition(is_live=False) or UNSET,
        assumed=context.assumed,
    )


def _of_type(
    context: RequestContext, pair: Pair, rate_type: str, on: date | None, max_age: timedelta | None
) -> ExplainResponse:
    codes = (pair.base, pair.quote)
    typed = TypedRates(context, rate_type, codes, None if on is None else (on, on))
    result = rates([pair.quote], [typed.rate(*codes)])
    legs = [
        replace(
            _live_leg(leg, context.now) if on is None else _leg(leg),
            rate_type=rate_type if is_of_type else "",
            verdict=unjudged(Pair(leg.base, leg.quote), leg.fixed_on or context.today) if is_of_type else None,
        )
        for leg, is_of_type in explain_typed(context, typed, pair, on)
    ]
    as_of = typed.as_of(*codes) if on is None else min((leg.as_of for leg in legs if leg.as_of), default=None)
    updated = None if as_of is None else context.updated(as_of, max_age)
    return ExplainResponse(pair.base, on, result, updated, legs)


def _live_leg(leg: ExplainedLeg, now: datetime, verdict: VerdictRecord | None = None) -> LegRecord:
    votes = tuple(_vote(vote, now) for vote in leg.votes)
    return replace(_leg(leg, verdict), age=None if leg.as_of is None else _age(leg.as_of, now), votes=votes)


def _leg(leg: ExplainedLeg, verdict: VerdictRecord | None = None) -> LegRecord:
    return LegRecord(
        base=leg.base,
        quote=leg.quote,
        rate=plain_float(leg.rate) if isinstance(leg.rate, float) else plain(leg.rate),
        made=leg.made,
        sources=leg.sources,
        through=tuple(map(str, leg.through)),
        law=leg.law,
        as_of=leg.as_of,
        received_at=leg.received_at,
        published="" if leg.published is None else str(leg.published),
        nominal=leg.nominal,
        unit=leg.unit,
        published_at=leg.published_at,
        fixed_on=leg.fixed_on,
        carried_days=leg.carried_days,
        because="held" if leg.carried_days and verdict and verdict.held_since else leg.because,
        verdict=verdict,
    )


def _vote(vote: Vote, now: datetime) -> VoteRecord:
    return VoteRecord(
        vote.source, plain(Fraction(vote.mid)), vote.as_of, _age(vote.as_of, now), round(vote.weight, _WEIGHT_DIGITS)
    )


def _age(as_of: datetime, now: datetime) -> int:
    return max(int((now - as_of).total_seconds()), 0)


def earliest_day(_context: RequestContext, params: ExplainParams) -> date | None:
    """The day of the request, if it has one."""
    return params.day


def scope(_context: RequestContext, params: ExplainParams) -> Scope:
    """Return the day and the pair. Errors: BadParameter without a day."""
    return scope_of_day(params.day, Pair(params.base, params.quote))


endpoint: Endpoint[ExplainParams, ExplainResponse] = Endpoint(
    path="/explain",
    tag="currency",
    summary="Where a rate comes from",
    params=ExplainParams,
    body=ExplainResponse,
    answer=answer,
    earliest_day=earliest_day,
    scope=scope,
)

"""Explanations: the legs of a rate, each with its sources, its derivation, its age and why it was carried forward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isnan

from cambist.history.fixing import ReceivedFixing
from cambist.history.published_fixings import FixingLookup, fixings_for, market_time
from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import Parity, legal_rate, parities_on
from cambist.pricing.quote import Derivation, Quote, Vote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.trading_hours import is_open

_LOOK_AHEAD = 14

ReadVotes = Callable[[str], tuple[Vote, ...]]
"""Reads the votes behind the quote of a code, which are not in a rate book over columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedLeg:
    """One leg of a rate: what one unit of `base` is worth in `quote`, and why.

    A leg of a past day is a fixing as it was published: `nominal` units of the base were `published` in the quote, a
    metal by its `unit`. `law` quotes the law that decides the rate, if one does. `fixed_on` is the day of the fixing
    that a past day uses, `carried_days` how far it was carried forward, and `because` why: weekend, holiday, missing
    (the source fixed others that day), late, or ended. A live leg has `votes`, the heaviest first; its `because` is
    closed if it is traded and its market is closed now. `judged` is the code whose daily rate this leg decides, if one.
    """

    base: str
    quote: str
    rate: Fraction | float
    made: Derivation
    sources: tuple[str, ...] = ()
    through: tuple[Pair, ...] = ()
    law: str = ""
    as_of: datetime | None = None
    received_at: datetime | None = None
    published: Decimal | None = None
    nominal: int = 1
    unit: str = ""
    published_at: datetime | None = None
    votes: tuple[Vote, ...] = ()
    fixed_on: date | None = None
    carried_days: int = 0
    because: str = ""
    judged: str = ""


def no_votes(_code: str) -> tuple[Vote, ...]:
    """Return the votes behind a quote where there are none beside the rate book."""
    return ()


def explain_now(book: RateBook, pair: Pair, now: datetime, read_votes: ReadVotes = no_votes) -> list[ExplainedLeg]:
    """Return the legs of a live rate, each from a code to the pivot, or of the law alone where a leg is missing.

    Errors: RateUnavailable if a leg is missing that is needed.
    """
    parities = {parity.code: parity for parity in parities_on(now.date())}
    found: dict[str, ExplainedLeg] = {}
    is_held = book.holds(pair.base) and book.holds(pair.quote)
    if not is_held and legal_rate(pair.base, pair.quote, book.as_of.date()) is not None:
        return list(dict.fromkeys(leg for code in (pair.base, pair.quote) for leg in _of_law(code, parities)))
    for code in (pair.base, pair.quote):
        for leg in _live(book, code, parities, now, read_votes):
            _add(found, f"{leg.base}/{leg.quote}", leg)
    return list(found.values())


def _add(found: dict[str, ExplainedLeg], name: str, leg: ExplainedLeg) -> None:
    """Add a leg unless it is there already; one that is judged says more than one that is not."""
    if name not in found or (leg.judged and not found[name].judged):
        found[name] = leg


def _live(
    book: RateBook, code: str, parities: dict[str, Parity], now: datetime, read_votes: ReadVotes
) -> Iterator[ExplainedLeg]:
    if code == PIVOT:
        return
    quote = book.leg(code)
    parity = parities.get(code)
    if parity is None or quote.origin.made not in (Derivation.PEGGED, Derivation.CONVERTED):
        yield _quoted(quote, read_votes(code), now, code)
        return
    yield _by_law(parity)
    yield from _live(book, parity.anchor, parities, now, read_votes)


def _of_law(code: str, parities: dict[str, Parity]) -> Iterator[ExplainedLeg]:
    while code in parities:
        yield _by_law(parities[code])
        code = parities[code].anchor


def _quoted(quote: Quote, votes: tuple[Vote, ...], now: datetime, code: str) -> ExplainedLeg:
    return ExplainedLeg(
        base=quote.pair.base,
        quote=quote.pair.quote,
        rate=quote.mid,
        made=quote.origin.made,
        sources=quote.origin.sources,
        through=quote.origin.legs,
        as_of=quote.as_of,
        received_at=quote.received_at,
        votes=tuple(sorted(votes, key=lambda vote: -vote.weight)),
        because="closed" if _is_market_closed(quote, now) else "",
        judged=code if quote.origin.is_fixing else "",
    )


def _is_market_closed(quote: Quote, now: datetime) -> bool:
    """Return whether a traded price is waiting for its market to open. Fixings and parities are not traded."""
    is_by_law = quote.origin.made in (Derivation.PEGGED, Derivation.CONVERTED)
    is_fixed = quote.origin.pace in (Pace.DAILY, Pace.MONTHLY)
    return not (is_by_law or is_fixed or is_open(quote.pair, now))


def _by_law(parity: Parity) -> ExplainedLeg:
    return ExplainedLeg(
        base=parity.anchor,
        quote=parity.code,
        rate=parity.factor,
        made=parity.made,
        law=parity.authority,
    )


def explain_day(matrix: RateMatrix, pair: Pair, day: date, lookup: FixingLookup | None = None) -> list[ExplainedLeg]:
    """Return the legs of a rate of a past day: the fixings that it was made from, as published, and parities.

    A missing rate has no leg. Without a `lookup` for the fixings, each leg is a code's rate against the pivot from the
    rate matrix.
    """
    parities = {parity.code: parity for parity in parities_on(day)}
    found: dict[str, ExplainedLeg] = {}
    for code in (pair.base, pair.quote):
        for leg in _past(matrix, code, day, parities, lookup):
            _add(found, f"{leg.base}/{leg.quote} {leg.sources}", leg)
    return list(found.values())


def _past(
    matrix: RateMatrix, code: str, day: date, parities: dict[str, Parity], lookup: FixingLookup | None
) -> Iterator[ExplainedLeg]:
    if code == PIVOT:
        return
    source_index, age = matrix.source_and_age(day, code)
    units = matrix.cell(day, code)
    parity = parities.get(code)
    if parity is not None and (source_index in (BY_LAW, NOBODY) or isnan(units)):
        yield _by_law(parity)
        yield from _past(matrix, parity.anchor, day, parities, lookup)
    elif not isnan(units):
        source = matrix.sources[source_index] if source_index < len(matrix.sources) else ""
        fixings = _served(code, source, day, age, lookup) if lookup and source else []
        for received in fixings:
            leg = _published(matrix, source, received, day, code)
            yield replace(leg, judged=code) if received is fixings[0] else leg
        if not fixings:
            yield ExplainedLeg(
                base=PIVOT,
                quote=code,
                rate=units,
                made=Derivation.CROSSED if lookup else Derivation.PUBLISHED,
                sources=(source,) if source else (),
                fixed_on=day - timedelta(days=age),
                carried_days=age,
                because=why_carried(matrix, day, code) if age else "",
                judged=code if source else "",
            )


def _served(code: str, source: str, day: date, age: int, lookup: FixingLookup) -> list[ReceivedFixing]:
    """Return the fixings that a day is served from: where newer ones of the code are held, those before them."""
    found = fixings_for(code, lookup(source, code, day))
    fixed_on = day - timedelta(days=age)
    if not found or found[0].fixing.day <= fixed_on:
        return found
    return [*fixings_for(code, lookup(source, code, fixed_on))[:1], *found[1:]]


def _published(matrix: RateMatrix, source: str, received: ReceivedFixing, day: date, code: str) -> ExplainedLeg:
    fixing = received.fixing
    carried = (day - fixing.day).days
    return ExplainedLeg(
        base=fixing.pair.base,
        quote=fixing.pair.quote,
        rate=fixing.rate,
        made=Derivation.PUBLISHED,
        sources=(source,),
        as_of=market_time(matrix, source, received),
        received_at=received.received_at,
        published=fixing.value,
        nominal=fixing.nominal,
        unit=fixing.unit,
        published_at=fixing.published_at,
        fixed_on=fixing.day,
        carried_days=carried,
        because=why_carried(matrix, day, code) if carried else "",
    )


def why_carried(matrix: RateMatrix, day: date, code: str) -> str:
    """Return why a day uses an earlier fixing: weekend, missing, holiday, ended or late."""
    source_index, _ = matrix.source_and_age(day, code)
    if day.weekday() >= 5:
        return "weekend"
    if _has_fixed(matrix, source_index, day):
        return "missing"
    later = (day + timedelta(days=ahead) for ahead in range(1, _LOOK_AHEAD + 1))
    if any(_has_fixed(matrix, source_index, other) for other in later):
        return "holiday"
    return "ended" if matrix.last_fixing > day + timedelta(days=_LOOK_AHEAD) else "late"


def _has_fixed(matrix: RateMatrix, source_index: int, day: date) -> bool:
    """Return whether a source fixed anything on a day."""
    if not matrix.has(day):
        return False
    start = matrix.row(day) * len(matrix.codes)
    row = slice(start, start + len(matrix.codes))
    return any(
        who == source_index and not age for who, age in zip(matrix.source_indexes[row], matrix.ages[row], strict=True)
    )

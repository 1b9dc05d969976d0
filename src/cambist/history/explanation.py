"""The grounds of a rate: each leg with who said so, how it was made, how old it is, and why it was carried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isnan

from cambist.history.fixing import ReceivedFixing
from cambist.history.published_fixings import FixingLookup, fixings_for, market_time
from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import Parity, parities_on
from cambist.pricing.quote import Derivation, Quote, Vote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.trading_hours import is_open

_LOOK_AHEAD = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedLeg:
    """One leg of a rate: what one unit of `base` is worth in `quote`, and why.

    A leg of a past day is a fixing as it was published: `nominal` units of the base were `published` in the quote, a
    metal by its `unit`. `law` quotes the law that decides the rate, if one does. `fixed_on` is the day of the fixing
    that a past day uses, `carried_days` how far it was carried forward, and `because` why: weekend, holiday, missing
    (the source fixed others that day), late, or ended. A live leg has `votes`, the heaviest first; its `because` is
    closed if it is traded and its market is closed now.
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


def explain_now(book: RateBook, pair: Pair, now: datetime) -> list[ExplainedLeg]:
    """Account for a live rate: the legs to the pivot, each with what it was made from.

    Errors: RateUnavailable where a leg is missing.
    """
    held = {parity.code: parity for parity in parities_on(now.date())}
    found: dict[str, ExplainedLeg] = {}
    for code in (pair.base, pair.quote):
        for ground in _live(book, code, held, now):
            found.setdefault(f"{ground.base}/{ground.quote}", ground)
    return list(found.values())


def _live(book: RateBook, code: str, held: dict[str, Parity], now: datetime) -> Iterator[ExplainedLeg]:
    if code == PIVOT:
        return
    quote = book.leg(code)
    parity = held.get(code)
    if parity is None or quote.origin.made not in (Derivation.PEGGED, Derivation.CONVERTED):
        yield _quoted(quote, now)
        return
    yield _by_law(parity)
    yield from _live(book, parity.anchor, held, now)


def _quoted(quote: Quote, now: datetime) -> ExplainedLeg:
    return ExplainedLeg(
        base=quote.pair.base,
        quote=quote.pair.quote,
        rate=quote.mid,
        made=quote.origin.made,
        sources=quote.origin.sources,
        through=quote.origin.legs,
        as_of=quote.as_of,
        received_at=quote.received_at,
        votes=tuple(sorted(quote.origin.votes, key=lambda vote: -vote.weight)),
        because="closed" if _stands_still(quote, now) else "",
    )


def _stands_still(quote: Quote, now: datetime) -> bool:
    """Say whether a price would trade, were its market not closed; a fixing and what law ties never trade."""
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


def explain_day(matrix: RateMatrix, pair: Pair, day: date, words: FixingLookup | None = None) -> list[ExplainedLeg]:
    """Account for a rate of a day: the fixings that it was made of, as published, and the law.

    What is missing has no leg. Without `words` to ask for the fixings each leg is told to the pivot, as the image reads
    it.
    """
    held = {parity.code: parity for parity in parities_on(day)}
    found: dict[str, ExplainedLeg] = {}
    for code in (pair.base, pair.quote):
        for ground in _past(matrix, code, day, held, words):
            found.setdefault(f"{ground.base}/{ground.quote} {ground.sources}", ground)
    return list(found.values())


def _past(
    matrix: RateMatrix, code: str, day: date, held: dict[str, Parity], words: FixingLookup | None
) -> Iterator[ExplainedLeg]:
    if code == PIVOT:
        return
    source_index, age = matrix.source_and_age(day, code)
    units = matrix.cell(day, code)
    parity = held.get(code)
    if parity is not None and (source_index in (BY_LAW, NOBODY) or isnan(units)):
        yield _by_law(parity)
        yield from _past(matrix, parity.anchor, day, held, words)
    elif not isnan(units):
        source = matrix.sources[source_index] if source_index < len(matrix.sources) else ""
        said = fixings_for(code, words(source, code, day)) if words and source else []
        for known in said:
            yield _published(matrix, source, known, day, code)
        if not said:
            yield ExplainedLeg(
                base=PIVOT,
                quote=code,
                rate=units,
                made=Derivation.CROSSED if words else Derivation.PUBLISHED,
                sources=(source,) if source else (),
                fixed_on=day - timedelta(days=age),
                carried_days=age,
                because=why_carried(matrix, day, code) if age else "",
            )


def _published(matrix: RateMatrix, source: str, known: ReceivedFixing, day: date, code: str) -> ExplainedLeg:
    fixing = known.fixing
    carried = (day - fixing.day).days
    return ExplainedLeg(
        base=fixing.pair.base,
        quote=fixing.pair.quote,
        rate=fixing.rate,
        made=Derivation.PUBLISHED,
        sources=(source,),
        as_of=market_time(matrix, source, known),
        received_at=known.received_at,
        published=fixing.value,
        nominal=fixing.nominal,
        unit=fixing.unit,
        published_at=fixing.published_at,
        fixed_on=fixing.day,
        carried_days=carried,
        because=why_carried(matrix, day, code) if carried else "",
    )


def why_carried(matrix: RateMatrix, day: date, code: str) -> str:
    """Say why a day reads a fixing of before: a weekend, a holiday, its source has nothing yet, or has ended."""
    source_index, _ = matrix.source_and_age(day, code)
    if day.weekday() >= 5:
        return "weekend"
    if _spoke(matrix, source_index, day):
        return "missing"
    later = (day + timedelta(days=ahead) for ahead in range(1, _LOOK_AHEAD + 1))
    if any(_spoke(matrix, source_index, other) for other in later):
        return "holiday"
    return "ended" if matrix.last_fixing > day + timedelta(days=_LOOK_AHEAD) else "late"


def _spoke(matrix: RateMatrix, source_index: int, day: date) -> bool:
    """Say whether a source fixed anything on a day."""
    if not matrix.has(day):
        return False
    start = matrix.row(day) * len(matrix.codes)
    row = slice(start, start + len(matrix.codes))
    return any(
        who == source_index and not age for who, age in zip(matrix.source_indexes[row], matrix.ages[row], strict=True)
    )

"""Spot: which instrument prices a metal in a currency, and what a weight of it costs, exactly.

Sides are dealt at their worse: a cross multiplies bid by bid and ask by ask, so its gap is never narrower than a leg's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from cambist.errors import RateUnavailable
from cambist.pricing.metals.digits import Sides, digits_of, rounded_sides
from cambist.pricing.metals.instrument import Instrument
from cambist.pricing.metals.mass import ratio
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import METALS, Metal, MetalKind
from cambist.reference.weights import UNITS, Purity, Unit

IsFreshMetal = Callable[[Quote], bool]
"""Says whether a quote may still be used."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What one unit of a metal costs: exact sides in the currency, and where they come from.

    `as_of` is the market's time of the oldest quote in it. `digits` are those of the source. `sources` name publisher
    and kind, of a ratio for both metals; `instrument` is what was quoted there.
    """

    bid: Fraction
    ask: Fraction
    as_of: datetime
    digits: int
    sources: tuple[str, ...]
    instrument: Pair
    is_crossed: bool

    def per(self, unit: Unit, purity: Purity, priced_by: Unit) -> Spot:
        """Give the price of another unit, of metal that is less pure; it was `priced_by` a unit of the pure metal."""
        part = ratio(unit, priced_by) * Fraction(purity.fineness) / 1000
        return replace(self, bid=self.bid * part, ask=self.ask * part)

    @property
    def sides(self) -> Sides:
        """Bid and ask as they are written."""
        return rounded_sides(self.bid, self.ask, self.digits)


def spot(book: RateBook, metal: Metal, currency: str, is_fresh: IsFreshMetal) -> Spot:
    """Price a metal in a currency, per its own unit: by the instrument in that currency, else through the pivot.

    Errors: RateUnavailable where none is quoted, or none is fresh.
    """
    direct = book.pairs.get(Pair(metal.code, currency)) if currency != PIVOT else None
    if direct is not None and is_fresh(direct):
        return _dealt(metal, direct)
    in_pivot = _checked(metal, book.leg(metal.code), is_fresh)
    return in_pivot if currency == PIVOT else _crossed(in_pivot, book.leg(currency))


def instrument_spot(book: RateBook, instrument: Instrument, is_fresh: IsFreshMetal) -> Spot:
    """Price an instrument as it is quoted, never crossed instead; a ratio by its two metals.

    Errors: RateUnavailable where it is not quoted, or its quote is not fresh.
    """
    if instrument.target == PIVOT:
        return spot(book, instrument.metal, PIVOT, is_fresh)
    if not instrument.is_ratio:
        return _checked(instrument.metal, book.pairs.get(instrument.pair), is_fresh)
    one, other = (spot(book, metal, PIVOT, is_fresh) for metal in (instrument.metal, METALS[instrument.target]))
    return Spot(
        bid=one.bid / other.ask,
        ask=one.ask / other.bid,
        as_of=min(one.as_of, other.as_of),
        digits=max(one.digits, other.digits),
        sources=tuple(dict.fromkeys((*one.sources, *other.sources))),
        instrument=instrument.pair,
        is_crossed=True,
    )


def _checked(metal: Metal, quote: Quote | None, is_fresh: IsFreshMetal) -> Spot:
    if quote is None:
        raise RateUnavailable(f"No source has delivered a price of [{metal.code}] there yet")
    if not is_fresh(quote):
        raise RateUnavailable(f"The newest price of [{metal.code}] is of [{quote.as_of:%Y-%m-%dT%H:%M:%SZ}], too old")
    return _dealt(metal, quote)


def _dealt(metal: Metal, quote: Quote) -> Spot:
    bid, ask = quote.sides(metal.code)
    return Spot(
        bid=bid,
        ask=ask,
        as_of=quote.as_of,
        digits=max(digits_of(bid), digits_of(ask)),
        sources=(source_text(metal, quote),),
        instrument=_instrument(metal, quote),
        is_crossed=quote.origin.made is Derivation.CROSSED,
    )


def _crossed(in_pivot: Spot, leg: Quote) -> Spot:
    bid, ask = leg.sides(PIVOT)
    as_of = min(in_pivot.as_of, leg.as_of)
    return replace(in_pivot, bid=in_pivot.bid * bid, ask=in_pivot.ask * ask, as_of=as_of, is_crossed=True)


def _instrument(metal: Metal, quote: Quote) -> Pair:
    """Give the pair that the source itself quotes: a bank fixes gold in its own currency, and we cross it."""
    legs = quote.origin.legs if quote.origin.made is Derivation.CROSSED else (quote.pair,)
    other = next((leg.other(metal.code) for leg in legs if metal.code in (leg.base, leg.quote)), PIVOT)
    return Pair(metal.code, other)


def source_text(metal: Metal, quote: Quote) -> str:
    """Say in a few words who published a metal's price, and what kind of price it is."""
    sources = quote.origin.sources
    if quote.origin.made is Derivation.FORWARD_ADJUSTED:
        return f"lme cash via {sources[0]}, moved by 3-month"
    if quote.origin.pace is not Pace.DAILY:
        return ", ".join(sources)
    if metal.kind is MetalKind.BASE:
        return f"lme cash via {', '.join(sources)}"
    return f"{', '.join(sources)}, daily fixing"


def own_unit(metal: Metal) -> Unit:
    """Give the unit that a metal's price is quoted for."""
    return UNITS[metal.unit]

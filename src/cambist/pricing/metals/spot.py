"""Spot prices: the exact price of a weight of a metal in a currency, from a direct quote or crossed through the pivot.

A cross rate multiplies bids with bids and asks with asks, so its spread is never narrower than a leg's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from cambist.pricing.exact import product
from cambist.pricing.metals.digits import Sides, digits_of, rounded_sides
from cambist.pricing.metals.instrument import Instrument
from cambist.pricing.metals.mass import ratio
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.unavailable import not_heard, too_old
from cambist.reference.assets import METALS, Metal, MetalKind
from cambist.reference.weights import UNITS, Purity, Unit

IsFreshMetal = Callable[[Quote], bool]
"""Return whether a quote may still be used."""


class Spot(Struct, frozen=True):
    """The price of one unit of a metal: exact bid and ask in the currency, and their origin.

    `as_of` is the market time of the oldest quote in it, `digits` the number of digits that the source published.
    `sources` name publisher and kind of price, for both metals of a ratio. `instrument` is the pair that was quoted.
    """

    bid: Fraction
    ask: Fraction
    as_of: datetime
    digits: int
    sources: tuple[str, ...]
    instrument: Pair
    is_crossed: bool

    def per(self, unit: Unit, purity: Purity, priced_by: Unit) -> Spot:
        """Return the price of another unit and purity. This price is of one unit `priced_by` of the pure metal."""
        part = weight_ratio(unit, priced_by, purity.fineness)
        return replace(self, bid=product(self.bid, part), ask=product(self.ask, part))

    @property
    def sides(self) -> Sides:
        """Bid and ask as they are written."""
        return rounded_sides(self.bid, self.ask, self.digits)


def spot(book: RateBook, metal: Metal, currency: str, is_fresh: IsFreshMetal) -> Spot:
    """Return the price of a metal's own unit in a currency: its direct quote if fresh, else crossed through the pivot.

    Errors: RateUnavailable if there is no quote, or none is fresh.
    """
    direct = book.pairs.get(Pair(metal.code, currency)) if currency != PIVOT else None
    if direct is not None and is_fresh(direct):
        return _direct(metal, direct)
    in_pivot = _in_pivot(book, metal, is_fresh)
    return in_pivot if currency == PIVOT else _crossed(in_pivot, book.leg(currency))


def instrument_spot(book: RateBook, instrument: Instrument, is_fresh: IsFreshMetal) -> Spot:
    """Return an instrument's price: its own quote, or a ratio of two. Errors: RateUnavailable if none is fresh."""
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


def _in_pivot(book: RateBook, metal: Metal, is_fresh: IsFreshMetal) -> Spot:
    """Return the price of a metal in the pivot, prepared once for each book. Errors: RateUnavailable."""
    found = book.derived.get(metal)
    if isinstance(found, Spot) and is_fresh(book.leg(metal.code)):
        return found
    in_pivot = book.derived[metal] = _checked(metal, book.leg(metal.code), is_fresh)
    return in_pivot


def _checked(metal: Metal, quote: Quote | None, is_fresh: IsFreshMetal) -> Spot:
    if quote is None:
        raise not_heard(f"No source has delivered a price of [{metal.code}] there")
    if not is_fresh(quote):
        raise too_old(metal.code, quote)
    return _direct(metal, quote)


def _direct(metal: Metal, quote: Quote) -> Spot:
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
    return replace(
        in_pivot, bid=product(in_pivot.bid, bid), ask=product(in_pivot.ask, ask), as_of=as_of, is_crossed=True
    )


@lru_cache(maxsize=1024)
def weight_ratio(unit: Unit, priced_by: Unit, fineness: Decimal) -> Fraction:
    """Return how many units of pure metal are in one unit of a fineness, in parts per thousand."""
    return ratio(unit, priced_by) * Fraction(fineness) / 1000


def _instrument(metal: Metal, quote: Quote) -> Pair:
    """Return the pair that the source quotes. A central bank may fix gold in its own currency; that is crossed."""
    legs = quote.origin.legs if quote.origin.made is Derivation.CROSSED else (quote.pair,)
    other = next((leg.other(metal.code) for leg in legs if metal.code in (leg.base, leg.quote)), PIVOT)
    return Pair(metal.code, other)


def source_text(metal: Metal, quote: Quote) -> str:
    """Return a short text: who published a metal's price, and which kind of price it is."""
    sources = quote.origin.sources
    if quote.origin.made is Derivation.FORWARD_ADJUSTED:
        return f"lme cash via {sources[0]}, moved by 3-month"
    if quote.origin.pace is not Pace.DAILY:
        return ", ".join(sources)
    if metal.kind is MetalKind.BASE:
        return f"lme cash via {', '.join(sources)}"
    return f"{', '.join(sources)}, daily fixing"


def own_unit(metal: Metal) -> Unit:
    """Return the unit that a metal is quoted in."""
    return UNITS[metal.unit]

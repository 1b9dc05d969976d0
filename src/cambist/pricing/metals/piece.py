"""Pieces of metal, such as rings and bars: what is in them, and what that is worth to who buys or sells them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from cambist.pricing.metals.mass import grams
from cambist.pricing.metals.spot import Spot
from cambist.reference.weights import Purity, Unit


class Piece(Struct, frozen=True, kw_only=True):
    """`count` equal pieces of a metal. `weight` is that of one in a unit of mass, and `deduct` how much of it is none.

    `margin` is the percentage that a shop keeps below the bid when it buys, and adds to the ask when it sells; `making`
    is what it adds for the work on each piece when it sells.
    """

    weight: Decimal
    deduct: Decimal
    unit: Unit
    purity: Purity
    count: int
    margin: Decimal
    making: Decimal

    @property
    def fine_grams(self) -> Fraction:
        """The grams of pure metal in all of them."""
        metal = Fraction(self.weight - self.deduct) * self.count * grams(self.unit)
        return metal * Fraction(self.purity.fineness) / 1000


class PieceValue(Struct, frozen=True):
    """What pieces are worth, exact: their metal at the bid and the ask, and what a shop pays and asks for them."""

    melt_bid: Fraction
    melt_ask: Fraction
    buy: Fraction
    sell: Fraction


def value_of(piece: Piece, per_gram: Spot) -> PieceValue:
    """Return the worth of pieces at the price of a gram of pure metal."""
    bid, ask = piece.fine_grams * per_gram.bid, piece.fine_grams * per_gram.ask
    part, making = Fraction(piece.margin) / 100, Fraction(piece.making) * piece.count
    return PieceValue(bid, ask, bid * (1 - part), ask * (1 + part) + making)

"""Crossing: any two currencies through the one pivot, so that inverses and triangles agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook


@dataclass(frozen=True, slots=True)
class Rate:
    """A midpoint with the market time of the oldest quote in it."""

    pair: Pair
    value: Fraction
    as_of: datetime


def midpoint(book: RateBook, pair: Pair) -> Rate:
    """Cross `pair` at midpoints: exactly the base's worth over the quote's.

    Errors: RateUnavailable when a leg is missing.
    """
    found = midpoints(book, [pair.base], [pair.quote])
    return Rate(pair, found.values[pair.base][pair.quote], found.as_of)


@dataclass(frozen=True, slots=True)
class Rates:
    """Midpoints by base and quote, in the order asked, with the market time of the oldest quote in them."""

    values: dict[str, dict[str, Fraction]]
    as_of: datetime


def midpoints(book: RateBook, bases: Iterable[str], quotes: Iterable[str]) -> Rates:
    """Cross every base with every quote at midpoints, each leg looked up once.

    Errors: RateUnavailable when a leg is missing.
    """
    of_base = {code: _worth(book, code) for code in bases}
    of_quote = {code: _worth(book, code) for code in quotes}
    legs = (book.leg(code).as_of for code in of_base | of_quote if code != PIVOT)
    return Rates(
        values={base: {quote: one / other for quote, other in of_quote.items()} for base, one in of_base.items()},
        as_of=min(legs, default=book.as_of),
    )


def _worth(book: RateBook, code: str) -> Fraction:
    return Fraction(1) if code == PIVOT else book.leg(code).worth(code)


def crossed_quote(book: RateBook, pair: Pair) -> Quote:
    """Cross `pair` with its sides: each leg is dealt at its worse side, so the spread only widens.

    Errors: RateUnavailable when a leg is missing.
    """
    legs = [book.leg(code) for code in (pair.base, pair.quote) if code != PIVOT]
    sold, bought = _sides(book, pair.base), _sides(book, pair.quote)
    return Quote(
        pair=pair,
        bid=sold[0] / bought[1],
        ask=sold[1] / bought[0],
        as_of=min((leg.as_of for leg in legs), default=book.as_of),
        received_at=max((leg.received_at for leg in legs), default=book.as_of),
        origin=Origin(Derivation.CROSSED, _sources(legs), tuple(leg.pair for leg in legs)),
    )


def _sides(book: RateBook, code: str) -> tuple[Fraction, Fraction]:
    return (Fraction(1), Fraction(1)) if code == PIVOT else book.leg(code).sides(code)


def _sources(legs: list[Quote]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for leg in legs for source in leg.origin.sources))

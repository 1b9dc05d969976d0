"""Dealing: what a pair is dealt at, bid and ask, directly or crossed; and which pair a name stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cambist.market.book import Book
from cambist.market.coins import is_listed
from cambist.market.cross import dealt
from cambist.market.pair import PIVOT, Pair
from cambist.market.quote import Quote
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES

IsFresh = Callable[[Quote], bool]
"""Says whether a quote may still be used."""


def deal(book: Book, pair: Pair, is_fresh: IsFresh = lambda _quote: True) -> Quote:
    """Give bid and ask of a pair: as it is dealt while that is fresh, either way round; else crossed.

    A crossed quote deals each leg at its worse side, so that its gap is wider than theirs. Errors: RateUnavailable.
    """
    direct = book.pairs.get(pair)
    if direct is not None and is_fresh(direct):
        return direct
    turned = book.pairs.get(pair.inverse)
    if turned is not None and is_fresh(turned):
        return replace(turned, pair=pair, bid=1 / turned.ask, ask=1 / turned.bid)
    return dealt(book, pair)


def fx_pair(book: Book, text: str) -> Pair | None:
    """Give the pair of listed currencies that `EURUSD`, `EUR/USD` or `eurusd` stands for; None where it is none."""
    name = text.strip().upper() if text.isascii() else ""
    base, slash, quote = name.partition("/")
    pair = Pair(base, quote) if slash else Pair(name[:3], name[3:])
    return pair if _is_of_currencies(book, pair) else None


def any_pair(book: Book, text: str) -> Pair | None:
    """Give the pair that a name stands for: of currencies, of coins as venues list it, or of a metal in a currency.

    A name without a slash may be cut in several ways: the first that is a pair of currencies, then of a metal, then of
    a coin (with the longest base) is meant. None where it is none.
    """
    name = text.strip().upper() if text.isascii() else ""
    base, slash, quote = name.partition("/")
    cuts = [(base, quote)] if slash else [(name[:at], name[at:]) for at in range(len(name) - 1, 0, -1)]
    pairs = [Pair(*cut) for cut in cuts]
    return next(
        (pair for kind in (_is_of_currencies, _is_of_metal, is_listed) for pair in pairs if kind(book, pair)),
        None,
    )


def _is_of_currencies(book: Book, pair: Pair) -> bool:
    return pair.base != pair.quote and pair.base in book.listed and pair.quote in book.listed


def _is_of_metal(book: Book, pair: Pair) -> bool:
    return pair.base in METALS and (pair.quote == PIVOT or (pair.quote in CURRENCIES and pair in book.pairs))

"""Names: which pair a client means. Pure."""

from __future__ import annotations

from cambist.market.book import Book
from cambist.market.coins import is_listed
from cambist.market.dealing import is_of_currencies
from cambist.market.pair import Pair
from cambist.metals.instrument import instrument_named
from cambist.reference.assets import METALS

_LONGEST = 40
"""Longer than any name: what is longer is not even cut."""


def pair_named(book: Book, text: str) -> Pair | None:
    """Give the pair that a name stands for: of currencies, of a metal as it is quoted, or of coins as venues list it.

    A name without a slash may be cut in several ways: the first that is a pair of currencies, then of a metal, then of
    a coin (with the longest base) is meant. None where it is none.
    """
    name = text.strip().upper() if len(text) <= _LONGEST and text.isascii() else ""
    base, slash, quote = name.partition("/")
    cuts = [(base, quote)] if slash else [(name[:at], name[at:]) for at in range(len(name) - 1, 0, -1)]
    pairs = [Pair(*cut) for cut in cuts]
    return next(
        (pair for kind in (is_of_currencies, _is_of_metal, is_listed) for pair in pairs if kind(book, pair)),
        None,
    )


def _is_of_metal(book: Book, pair: Pair) -> bool:
    return pair.base in METALS and instrument_named(book, pair.base + pair.quote) is not None

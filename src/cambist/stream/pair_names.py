"""Pair names: which pair a client means by a name. Pure."""

from __future__ import annotations

from cambist.pricing.crypto_pairs import is_listed
from cambist.pricing.metals.instrument import instrument_named
from cambist.pricing.pair import Pair
from cambist.pricing.pair_quote import is_of_currencies
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import METALS

_MAX_LENGTH = 40
"""Longer than any name: longer text is not even split."""


def parse_pair(book: RateBook, text: str) -> Pair | None:
    """Return the pair of a name, or None: of currencies, of a metal as it is quoted, or of coins as venues list it.

    A name without a slash may be split at several places: a pair of currencies comes first, then one of a metal, then
    one of a coin (with the longest base).
    """
    name = text.strip().upper() if len(text) <= _MAX_LENGTH and text.isascii() else ""
    base, slash, quote = name.partition("/")
    splits = [(base, quote)] if slash else [(name[:length], name[length:]) for length in range(len(name) - 1, 0, -1)]
    pairs = [Pair(*split) for split in splits]
    return next(
        (pair for is_pair in (is_of_currencies, _is_of_metal, is_listed) for pair in pairs if is_pair(book, pair)),
        None,
    )


def _is_of_metal(book: RateBook, pair: Pair) -> bool:
    return pair.base in METALS and instrument_named(book, pair.base + pair.quote) is not None

"""Parse the names of pairs that clients send. Pure."""

from __future__ import annotations

from cambist.pricing.crypto_pairs import is_listed
from cambist.pricing.currency_pairs import is_fx_pair
from cambist.pricing.metals.instrument import find_instrument
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import METALS
from cambist.reference.minor_units import spelled_code

_MAX_LENGTH = 40
"""Longer than any name. Longer text is not split, because there would be too many ways to do so."""


def parse_pair(book: RateBook, text: str) -> Pair | None:
    """Return the pair that a name means, or None.

    A name without a slash can be split at several places. A pair of currencies comes first, then a metal as it is
    quoted, then a pair of coins that a venue lists, with the longest base.
    """
    name = text.strip() if len(text) <= _MAX_LENGTH and text.isascii() else ""
    base, slash, quote = name.partition("/")
    splits = [(base, quote)] if slash else [(name[:length], name[length:]) for length in range(len(name) - 1, 0, -1)]
    pairs = [Pair(*map(spelled_code, split)) for split in splits]
    return next(
        (pair for is_pair in (is_fx_pair, _is_of_metal, is_listed) for pair in pairs if is_pair(book, pair)),
        None,
    )


def _is_of_metal(book: RateBook, pair: Pair) -> bool:
    return pair.base in METALS and find_instrument(book, pair.base + pair.quote) is not None

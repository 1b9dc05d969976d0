"""Pairs of two currencies: how a pair is written, and which ones are listed."""

from __future__ import annotations

from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.minor_units import spelled_code


def find_fx_pair(book: RateBook, text: str) -> Pair | None:
    """Return the pair of listed currencies that `EURUSD`, `EUR/USD` or `eurusd` names; None if it names none."""
    pair = split_pair_name(text)
    return pair if is_fx_pair(book, pair) else None


def split_pair_name(text: str) -> Pair:
    """Split a name at its slash, or after its third letter. The two codes need not exist."""
    name = text.strip() if text.isascii() else ""
    base, slash, quote = name.partition("/")
    sides = (base.strip(), quote.strip()) if slash else (name[:3], name[3:])
    return Pair(*map(spelled_code, sides))


def is_fx_pair(book: RateBook, pair: Pair) -> bool:
    """Return whether both sides are listed currencies, and not the same one."""
    return pair.base != pair.quote and pair.base in book.listed and pair.quote in book.listed

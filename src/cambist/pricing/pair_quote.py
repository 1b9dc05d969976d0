"""Dealing: what a pair is dealt at, directly or crossed; and which pair of currencies a name stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cambist.pricing.cross_rates import crossed_quote
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook

IsFreshQuote = Callable[[Quote], bool]
"""Says whether a quote may still be used."""


def pair_quote(book: RateBook, pair: Pair, is_fresh: IsFreshQuote = lambda _quote: True) -> Quote:
    """Give bid and ask of a pair: as it is dealt while that is fresh, either way round; else crossed.

    A crossed quote deals each leg at its worse side, so that its gap is wider than theirs. Errors: RateUnavailable.
    """
    direct = book.pairs.get(pair)
    if direct is not None and is_fresh(direct):
        return direct
    turned = book.pairs.get(pair.inverse)
    if turned is not None and is_fresh(turned):
        return replace(turned, pair=pair, bid=1 / turned.ask, ask=1 / turned.bid)
    return crossed_quote(book, pair)


def find_fx_pair(book: RateBook, text: str) -> Pair | None:
    """Give the pair of listed currencies that `EURUSD`, `EUR/USD` or `eurusd` stands for; None where it is none."""
    pair = split_pair_name(text)
    return pair if is_fx_pair(book, pair) else None


def split_pair_name(text: str) -> Pair:
    """Give the two codes of three letters that a name is made of, whatever they are."""
    name = text.strip().upper() if text.isascii() else ""
    base, slash, quote = name.partition("/")
    return Pair(base, quote) if slash else Pair(name[:3], name[3:])


def is_fx_pair(book: RateBook, pair: Pair) -> bool:
    """Say whether a pair is of two listed currencies."""
    return pair.base != pair.quote and pair.base in book.listed and pair.quote in book.listed

"""Pairs of coins: which ones venues list."""

from __future__ import annotations

from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import COINS


def is_coin_pair(pair: Pair) -> bool:
    """Say whether a pair has a coin on a side."""
    return pair.base in COINS or pair.quote in COINS


def listed_pairs(book: RateBook) -> list[Pair]:
    """Give all pairs with a coin in them that venues list, by name."""
    return sorted(pair for pair in book.pairs.keys() | book.venue_pairs if is_coin_pair(pair))


def is_listed(book: RateBook, pair: Pair) -> bool:
    """Say whether a pair has a coin in it, and a venue lists it."""
    return is_coin_pair(pair) and (pair in book.pairs or pair in book.venue_pairs)


def listed_coins(book: RateBook) -> list[str]:
    """Give all coins that the book prices or a venue lists a pair of, by symbol."""
    dealt = {side for pair in book.pairs.keys() | book.venue_pairs for side in (pair.base, pair.quote)}
    return sorted(COINS.keys() & (dealt | book.quotes.keys()))

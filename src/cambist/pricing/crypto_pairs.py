"""Pairs with a coin in them, and which of them venues list; until a venue was heard, those of the reference table."""

from __future__ import annotations

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import COINS


def is_coin_pair(pair: Pair) -> bool:
    """Return whether the base or the quote currency is a coin."""
    return pair.base in COINS or pair.quote in COINS


def listed_pairs(book: RateBook) -> list[Pair]:
    """Return all pairs with a coin in them that venues list, sorted."""
    return sorted(pair for pair in book.pairs.keys() | book.venue_pairs if is_coin_pair(pair))


def is_listed(book: RateBook, pair: Pair) -> bool:
    """Return whether a pair has a coin in it and a venue lists it."""
    return is_coin_pair(pair) and (pair in book.pairs or pair in book.venue_pairs)


def known_pairs(book: RateBook) -> list[Pair]:
    """Return the pairs that venues list; before any was heard every known coin against the pivot."""
    return listed_pairs(book) or [Pair(coin, PIVOT) for coin in sorted(COINS)]


def known_coins(book: RateBook) -> list[str]:
    """Return the coins that have a price or that venues list; before any was heard every known coin."""
    return listed_coins(book) if listed_pairs(book) else sorted(COINS)


def listed_coins(book: RateBook) -> list[str]:
    """Return all coins that have a price in the book or are in a pair that a venue lists, sorted."""
    paired = {side for pair in book.pairs.keys() | book.venue_pairs for side in (pair.base, pair.quote)}
    return sorted(COINS.keys() & (paired | book.quotes.keys()))

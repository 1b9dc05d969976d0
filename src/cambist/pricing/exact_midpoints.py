"""Exact midpoints as ratios of integers, for amounts that are converted to the last digit (ADR 2).

Integers are exact and, unlike fractions, fast. Over columns a price that is no decimal of eighteen digits is rounded to
them; a rate that law fixes is then taken from the law again.
"""

from __future__ import annotations

from math import isclose

from cambist.pricing.book_columns import ASK_EXACT, BID_EXACT, MADE, PRESENT, BookColumns
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.parity import legal_rate, parity_on
from cambist.pricing.quote import Derivation
from cambist.pricing.rate_book import RateBook
from cambist.pricing.scaled import unscaled_ratio

_BY_LAW = frozenset(MADE.index(made) for made in (Derivation.PEGGED, Derivation.CONVERTED))
_SAME = 1e-15


def exact_midpoint(book: RateBook, pair: Pair) -> tuple[int, int]:
    """Return the exact midpoint of a pair as a ratio, as `midpoint` does. Errors: RateUnavailable."""
    if not (book.holds(pair.base) and book.holds(pair.quote)):
        fixed = legal_rate(pair.base, pair.quote, book.as_of.date())
        if fixed is not None:
            return fixed.as_integer_ratio()
    (base, per_base), (quote, per_quote) = _mid_in_pivot(book, pair.base), _mid_in_pivot(book, pair.quote)
    return base * per_quote, per_base * quote


def _mid_in_pivot(book: RateBook, code: str) -> tuple[int, int]:
    if code == PIVOT:
        return 1, 1
    columns = book.columns
    slot = columns.names.codes.get(code)
    if slot is None or not columns.flags[slot] & PRESENT or code in book.outdated:
        raise book.unavailable(code)
    by_law = _by_law(book, code) if columns.made[slot] in _BY_LAW else None
    if by_law is not None:
        return by_law
    numerator, denominator = _mid_at(columns, slot)
    return (numerator, denominator) if code == columns.names.instruments[slot][1].base else (denominator, numerator)


def _mid_at(columns: BookColumns, slot: int) -> tuple[int, int]:
    flags = columns.flags[slot]
    bid, per_bid = unscaled_ratio(columns.bid_digits[slot], columns.bid_power[slot], is_exact=bool(flags & BID_EXACT))
    ask, per_ask = unscaled_ratio(columns.ask_digits[slot], columns.ask_power[slot], is_exact=bool(flags & ASK_EXACT))
    return bid * per_ask + ask * per_bid, 2 * per_bid * per_ask


def _by_law(book: RateBook, code: str) -> tuple[int, int] | None:
    """Return the midpoint that follows from the anchor's; None if the day's law is not that of the book."""
    parity = parity_on(book.as_of.date(), code)
    if parity is None or not book.holds(parity.anchor):
        return None
    numerator, denominator = _mid_in_pivot(book, parity.anchor)
    numerator, denominator = numerator * parity.factor.denominator, denominator * parity.factor.numerator
    # The book may be of a later day than its newest price, and the law may have changed since.
    return (numerator, denominator) if isclose(numerator / denominator, book.mids[code], rel_tol=_SAME) else None

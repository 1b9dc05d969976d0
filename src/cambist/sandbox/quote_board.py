"""All simulated quotes of one moment, as columns. A quote here is the one that the market returns alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.trading_hours import Hours, TradingMoment, last_trading_moment
from cambist.pricing.unix_time import EPOCH, unix_us
from cambist.sandbox.decimals import Decimals, Floats, Ints
from cambist.sandbox.path_group import PathGroup
from cambist.sandbox.price_paths import PricePaths
from cambist.sandbox.quoting import SANDBOX, rounded_together

_MICROSECOND = timedelta(microseconds=1)


class Listing(NamedTuple):
    """What is quoted in a row: a code against the dollar, or a direct pair. Its spread is a fraction of the price."""

    name: str | Pair
    pair: Pair
    hours: Hours
    spread: float


@dataclass(frozen=True, slots=True)
class QuoteColumns:
    """The quotes of one moment, a row for each listing. Times are in microseconds since 1970."""

    listings: tuple[Listing, ...]
    bids: Decimals
    asks: Decimals
    as_of: Ints
    received_at: Ints

    def quote(self, row: int) -> Quote:
        """Return the quote of a row."""
        as_of, received_at = (EPOCH + _MICROSECOND * column[row].item() for column in (self.as_of, self.received_at))
        return Quote(
            self.listings[row].pair, self.bids.fraction(row), self.asks.fraction(row), as_of, received_at, SANDBOX
        )

    def is_same(self, other: QuoteColumns) -> NDArray[np.bool_]:
        """Return for each row whether price and market time are those of other quotes of the same listings."""
        is_same_time: NDArray[np.bool_] = self.as_of == other.as_of
        return is_same_time & self.bids.is_same(other.bids) & self.asks.is_same(other.asks)

    def received_as(self, received_at: Ints) -> QuoteColumns:
        """Return the quotes, received at other times."""
        return QuoteColumns(self.listings, self.bids, self.asks, self.as_of, received_at)

    def replace(self, rows: Sequence[int], quotes: Sequence[Quote]) -> QuoteColumns:
        """Return the quotes with some of them replaced. The times of receiving stay."""
        if not rows:
            return self
        bids = _replaced(self.bids, rows, [quote.bid for quote in quotes])
        asks = _replaced(self.asks, rows, [quote.ask for quote in quotes])
        as_of = self.as_of.copy()
        as_of[rows] = [unix_us(quote.as_of) for quote in quotes]
        return QuoteColumns(self.listings, bids, asks, as_of, self.received_at)


def _replaced(sides: Decimals, rows: Sequence[int], prices: Iterable[Fraction]) -> Decimals:
    changed = rounded_together(np.array([float(price) for price in prices]))
    digits, exponents = sides.digits.copy(), sides.exponents.copy()
    digits[rows], exponents[rows] = changed
    return Decimals(digits, exponents)


class QuoteBoard:
    """Quotes the same listings again and again. Each code has its own hours, which need not be those of a pair."""

    def __init__(self, listings: Sequence[Listing], paths: PricePaths, hours: Mapping[str, Hours]) -> None:
        self.listings = tuple(listings)
        # A code is priced at the moment of its pair. Codes of the same hours in pairs of the same hours go together.
        together: dict[tuple[Hours, Hours], dict[str, None]] = {}
        for each in listings:
            for side in (each.pair.base, each.pair.quote):
                if side != PIVOT:
                    together.setdefault((each.hours, hours[side]), {})[side] = None
        self._groups = [(*group, PathGroup([paths.path(code) for code in codes])) for group, codes in together.items()]
        heights = [(pair_hours, code) for (pair_hours, _), codes in together.items() for code in codes]
        place = {height: number for number, height in enumerate(heights, 1)} | {(kind, PIVOT): 0 for kind in Hours}
        self._bases = np.array([place[each.hours, each.pair.base] for each in listings], np.intp)
        self._quotes = np.array([place[each.hours, each.pair.quote] for each in listings], np.intp)
        self._kinds = list(dict.fromkeys(each.hours for each in listings))
        self._kind = np.array([self._kinds.index(each.hours) for each in listings], np.intp)
        self._to_bid = np.array([1 - each.spread / 2 for each in listings])
        self._to_ask = np.array([1 + each.spread / 2 for each in listings])

    def at(self, moment: datetime, received_at: datetime) -> QuoteColumns:
        """Quote all listings at a moment. While a market is closed its quotes are the last before."""
        traded = {hours: last_trading_moment(hours, moment) for hours in self._kinds}
        heights = self._heights(traded)
        # The exponential of the standard library: that of numpy may differ in the last bit.
        prices = np.array([exp(height) for height in (heights[self._quotes] - heights[self._bases]).tolist()])
        as_of = np.array([unix_us(traded[hours].as_of) for hours in self._kinds], np.int64)[self._kind]
        received = np.full(len(self.listings), unix_us(received_at), np.int64)
        bids, asks = rounded_together(prices * self._to_bid), rounded_together(prices * self._to_ask)
        return QuoteColumns(self.listings, bids, asks, as_of, received)

    def _heights(self, traded: Mapping[Hours, TradingMoment]) -> Floats:
        heights = [
            paths.at(last_trading_moment(code_hours, traded[pair_hours].as_of).seconds)
            for pair_hours, code_hours, paths in self._groups
        ]
        return np.concatenate([np.zeros(1), *heights])

"""Prices of the stream: one frame for each pair, rebuilt only if the quotes that it is computed from have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from cambist.errors import RateUnavailable
from cambist.pricing.book_tables import QuoteName
from cambist.pricing.consensus import FRESH_FOR
from cambist.pricing.cross_rates import pair_quote
from cambist.pricing.freshness import (
    FIXING_MAX_AGE,
    MaxAges,
    first_stale_code,
    is_fresh,
    is_tradable,
    metal_fresh_for,
    oldest_fixing,
)
from cambist.pricing.metals.digits import Sides, digits_of, rounded_sides
from cambist.pricing.metals.instrument import Instrument
from cambist.pricing.metals.spot import instrument_spot
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.trading_hours import is_open
from cambist.pricing.unix_time import EPOCH, unix_ms
from cambist.reference.assets import METALS, AssetKind, kind_of
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.sizes import quote_size
from cambist.stream.messages import price_frame
from cambist.stream.pair_names import parse_pair

Clock = Callable[[], datetime]

_CLOCK_STEP = timedelta(seconds=1)
"""For how long the time from which ages are measured, and the results, are cached."""

_LIVE_SECONDS = 15.0
"""How old the newest book may be for the stream to be live."""


@dataclass(frozen=True, slots=True)
class PriceStatus:
    """The version of the newest rate book, and its age in seconds; None if there is no book yet."""

    version: int
    age: float | None

    @property
    def is_live(self) -> bool:
        """Whether the newest book is recent."""
        return self.age is not None and self.age <= _LIVE_SECONDS


@dataclass(slots=True)
class _Tracked:
    """A tracked pair and its frame.

    `frame` is empty without a fresh price, and None until it is built. `last_frame` is the last one that was built, and
    `changed_in` the version of the book that changed it.
    """

    pair: Pair
    inverse: Pair
    frame: bytes | None = b""
    last_frame: bytes = b""
    changed_in: int = 0
    as_of: datetime = EPOCH
    fixing: Quote | None = None


class Prices:
    """The newest price of every tracked pair as a frame, built when it is first needed.

    `ages` are the longest ages of traded prices, `longest_age` is that of any price, fixings included. `published_at`
    is when the book was published, in seconds since 1970.
    """

    def __init__(self, ages: MaxAges, clock: Clock, longest_age: timedelta | None = None) -> None:
        self._ages = {AssetKind.CURRENCY: FRESH_FOR[Pace.REALTIME], **ages}
        self._clock = clock
        self._longest_age = timedelta.max if longest_age is None else longest_age
        self._book: RateBook | None = None
        self._tracked: dict[str, _Tracked] = {}
        self._priced_by: dict[QuoteName, set[str]] = {}
        self._now = clock()
        self._fresh_legs: dict[str, bool] = {}
        self.published_at = 0.0

    def status(self, now: float) -> PriceStatus:
        """Return the status of the prices. `now` is in seconds since 1970."""
        return PriceStatus(self._book.version, now - self.published_at) if self._book else PriceStatus(0, None)

    def parse_pairs(self, names: Iterable[str]) -> tuple[dict[str, Pair], list[str]]:
        """Return the pairs that these names mean, by symbol, and the names that mean none."""
        book = self._book
        pairs: dict[str, Pair] = {}
        unknown = []
        for name in names:
            pair = parse_pair(book, name) if book else None
            if pair is None:
                unknown.append(name)
            else:
                pairs[pair.base + pair.quote] = pair
        return pairs, unknown

    def track(self, pairs: Mapping[str, Pair]) -> None:
        """Start pricing these pairs."""
        for symbol, pair in pairs.items():
            if symbol not in self._tracked:
                self._tracked[symbol] = _Tracked(pair, pair.inverse, frame=None if self._book else b"")
                for name in _priced_by(pair):
                    self._priced_by.setdefault(name, set()).add(symbol)

    def untrack(self, symbols: Iterable[str]) -> None:
        """Stop pricing these pairs."""
        for symbol in symbols:
            tracked = self._tracked.pop(symbol, None)
            for name in _priced_by(tracked.pair) if tracked else ():
                self._priced_by[name].discard(symbol)
                if not self._priced_by[name]:
                    del self._priced_by[name]

    def update(self, book: RateBook) -> set[str]:
        """Use a new book; return the pairs whose price may have changed."""
        names = book.changed_since(self._book) if self._book and self._tracked else None
        self._book = book
        self._fresh_legs.clear()
        self._now = self._clock()
        if names is None:
            changed = set(self._tracked)
        else:
            changed = {symbol for name in names & self._priced_by.keys() for symbol in self._priced_by[name]}
        for symbol in changed:
            self._tracked[symbol].frame = None
        return changed

    def changed_frame(self, symbol: str, since: int) -> bytes:
        """Return a pair's frame if the book of version `since` or a later one has changed it, else b""."""
        tracked = self._tracked.get(symbol)
        if tracked is None:
            return b""
        if tracked.frame is None:
            self._rebuild(symbol, tracked)
        return tracked.last_frame if tracked.changed_in >= since else b""

    def fresh_frame(self, symbol: str, since: int = 0) -> bytes:
        """Return a pair's frame as `changed_frame` does, but only if its price is fresh now."""
        tracked, now = self._tracked.get(symbol), self._clock()
        if tracked is None or self._book is None:
            return b""
        if now - self._now > _CLOCK_STEP:
            self._fresh_legs.clear()
            self._now = now
        if not tracked.frame:
            tracked.frame = None  # its market may have closed since, and then its last price is sent
        frame = self.changed_frame(symbol, since)
        return frame if frame and self._is_sent(self._book, tracked) else b""

    def _rebuild(self, symbol: str, tracked: _Tracked) -> None:
        book = self._book
        tracked.frame = self._build(book, tracked, symbol) if book else b""
        if book and tracked.frame != tracked.last_frame:
            tracked.last_frame, tracked.changed_in = tracked.frame, book.version

    def _build(self, book: RateBook, tracked: _Tracked, symbol: str) -> bytes:
        try:
            sides, tracked.as_of, tracked.fixing = self._sides(book, tracked.pair)
        except (RateUnavailable, ValueError):
            return b""
        if not self._is_sent(book, tracked):
            return b""
        bid, ask = format(sides.bid, "f"), format(sides.ask, "f")
        fixed_on = tracked.fixing.as_of.date().isoformat() if tracked.fixing else ""
        return price_frame(symbol, bid, ask, unix_ms(tracked.as_of), fixed_on)

    def _sides(self, book: RateBook, pair: Pair) -> tuple[Sides, datetime, Quote | None]:
        """Return bid and ask of a pair, their time, and the oldest daily fixing that a pair of currencies uses."""
        metal = METALS.get(pair.base)
        if metal is not None:
            instrument = Instrument(metal, pair.quote)
            found = instrument_spot(book, instrument, lambda quote: self._is_quote_fresh(quote, AssetKind.METAL))
            return found.sides, found.as_of, None
        kind, size = _kind(pair), quote_size(pair.base, pair.quote)
        quote = pair_quote(book, pair, lambda quote: self._is_quote_fresh(quote, kind))
        bid, ask = quote.bid * size, quote.ask * size
        fixing = oldest_fixing(book, pair) if quote.origin.legs and kind is AssetKind.CURRENCY else None
        return rounded_sides(bid, ask, max(digits_of(bid), digits_of(ask))), quote.as_of, fixing

    def _is_sent(self, book: RateBook, tracked: _Tracked) -> bool:
        return self._now - tracked.as_of <= self._longest_age and self._is_fresh(book, tracked)

    def _is_fresh(self, book: RateBook, tracked: _Tracked) -> bool:
        """Return whether a pair has a fresh quote or fresh legs to cross, by the same rules as the endpoints."""
        pair, kind = tracked.pair, _kind(tracked.pair)
        quotes = book.pairs.get(pair), book.pairs.get(tracked.inverse)
        if any(quote is not None and self._is_quote_fresh(quote, kind) for quote in quotes):
            return True
        if tracked.fixing is not None and self._now - tracked.fixing.as_of > FIXING_MAX_AGE:
            return False
        if kind is AssetKind.CURRENCY and not is_open(pair, self._now):
            return True
        return all(self._leg_is_fresh(book, code, kind) for code in (pair.base, pair.quote))

    def _leg_is_fresh(self, book: RateBook, code: str, kind: AssetKind) -> bool:
        """Return whether one leg has a fresh quote. The currency in which a coin or metal is quoted always has."""
        if code == PIVOT or (kind is not AssetKind.CURRENCY and code in CURRENCIES):
            return True
        if code not in self._fresh_legs:
            if kind is AssetKind.CURRENCY:
                self._fresh_legs[code] = is_tradable(book, code, self._is_quote_fresh)
            else:
                self._fresh_legs[code] = first_stale_code(book, [code], self._is_quote_fresh) is None
        return self._fresh_legs[code]

    def _is_quote_fresh(self, quote: Quote, kind: AssetKind) -> bool:
        if kind is AssetKind.METAL:
            return metal_fresh_for(quote, self._ages, self._now) >= timedelta()
        return is_fresh(quote, kind, self._ages, self._now)


def _priced_by(pair: Pair) -> tuple[QuoteName, ...]:
    """Return the names of the quotes that a pair's price is computed from."""
    return pair, pair.inverse, pair.base, pair.quote


@lru_cache(maxsize=16_384)
def _kind(pair: Pair) -> AssetKind:
    kinds = {kind_of(pair.base), kind_of(pair.quote)}
    return next((kind for kind in (AssetKind.COIN, AssetKind.METAL) if kind in kinds), AssetKind.CURRENCY)

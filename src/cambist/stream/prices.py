"""Prices as the stream tells them: one ready frame a pair, made anew only where the quotes behind it are others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from cambist.errors import RateUnavailable
from cambist.market.book import Book
from cambist.market.consensus import FRESH_FOR
from cambist.market.dealing import deal
from cambist.market.freshness import FIXING_QUOTED_FOR, Ages, is_dealt, is_fresh, oldest_fixing, stale_among
from cambist.market.hours import is_open
from cambist.market.pair import PIVOT, Pair
from cambist.market.quote import Quote
from cambist.market.standing import Pace
from cambist.market.unix import EPOCH, unix_ms
from cambist.metals.digits import Sides, digits_of, written_sides
from cambist.metals.instrument import Instrument
from cambist.metals.spot import quoted
from cambist.reference.assets import METALS, AssetKind, kind_of
from cambist.reference.sizes import size_of
from cambist.reference.tables import CURRENCIES
from cambist.stream import messages
from cambist.stream.names import pair_named

Clock = Callable[[], datetime]

_Ground = tuple[Quote | None, ...]

_SAME_MOMENT = timedelta(seconds=1)
"""For how long what was found of ages holds."""


@dataclass(slots=True)
class _Told:
    """What is told of a pair: the quotes that it stands on, its frame, and the book that changed that last.

    Without a fresh price the frame is empty; it is None until somebody asks for it.
    """

    pair: Pair
    inverse: Pair
    ground: _Ground = ()
    frame: bytes | None = b""
    before: bytes = b""
    changed: int = 0
    as_of: datetime = EPOCH
    fixing: Quote | None = None


class Prices:
    """The newest price of every pair that somebody listens to, as frames, each made when it is first asked for.

    `ages` say how old a price that trades may be, `longest_age` how old any, fixings included.
    """

    def __init__(self, ages: Ages, clock: Clock, longest_age: timedelta | None = None) -> None:
        self._ages = {AssetKind.CURRENCY: FRESH_FOR[Pace.REALTIME], **ages}
        self._clock = clock
        self._longest_age = timedelta.max if longest_age is None else longest_age
        self._book: Book | None = None
        self._told: dict[str, _Told] = {}
        self._now = clock()
        self._legs: dict[str, bool] = {}

    @property
    def book(self) -> Book | None:
        """The book that the prices are of."""
        return self._book

    def pairs(self, names: Iterable[str]) -> tuple[dict[str, Pair], list[str]]:
        """Give the pairs that names stand for, by symbol, and the names that stand for none."""
        book = self._book
        known: dict[str, Pair] = {}
        unknown = []
        for name in names:
            pair = pair_named(book, name) if book else None
            if pair is None:
                unknown.append(name)
            else:
                known[pair.base + pair.quote] = pair
        return known, unknown

    def listen(self, pairs: Mapping[str, Pair]) -> None:
        """Make prices of these pairs too from now on."""
        for symbol, pair in pairs.items():
            if symbol not in self._told:
                told = self._told[symbol] = _Told(pair, pair.inverse)
                self._stir(told)

    def forget(self, symbols: Iterable[str]) -> None:
        """Make no more prices of these."""
        for symbol in symbols:
            self._told.pop(symbol, None)

    def take(self, book: Book) -> set[str]:
        """Take up a new book; give the pairs whose price may be another now."""
        self._book = book
        self._legs.clear()
        self._now = self._clock()
        return {symbol for symbol, told in self._told.items() if self._stir(told)}

    def news(self, symbol: str, since: int) -> bytes:
        """Give a pair's price if it has changed with the book of version `since` or later; else nothing."""
        told = self._told.get(symbol)
        if told is None:
            return b""
        if told.frame is None:
            self._make(symbol, told)
        return told.before if told.changed >= since else b""

    def frame(self, symbol: str, since: int = 0) -> bytes:
        """Give a pair's price as `news` does, and only if it is fresh at this moment."""
        told, now = self._told.get(symbol), self._clock()
        if told is None or self._book is None:
            return b""
        if now - self._now > _SAME_MOMENT:
            self._legs.clear()
            self._now = now
        if not told.frame:
            told.frame = None  # its market may have closed since, and its last price stand
        frame = self.news(symbol, since)
        return frame if frame and self._is_told(self._book, told) else b""

    def _stir(self, told: _Told) -> bool:
        """Note that a frame is to be made anew where the quotes behind it are others."""
        if self._book is None:
            return False
        quotes, pairs, pair = self._book.quotes, self._book.pairs, told.pair
        ground = pairs.get(pair), pairs.get(told.inverse), quotes.get(pair.base), quotes.get(pair.quote)
        if told.ground and all(map(_is, ground, told.ground)):
            return False
        told.ground, told.frame = ground, None
        return True

    def _make(self, symbol: str, told: _Told) -> None:
        book = self._book
        told.frame = self._made(book, told, symbol) if book else b""
        if book and told.frame != told.before:
            told.before, told.changed = told.frame, book.version

    def _made(self, book: Book, told: _Told, symbol: str) -> bytes:
        try:
            sides, told.as_of, told.fixing = self._sides(book, told.pair)
        except (RateUnavailable, ValueError):
            return b""
        if not self._is_told(book, told):
            return b""
        bid, ask = format(sides.bid, "f"), format(sides.ask, "f")
        fixed_on = told.fixing.as_of.date().isoformat() if told.fixing else ""
        return messages.price(symbol, bid, ask, unix_ms(told.as_of), fixed_on)

    def _sides(self, book: Book, pair: Pair) -> tuple[Sides, datetime, Quote | None]:
        """Return bid and ask of a pair, their time, and the oldest daily fixing that a pair of currencies stands on."""
        metal = METALS.get(pair.base)
        if metal is not None:
            instrument = Instrument(metal, pair.quote)
            found = quoted(book, instrument, lambda quote: self._is_young(quote, AssetKind.METAL))
            return found.sides, found.as_of, None
        kind, size = _kind(pair), size_of(pair.base, pair.quote)
        quote = deal(book, pair, lambda quote: self._is_young(quote, kind))
        bid, ask = quote.bid * size, quote.ask * size
        fixing = oldest_fixing(book, pair) if quote.origin.legs and kind is AssetKind.CURRENCY else None
        return written_sides(bid, ask, max(digits_of(bid), digits_of(ask))), quote.as_of, fixing

    def _is_told(self, book: Book, told: _Told) -> bool:
        return self._now - told.as_of <= self._longest_age and self._is_fresh(book, told)

    def _is_fresh(self, book: Book, told: _Told) -> bool:
        """Say whether a pair has a price now, as the endpoints decide it: dealt as such and young, or crossed."""
        pair, kind = told.pair, _kind(told.pair)
        if any(quote is not None and self._is_young(quote, kind) for quote in told.ground[:2]):
            return True
        if told.fixing is not None and self._now - told.fixing.as_of > FIXING_QUOTED_FOR:
            return False
        if kind is AssetKind.CURRENCY and not is_open(pair, self._now):
            return True
        return all(self._leg_is_fresh(book, code, kind) for code in (pair.base, pair.quote))

    def _leg_is_fresh(self, book: Book, code: str, kind: AssetKind) -> bool:
        """Say whether a side of a pair of some kind has a price to deal at; the money of a coin always has one."""
        if code == PIVOT or (kind is not AssetKind.CURRENCY and code in CURRENCIES):
            return True
        if code not in self._legs:
            if kind is AssetKind.CURRENCY:
                self._legs[code] = is_dealt(book, code, self._is_young)
            else:
                self._legs[code] = stale_among(book, [code], self._is_young) is None
        return self._legs[code]

    def _is_young(self, quote: Quote, kind: AssetKind) -> bool:
        return is_fresh(quote, kind, self._ages, self._now)


def _is(one: object, other: object) -> bool:
    return one is other


@lru_cache(maxsize=16_384)
def _kind(pair: Pair) -> AssetKind:
    kinds = {kind_of(pair.base), kind_of(pair.quote)}
    return next((kind for kind in (AssetKind.COIN, AssetKind.METAL) if kind in kinds), AssetKind.CURRENCY)

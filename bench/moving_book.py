"""Publish rate books whose prices move, into the data folders of running services.

The book has the floating currencies and those fixed by law, metals, any number of coins, and their pairs, at the
prices of the simulated market. In each book a fifth of the prices have changed. The prices of bitcoin and of the yen
change in every book and say which one it is.

The process yields its core to any other that needs it. It reads its standard input: a number is the books a second from
now on, 0 none. It ends with its input.
"""

import argparse
import itertools
import os
import select
import sys
import time
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.registry.sandbox.sandbox_snapshots import COINS_BY_SIZE
from cambist.sandbox.market import SimulatedMarket
from cambist.sandbox.quoting import rounded
from cambist.storage.shared.rate_book_file import RateBookFile

COINS, BOOKS_A_SECOND = 1_500, 10
MARKS = {"BTC": (Pair("BTC", PIVOT), 50_000, Fraction(1, 100)), "JPY": (Pair(PIVOT, "JPY"), 100, Fraction(1, 1000))}
"""The pair of a code with the dollar, the level of its midpoint, and what each book adds to it."""

_PARTS = 5
_ORIGIN = Origin(Derivation.PUBLISHED, ("bench",), pace=Pace.REALTIME)


class MovingBook:
    """Builds one book after another. The same numbers and times give the same books.

    `coins` beyond those of the package have invented symbols. `pairs` is how many pairs of coins there are beside those
    of the simulated market.
    """

    def __init__(self, at: datetime, coins: int = COINS, pairs: int = 0, version: int = 0) -> None:
        symbols = [*COINS_BY_SIZE[:coins], *(f"BENCH{number:04}" for number in range(coins - len(COINS_BY_SIZE)))]
        market = SimulatedMarket(1, COINS_BY_SIZE[:coins])
        quotes = {code: market.quote(code, at) for code in market.codes(at.date())}
        quotes |= {symbol: _quote(Pair(symbol, PIVOT), 1.5, at) for symbol in symbols if symbol not in quotes}
        direct = {pair: market.pair_quote(pair, at) for pair in market.pairs() if _is_quoted(pair, quotes)}
        direct |= {pair: _quote(pair, 1.5, at) for pair in itertools.islice(_more_pairs(symbols, direct), pairs)}
        first = assemble_rate_book(
            {code: _renew(quote, at) for code, quote in quotes.items()},
            version,
            at,
            {pair: _renew(quote, at) for pair, quote in direct.items()},
            frozenset(direct),
        )
        self._last = first
        self._moving: list[str | Pair] = [*quotes, *direct]
        self._levels: dict[str | Pair, float] = {
            name: float(quote.mid) for part in (quotes, direct) for name, quote in part.items()
        }
        self.number = 0

    def next(self, at: datetime) -> QuotedBook:
        """Return the next book, published at a moment."""
        self.number += 1
        last, quotes, pairs = self._last, dict(self._last.quotes), dict(self._last.pairs)
        for name in self._moving[self.number % _PARTS :: _PARTS]:
            part = quotes if isinstance(name, str) else pairs
            before = part[name]
            part[name] = _quote(before.pair, self._levels[name] * _move(self.number), at)
        self._mark(quotes, pairs, at)
        self._last = QuotedBook(last.version + 1, at, quotes, last.listed, pairs, last.venue_pairs)
        return self._last

    def _mark(self, quotes: dict[str, Quote], pairs: dict[Pair, Quote], at: datetime) -> None:
        """Set the prices that say which book it is."""
        for code, (pair, level, step) in MARKS.items():
            mid = level + self.number * step
            quotes[code] = Quote(pair, mid - step / 2, mid + step / 2, at, at, _ORIGIN)
            if pair in pairs:
                pairs[pair] = quotes[code]


def book_number(code: str, mid: float) -> int:
    """Return the number of the book in which the midpoint of a code's pair with the dollar is `mid`."""
    _pair, level, step = MARKS[code]
    return round((mid - level) / float(step))


def sizes(instruments: int) -> tuple[int, int]:
    """Return how many coins, and how many pairs beside the simulated market's, make this number of instruments."""
    coins = bisect_right(range(COINS + 1), instruments, key=_instruments) - 1
    return max(0, coins), max(0, instruments - _instruments(max(0, coins)))


def _instruments(coins: int) -> int:
    """Return the number of quoted codes and pairs with so many coins."""
    market, today = SimulatedMarket(1, COINS_BY_SIZE[:coins]), datetime.now(UTC).date()
    quoted = {*market.codes(today), PIVOT}
    pairs = sum({pair.base, pair.quote} <= quoted for pair in market.pairs())
    return len(quoted) - 1 + pairs + max(0, coins - len(COINS_BY_SIZE))


def _move(number: int) -> float:
    """Return the factor of a price: up to half a per mille above its level."""
    return 1 + (number * 7919 % 1000) / 2_000_000


def _is_quoted(pair: Pair, quotes: dict[str, Quote]) -> bool:
    """Return whether both sides of a pair have a price; some currencies are pegged today."""
    return all(side == PIVOT or side in quotes for side in (pair.base, pair.quote))


def _more_pairs(symbols: list[str], known: dict[Pair, Quote]) -> Iterator[Pair]:
    """Yield pairs of coins that are not quoted yet."""
    for quote in ("USDT", "EUR", "BTC"):
        for symbol in symbols:
            if symbol != quote and (pair := Pair(symbol, quote)) not in known:
                yield pair


def _quote(pair: Pair, level: float, at: datetime) -> Quote:
    return Quote(pair, rounded(level * 0.9999), rounded(level * 1.0001), at, at, _ORIGIN)


def _renew(quote: Quote, at: datetime) -> Quote:
    """Return a simulated quote as one of this benchmark, because a live service refuses simulated prices."""
    return Quote(quote.pair, quote.bid, quote.ask, at, at, _ORIGIN)


def main() -> None:
    """Publish until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", help="data folders of running services")
    parser.add_argument("--rate", type=float, default=BOOKS_A_SECOND, help="books a second at first")
    parser.add_argument(
        "--instruments", type=int, help="quotes of codes and pairs together (default: as with 1,500 coins)"
    )
    arguments = parser.parse_args()
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    files = [RateBookFile(folder) for folder in arguments.folders]
    version = max(book.version for file in files if (book := file.current()))
    coins, pairs = sizes(arguments.instruments) if arguments.instruments else (COINS, 0)
    books = MovingBook(datetime.now(UTC), coins, pairs, version)
    publish(files, books, arguments.rate)


def publish(files: list[RateBookFile], books: MovingBook, rate: float) -> None:
    """Publish books into all folders until the input ends, the first one at once."""
    due, is_open = time.monotonic(), True
    while is_open:
        if due <= time.monotonic():
            book = books.next(datetime.now(UTC))
            for file in files:
                file.publish(book)
            if books.number == 1:
                print("published", flush=True)
            due = max(due + 1 / rate, time.monotonic()) if rate else float("inf")
        wait = None if due == float("inf") else max(0.0, due - time.monotonic())
        if select.select([sys.stdin], [], [], wait)[0]:
            words = os.read(sys.stdin.fileno(), 4096).split()
            is_open = bool(words)
            rate, due = (float(words[-1]), time.monotonic()) if words else (rate, due)


if __name__ == "__main__":
    main()

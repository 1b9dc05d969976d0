"""What a sandbox serves: the image and the books of the simulated market, with the faults that are set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import blake2b
from typing import TypeVar

import numpy as np

from cambist.errors import CannotStart, NoRate
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.reference.assets import COINS, METALS
from cambist.reference.tables import CURRENCIES, reference_digest
from cambist.registry.sandbox_faults import FaultsFile
from cambist.sandbox.faults import with_faults
from cambist.sandbox.fixing_days import FIXED_AT
from cambist.sandbox.levels import LEVELS
from cambist.sandbox.market import Market, SimulatedMarket
from cambist.settings import Settings
from cambist.status.environment import SIMULATED, Environment
from cambist.storage.data_directory import DataDirectory

N = TypeVar("N", str, Pair)

_AHEAD = timedelta(days=400)
"""How far the image reaches past today, as that of a live service does."""

COINS_BY_SIZE = (*(code for code in LEVELS if code in COINS), *(coin for coin in COINS if coin not in LEVELS))
"""All coins, those with a level of their own first: the market deals the first ones in more pairs."""

_BUILD = 1
"""Counted up when the way of building changes, so that an older image is not taken for a current one."""


@cache
def simulated_codes() -> frozenset[str]:
    """Give the codes that are quoted at some time, whatever the seed."""
    return SimulatedMarket(0, COINS_BY_SIZE).known


def faults_file(settings: Settings) -> FaultsFile:
    """Give the faults of a sandbox's folder. Errors: CannotStart for a folder that is none."""
    folder = DataDirectory(settings.data)
    if folder.environment is None:
        raise CannotStart(f"There is no sandbox in {folder.path}: run [cambist serve --sandbox] once, or name --data")
    folder.check(Environment.SANDBOX)
    return FaultsFile(folder.faults, simulated_codes())


class SandboxSnapshots:
    """The market of the settings' seed, as its folder's faults make it."""

    def __init__(self, settings: Settings) -> None:
        self._seed = settings.sandbox_seed
        self._honest = SimulatedMarket(self._seed, COINS_BY_SIZE)
        self._file = FaultsFile(DataDirectory(settings.data).faults, self._honest.known)
        self.look()

    def look(self) -> None:
        """Take up the faults that are set now."""
        faults = self._file.look()
        self._missing = sorted(faults.missing)
        self._market: Market = with_faults(self._honest, faults)

    def book(self, version: int, now: datetime, before: RateBook | None = None) -> RateBook:
        """Make the book of a moment; what has not moved since the book `before` is the quote from there."""
        quotes = {code: self._market.quote(code, now) for code in self._market.codes(now.date())}
        book = assemble_rate_book(quotes, version, now, dict(self._pairs(now)))
        if before is None:
            return book
        quotes, pairs = _kept(before.quotes, book.quotes), _kept(before.pairs, book.pairs)
        return RateBook(version, book.as_of, quotes, book.listed, pairs)

    def _pairs(self, now: datetime) -> Iterator[tuple[Pair, Quote]]:
        for pair in self._market.pairs():
            with suppress(NoRate):  # one side of it is tied by law today
                yield pair, self._market.pair_quote(pair, now)

    def is_current(self, matrix: RateMatrix, now: datetime) -> bool:
        """Say whether an image is the one of this moment."""
        return matrix.revision == self.revision(now)

    def revision(self, now: datetime) -> str:
        """Name what the image is built from: seed, days, tables and the days that are missing."""
        missing = blake2b(repr(self._missing).encode(), digest_size=6).hexdigest()
        return f"{SIMULATED}-{self._seed}-{last_simulated_day(now)}-{reference_digest()}-{missing}-{_BUILD}"

    def matrix(self, now: datetime) -> RateMatrix:
        """Build the image of all days since 1970."""
        publication = SourceHistory(PIVOT, list(self._lines(now)), SIMULATED, outranks_pegs=False)
        return build_rate_matrix([publication], now.date() + _AHEAD, self.revision(now))

    def _lines(self, now: datetime) -> Iterator[PairSeries]:
        days = (last_simulated_day(now) - FIRST_DAY).days + 1
        for code in sorted(self._market.known & {*CURRENCIES, *METALS}):
            units = self._market.daily(code, FIRST_DAY, days)
            rows = np.flatnonzero(~np.isnan(units)).astype(np.int64)
            if len(rows):
                yield PairSeries(Pair(PIVOT, code), rows, units[rows])


def last_simulated_day(now: datetime) -> date:
    """Give the last day whose fixing has been made at a moment."""
    moment = now.astimezone(UTC)
    return moment.date() if moment.time() >= FIXED_AT else moment.date() - timedelta(days=1)


def _kept(before: Mapping[N, Quote], now: Mapping[N, Quote]) -> dict[N, Quote]:
    return {name: _older(before.get(name), quote) for name, quote in now.items()}


def _older(before: Quote | None, quote: Quote) -> Quote:
    if before is None or before.as_of != quote.as_of:
        return quote
    return before if (before.bid, before.ask) == (quote.bid, quote.ask) else quote

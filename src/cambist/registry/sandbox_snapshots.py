"""Rate matrices and rate books of a sandbox: its simulated market, with the faults that are set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import blake2b
from typing import TypeVar

import numpy as np

from cambist.errors import CannotStart
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
"""How far the rate matrix reaches past today, as that of a live service does."""

COINS_BY_SIZE = (*(code for code in LEVELS if code in COINS), *(coin for coin in COINS if coin not in LEVELS))
"""All coins, those with their own price level first: the market has more pairs of the first coins."""

_FORMAT = 1
"""Incremented when the way of building changes, so that older rate matrices are rebuilt."""


@cache
def simulated_codes() -> frozenset[str]:
    """Return the codes that are quoted at any time, with any seed."""
    return SimulatedMarket(0, COINS_BY_SIZE).known


def faults_file(settings: Settings) -> FaultsFile:
    """Return the faults file of a sandbox. Errors: CannotStart if the data directory is not a sandbox's."""
    folder = DataDirectory(settings.data)
    if folder.environment is None:
        raise CannotStart(f"There is no sandbox in {folder.path}: run [cambist serve --sandbox] once, or name --data")
    folder.check(Environment.SANDBOX)
    return FaultsFile(folder.faults, simulated_codes())


class SandboxSnapshots:
    """Builds rate matrices and rate books of the market of the settings' seed, with the faults of its directory."""

    def __init__(self, settings: Settings) -> None:
        self._seed = settings.sandbox_seed
        self._faultless = SimulatedMarket(self._seed, COINS_BY_SIZE)
        self._file = FaultsFile(DataDirectory(settings.data).faults, self._faultless.known)
        self.apply_faults()

    def apply_faults(self) -> None:
        """Apply the faults that are set now."""
        faults = self._file.poll()
        self._missing = sorted(faults.missing)
        self._market: Market = with_faults(self._faultless, faults)

    def build_book(self, version: int, now: datetime, before: RateBook | None = None) -> RateBook:
        """Build the rate book of a moment. Quotes that are as in the book `before` are the same objects."""
        columns = self._market.quotes(now.date(), now, now)
        quotes: dict[str, Quote] = {}
        pairs: dict[Pair, Quote] = {}
        for listing, quote in zip(columns.listings, columns.to_quotes(), strict=True):
            if isinstance(listing.name, str):
                quotes[listing.name] = quote
            else:
                pairs[listing.name] = quote
        book = assemble_rate_book(quotes, version, now, pairs)
        if before is None:
            return book
        quotes, pairs = _reuse_quotes(before.quotes, book.quotes), _reuse_quotes(before.pairs, book.pairs)
        return RateBook(version, book.as_of, quotes, book.listed, pairs)

    def is_current(self, matrix: RateMatrix, now: datetime) -> bool:
        """Return whether a rate matrix is that of this moment."""
        return matrix.revision == self.revision(now)

    def revision(self, now: datetime) -> str:
        """Return what identifies a rate matrix: seed, last day, reference tables and missing days."""
        missing = blake2b(repr(self._missing).encode(), digest_size=6).hexdigest()
        return f"{SIMULATED}-{self._seed}-{last_simulated_day(now)}-{reference_digest()}-{missing}-{_FORMAT}"

    def build_matrix(self, now: datetime) -> RateMatrix:
        """Build the rate matrix of all days since 1970."""
        history = SourceHistory(PIVOT, list(self._series(now)), SIMULATED, outranks_pegs=False)
        return build_rate_matrix([history], now.date() + _AHEAD, self.revision(now))

    def _series(self, now: datetime) -> Iterator[PairSeries]:
        days = (last_simulated_day(now) - FIRST_DAY).days + 1
        for code in sorted(self._market.known & {*CURRENCIES, *METALS}):
            units = self._market.daily(code, FIRST_DAY, days)
            rows = np.flatnonzero(~np.isnan(units)).astype(np.int64)
            if len(rows):
                yield PairSeries(Pair(PIVOT, code), rows, units[rows])


def last_simulated_day(now: datetime) -> date:
    """Return the last day whose fixing was published by the moment `now`."""
    moment = now.astimezone(UTC)
    return moment.date() if moment.time() >= FIXED_AT else moment.date() - timedelta(days=1)


def _reuse_quotes(before: Mapping[N, Quote], now: Mapping[N, Quote]) -> dict[N, Quote]:
    return {name: _reuse_quote(before.get(name), quote) for name, quote in now.items()}


def _reuse_quote(before: Quote | None, quote: Quote) -> Quote:
    if before is None or before.as_of != quote.as_of:
        return quote
    return before if (before.bid, before.ask) == (quote.bid, quote.ask) else quote

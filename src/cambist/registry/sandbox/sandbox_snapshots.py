"""Rate matrices and rate books of a sandbox: its simulated market, with the faults that are set."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import blake2b

import numpy as np

from cambist.errors import CannotStart
from cambist.history.edition import with_edition
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.history.rule_set import text_digest
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import COINS, METALS
from cambist.reference.currency_tables import CURRENCIES, reference_digest
from cambist.registry.sandbox.sandbox_faults import FaultsFile
from cambist.sandbox.faults import with_faults
from cambist.sandbox.fixing_days import FIXED_AT
from cambist.sandbox.levels import LEVELS
from cambist.sandbox.market import Market, SimulatedMarket
from cambist.sandbox.quoting import last_tick
from cambist.sandbox.rate_books import SimulatedRateBooks
from cambist.settings import Settings
from cambist.status.environment import SIMULATED, Environment
from cambist.storage import HistoryStore
from cambist.storage.data_directory import DataDirectory

_AHEAD = timedelta(days=400)
"""How far the rate matrix reaches past today, as that of a live service does."""

COINS_BY_SIZE = (*(code for code in LEVELS if code in COINS), *(coin for coin in COINS if coin not in LEVELS))
"""All coins, those with their own price level first: the market has more pairs of the first coins."""

_FORMAT = 3
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
        self._books: SimulatedRateBooks | None = None
        self.apply_faults()

    def apply_faults(self) -> None:
        """Apply the faults that are set now."""
        faults = self._file.poll()
        self._missing = sorted(faults.missing)
        self._market: Market = with_faults(self._faultless, faults)

    def build_book(self, version: int, now: datetime) -> QuotedBook:
        """Build the quotes of the rate book of a moment."""
        return self.simulate_book(version, now).quoted()

    def simulate_book(self, version: int, now: datetime, before: RateBook | None = None) -> RateBook:
        """Build the rate book of a moment: the prices of the last tick.

        Quotes that are as in the book `before` keep their times.
        """
        quoted = self._market.quotes(now.date(), last_tick(now), now)
        if self._books is None or self._books.listings is not quoted.listings:
            self._books = SimulatedRateBooks(quoted.listings, now.date())
        return self._books.build(quoted, version, now, before)

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
        revision = self.revision(now)
        rules = text_digest(revision.encode())[:12]
        return with_edition(build_rate_matrix([history], now.date() + _AHEAD, revision), 0, rules)

    def matrix_before(self, store: HistoryStore, now: datetime) -> RateMatrix | None:
        """Return None: a sandbox has no rules of verdicts."""
        del store, now
        return None

    def record_edition(self, matrix: RateMatrix, store: HistoryStore) -> RateMatrix:
        """Return the matrix as it is: a sandbox has no archive, and its market can be computed again."""
        del store
        return matrix

    def restore_edition(self, matrix: RateMatrix, store: HistoryStore) -> None:
        """Do nothing: a sandbox records no editions."""

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

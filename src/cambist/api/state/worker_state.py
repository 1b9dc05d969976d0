"""The state of a worker: what all its requests read, replaced piece by piece as it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from time import time
from typing import Final

from cambist.accounts.account import KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principals
from cambist.api.state.readers import Readers
from cambist.api.state.response_cache import ResponseCaches
from cambist.clock import WallClock
from cambist.history.coverage import ReadCoverage
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.metals.mass import STANDARD, Units
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import AssetKind
from cambist.status.source_report import SourceReports


@dataclass(frozen=True)
class Choices:
    """What the operator has chosen about prices: it holds while a worker runs."""

    longest_age: timedelta | None = None
    """The limit for the age of live rates."""
    ages: Mapping[AssetKind, timedelta] = field(default_factory=dict)
    """How old a traded price may be, by kind of asset; a kind that is missing has no limit."""
    units: Units = field(default_factory=lambda: STANDARD)
    """The units of mass that metals are priced in."""


class WorkerState:
    """What answers are computed from: readers and choices for good, and what `apply_*` replaces as it changes.

    Each of these is one attribute that is replaced whole, so a thread that reads it needs no lock. Whoever computes an
    answer reads the cache before the rate matrix: an answer from an old matrix can then only be added where nobody
    reads.
    """

    def __init__(
        self,
        book: RateBook,
        matrix: RateMatrix,
        principals: Principals,
        readers: Readers | None = None,
        choices: Choices | None = None,
        clock: WallClock = time,
    ) -> None:
        self.readers: Final = Readers() if readers is None else readers
        self.choices: Final = Choices() if choices is None else choices
        self.clock: Final = clock
        self.principals: Final = principals
        self.caches: Final = ResponseCaches(book, clock)
        self.matrix = matrix
        self.source_reports: SourceReports | None = None
        self._start_caches()

    @property
    def coverage(self) -> ReadCoverage:
        """Reads which source has which pairs, and since when."""
        return self.readers.coverage

    def apply_book(self, book: RateBook) -> None:
        """Answer from a new rate book, for each plan as often as it shows a new one."""
        self.caches.apply_book(book, self.clock())

    def apply_matrix(self, matrix: RateMatrix) -> None:
        """Answer from a new rate matrix."""
        self.matrix = matrix
        self.caches.clear()

    def apply_bars(self) -> None:
        """Answer from the bars as they are now: completed ones were stored late, or old ones removed."""
        self.caches.clear()

    def apply_source_reports(self, source_reports: SourceReports | None) -> None:
        """Show new source reports."""
        self.source_reports = source_reports

    def apply_accounts(self, stored_keys: Mapping[Digest, StoredKey]) -> None:
        """Replace all API keys."""
        self.principals.update(stored_keys=stored_keys)
        self._start_caches()

    def apply_key_changes(self, changes: KeyChanges) -> None:
        """Replace the API keys that have changed."""
        self.principals.apply(changes)
        self._start_caches()

    def apply_plans(self, plans: Mapping[str, Plan]) -> None:
        """Replace all plans."""
        self.principals.update(plans=plans)
        self._start_caches()

    def tick(self) -> None:
        """Show new rate books to the plans for which they are due; called ten times a second."""
        self.caches.tick(self.clock())

    def _start_caches(self) -> None:
        for view in self.principals.by_digest.book_views():
            self.caches.for_view(view)

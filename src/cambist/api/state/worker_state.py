"""The state of a worker: what all its requests read, replaced piece by piece as it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from time import time

from cambist.accounts.account import KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal, Principals
from cambist.api.state.known_history import KnownHistory
from cambist.api.state.response_cache import ResponseCaches
from cambist.clock import WallClock
from cambist.history.bars import NO_BARS, BarReader
from cambist.history.code_verdict import CodeVerdict
from cambist.history.corrections import ReadCorrections, ReadFeed, ReadVintages, no_corrections, no_feed, no_vintages
from cambist.history.coverage import ReadCoverage, no_coverage
from cambist.history.explanation import ReadVotes, no_votes
from cambist.history.fixing import ReceivedFixing
from cambist.history.known_state import Mark
from cambist.history.published_fixings import FixingLookup
from cambist.history.rate_matrix import RateMatrix
from cambist.history.source_rates import ReadSourceRates, no_source_rates
from cambist.pricing.metals.mass import STANDARD, Units
from cambist.pricing.rate_book import RateBook
from cambist.receipts.signer import NoReceipts, ReceiptSigner
from cambist.reference.assets import AssetKind
from cambist.status.source_report import SourceReports

ReadClose = Callable[[str, date], ReceivedFixing | None]
"""Reads the close of a coin on a day. Errors: RateUnavailable if the archive cannot be read now."""


ReadVerdict = Callable[[str, Mark | None, str, date], CodeVerdict | None]
"""Reads the verdict on the fixings behind a code's rate of a day, as an edition or a mark knew it.

None if nothing is known about it. Errors: RateUnavailable, StoreBusy.
"""


def no_closes(_coin: str, _day: date) -> None:
    """Read closes where nothing is archived: no coin has one."""


class WorkerState:
    """Rate matrix, principals and source reports as this worker has them now, and its response caches.

    Each is one attribute that is replaced whole, so a thread that reads it needs no lock. Whoever computes an answer
    reads the cache before the rate matrix: an answer from an old matrix can then only be added where nobody reads.
    """

    known_fixings: Callable[[int, str, str, date], Sequence[ReceivedFixing]] | None = None
    """Reads as `fixings` what deliveries up to a number said."""
    known_closes: Callable[[int, str, date], ReceivedFixing | None] | None = None
    """Reads as `closes` what deliveries up to a number said."""
    verdicts: ReadVerdict | None = None
    """Reads the verdicts behind daily rates; None where nothing is archived."""
    known_history: KnownHistory | None = None
    """Rebuilds what was known at an edition; None in a sandbox."""
    log_folder: Path | None = None
    """The static files of the log of editions."""

    def __init__(
        self,
        book: RateBook,
        matrix: RateMatrix,
        stored_keys: Mapping[Digest, StoredKey],
        plans: Mapping[str, Plan],
        clock: WallClock = time,
        longest_age: timedelta | None = None,
    ) -> None:
        self.matrix = matrix
        self.longest_age = longest_age
        """The operator's limit for the age of live rates."""
        self.ages: Mapping[AssetKind, timedelta] = {}
        """How old a traded price may be, by kind of asset; a kind that is missing has no limit."""
        self.fixings: FixingLookup | None = None
        """Reads fixings as they were published."""
        self.votes: ReadVotes = no_votes
        """Reads the votes behind the quotes of the newest rate book."""
        self.source_rates: ReadSourceRates = no_source_rates
        """Reads the rates of several sources side by side."""
        self.closes: ReadClose = no_closes
        self.coverage: ReadCoverage = no_coverage
        """Reads which source has which pairs, and since when."""
        self.corrections: ReadCorrections = no_corrections
        """Reads what sources have corrected."""
        self.feed: ReadFeed = no_feed
        """Reads all corrections in the order in which they were learnt."""
        self.vintages: ReadVintages = no_vintages
        """Reads everything that was received for a day about a pair."""
        self.bars: BarReader = NO_BARS
        self.receipts: ReceiptSigner = NoReceipts()
        """Signs receipts of answers."""
        self.units: Units = STANDARD
        """The units of mass that metals are priced in."""
        self.source_reports: SourceReports | None = None
        self.clock = clock
        self.principals = Principals(stored_keys, plans)
        self.caches = ResponseCaches(book, clock)
        self._start_caches()

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
        self._start_caches(self.principals.apply(changes))

    def apply_plans(self, plans: Mapping[str, Plan]) -> None:
        """Replace all plans."""
        self.principals.update(plans=plans)
        self._start_caches()

    def tick(self) -> None:
        """Show new rate books to the plans for which they are due; called ten times a second."""
        self.caches.tick(self.clock())

    def _start_caches(self, principals: Iterable[Principal] | None = None) -> None:
        principals = self.principals.by_digest.values() if principals is None else principals
        for view in {principal.book_view for principal in principals}:
            self.caches.for_view(view)

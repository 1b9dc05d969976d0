"""The desk: what all requests of a worker read, replaced piece by piece when there is news."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from time import time

from cambist.accounts.account import DatetimeFormat, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.api.book_responses import BookResponsesByKind
from cambist.api.principals import ApiPrincipals, principals_by_key
from cambist.api.request_context import ReadClose, RequestContext, no_closes
from cambist.api.response_cache import ResponseCache
from cambist.clock import WallClock
from cambist.history.bars import NO_BARS, BarStore
from cambist.history.published_fixings import FixingLookup
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.metals.mass import STANDARD, Units
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import AssetKind
from cambist.status.source_report import SourceReports


class WorkerState:
    """Image, accounts and plans as this worker has them now, and the shelves with the books that they see.

    Each is one attribute that is replaced whole, so a thread that reads it needs no lock. Whoever makes an answer to
    keep takes the answers before the image: then one made of an old image can only land where nobody looks any more.
    """

    def __init__(
        self,
        book: RateBook,
        matrix: RateMatrix,
        stored_keys: Mapping[Digest, StoredKey],
        plans: Mapping[str, Plan],
        clock: WallClock = time,
        longest_age: timedelta | None = None,
    ) -> None:
        self._matrix = matrix
        self._stored_keys = stored_keys
        self._plans = plans
        self._longest_age = longest_age
        self.ages: Mapping[AssetKind, timedelta] = {}
        """How old a price that trades may be, by what it is of; empty for however old."""
        self.words: FixingLookup | None = None
        """Where fixings are read as they were published."""
        self.closes: ReadClose = no_closes
        """Where the closes of coins are read."""
        self.bars: BarStore = NO_BARS
        """Where bars are read."""
        self.units: Units = STANDARD
        """The units of mass that metals are priced by."""
        self._source_reports: SourceReports | None = None
        self.clock = clock
        self.closed = ResponseCache()
        self.shelves = BookResponsesByKind(book, clock())
        self._subscribers = principals_by_key(stored_keys, plans, self.shelves)

    def view(self, book: RateBook, now: float, form: DatetimeFormat = DatetimeFormat.ISO) -> RequestContext:
        """Give one request its consistent state of the world."""
        moment = datetime.fromtimestamp(now, UTC)
        return RequestContext(
            book,
            self._matrix,
            moment,
            self._longest_age,
            form,
            source_reports=self._source_reports,
            ages=self.ages,
            closes=self.closes,
            words=self.words,
            units=self.units,
            bars=self.bars,
        )

    def principals(self) -> ApiPrincipals:
        """Give who may come in, by key."""
        return self._subscribers

    def apply_book(self, book: RateBook) -> None:
        """Serve a new book from now on, to each plan as often as it may see one."""
        self.shelves.apply_book(book, self.clock())

    def apply_matrix(self, matrix: RateMatrix) -> None:
        """Serve a new image from now on."""
        self._matrix = matrix
        self.closed = ResponseCache()
        self.shelves.forget()

    def apply_source_reports(self, source_reports: SourceReports | None) -> None:
        """Show another bulletin on the sources from now on."""
        self._source_reports = source_reports

    def apply_accounts(self, stored_keys: Mapping[Digest, StoredKey]) -> None:
        """Let in who has a key now, and nobody else."""
        self._stored_keys = stored_keys
        self._subscribers = principals_by_key(stored_keys, self._plans, self.shelves)

    def apply_plans(self, plans: Mapping[str, Plan]) -> None:
        """Measure everybody by other plans from now on."""
        self._plans = plans
        self._subscribers = principals_by_key(self._stored_keys, plans, self.shelves)

    def tick(self) -> None:
        """Do what is due now and then: books that plans may see by now."""
        self.shelves.tick(self.clock())

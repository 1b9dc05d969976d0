"""The sandbox process: it publishes rate books and the rate matrix of the simulated market.

It replaces the ingest process of a live service, polls no source and stores nothing. If it is killed, the last rate
book stays, and its successor goes on: prices are a function of the seed and the time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta

from cambist.clock import utc_now
from cambist.errors import RateBookDamaged, RateMatrixDamaged
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace, RateType
from cambist.pricing.unix_time import EPOCH
from cambist.processes.process import StopSignal, set_up_process
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sandbox.sandbox_snapshots import SandboxSnapshots, last_simulated_day
from cambist.sandbox.quoting import TICK_SECONDS
from cambist.settings import Settings
from cambist.status.environment import SIMULATED, Environment, check_rate_book, check_rate_matrix
from cambist.status.source_report import SourceReport, SourceReports
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import write_json_file
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix

log = logging.getLogger(__name__)

_SOURCE_REPORTS_EVERY = timedelta(seconds=1)
_LATE_AFTER = timedelta(minutes=2)


def run_sandbox(settings: Settings, supervisor: int) -> None:
    """Publish a rate book of the simulated market whenever its prices change, until the process should stop."""
    set_up_process(settings)
    stop = StopSignal(supervisor)
    market = SandboxMarket(settings, utc_now)
    pause = 0.0
    while not stop.wait(pause):
        market.publish()
        pause = TICK_SECONDS - utc_now().timestamp() % TICK_SECONDS
    market.close()


class SandboxMarket:
    """Publishes the simulated market. Errors when made: CannotStart for the data directory of a live service."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._folder = DataDirectory(settings.data)
        self._folder.check(Environment.SANDBOX)
        self._clock = clock
        self._book_file = RateBookFile(self._folder.path)
        self._snapshots = SandboxSnapshots(settings)
        self._book = _last_book(self._book_file)
        self._matrix = _last_matrix(self._folder)
        self._builder = ThreadPoolExecutor(1, "rate matrix")
        self._building: Future[RateMatrix] | None = None
        self._reported_at: datetime | None = None

    def publish(self) -> None:
        """Publish a rate book with the current faults; report and rebuild the rate matrix when that is due."""
        now = self._clock()
        self._snapshots.apply_faults()
        self._book = self._snapshots.simulate_book(self._book.version + 1 if self._book else 1, now, self._book)
        self._book_file.publish_columns(self._book)
        if self._reported_at is None or now - self._reported_at >= _SOURCE_REPORTS_EVERY:
            self._reported_at = now
            write_json_file(self._folder.source_reports, source_reports(self._book, now))
            self._book_file.changes.notify(Topic.SOURCES)
        self._rebuild_matrix(now)

    def _rebuild_matrix(self, now: datetime) -> None:
        """Build the rate matrix in a thread, so that rate books do not wait."""
        if self._building is not None:
            if not self._building.done():
                return
            self._matrix, self._building = self._building.result(), None
            self._book_file.changes.notify(Topic.MATRIX)
            log.info("Image: built, last fixing of %s", self._matrix.last_fixing)
        if self._matrix is None or not self._snapshots.is_current(self._matrix, now):
            self._building = self._builder.submit(self._build, now)

    def _build(self, now: datetime) -> RateMatrix:
        write_rate_matrix(self._folder.matrix, self._snapshots.build_matrix(now))
        return open_rate_matrix(self._folder.matrix)

    def close(self) -> None:
        """Finish building the rate matrix."""
        self._builder.shutdown()


def source_reports(book: RateBook, now: datetime) -> SourceReports:
    """Return the report on the one source of a sandbox."""
    # A pair is never newer than its codes.
    newest = EPOCH + timedelta(microseconds=max(book.times.values()))
    simulated = SourceReport(
        key=SIMULATED,
        name="Simulated market",
        home="",
        terms="",
        licence="none: nobody published these numbers",
        redistribution="allowed",
        pace=Pace.REALTIME,
        rate_type=RateType.SIMULATED,
        covers="every currency that floats, metals and coins, all of them invented",
        enabled=True,
        last_success=now,
        newest=newest,
        late_after=_LATE_AFTER,
        codes=len(book.quotes),
        pairs=sum(code in book.quotes for code in {*CURRENCIES, *METALS}),
        first=FIRST_DAY,
        last=last_simulated_day(now),
        ticks=book.version,
    )
    return SourceReports(now, (simulated,), book.version, now, Environment.SANDBOX)


def _last_book(book_file: RateBookFile) -> RateBook | None:
    try:
        book = book_file.current()
        return book and check_rate_book(book, Environment.SANDBOX)
    except RateBookDamaged:
        return None


def _last_matrix(folder: DataDirectory) -> RateMatrix | None:
    try:
        return check_rate_matrix(open_rate_matrix(folder.matrix), Environment.SANDBOX)
    except RateMatrixDamaged:
        return None

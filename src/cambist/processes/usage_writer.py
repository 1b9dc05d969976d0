"""The bookkeeper: a process of its own that folds the ledger's pages into the database.

It owns nothing that another process waits for. Killed at any moment it leaves the pages as they are; its successor
folds the same totals again, which changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from time import monotonic, time

from prometheus_client import REGISTRY, Counter, Gauge

from cambist.clock import utc_now
from cambist.errors import CambistError, RateMatrixDamaged
from cambist.monitoring.api_probe import api_problems
from cambist.monitoring.health_server import FindProblems, SourceMetrics, serve_health
from cambist.monitoring.rate_matrix_guard import RateMatrixGuard
from cambist.monitoring.request_metrics import RequestMetrics, open_request_counts
from cambist.monitoring.reserved_space import ReservedSpace
from cambist.monitoring.stream_report import StreamMetrics, StreamReport
from cambist.processes.process import StopSignal, run_in_child, set_up_process
from cambist.registry.components import open_store
from cambist.settings import Settings
from cambist.status.source_report import SourceReports
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.usage.usage_writer import UsageWriter

log = logging.getLogger(__name__)

_FOLD_EVERY = 0.5
_KEYS_EVERY = 10.0
_LONGEST_REBUILD = 600.0

FOLDED = Gauge("cambist_ledger_folded_timestamp_seconds", "When the ledger was last folded into the database")
FAILED = Counter("cambist_ledger_fold_failures", "Folds, and attempts to keep room, that failed; nothing is lost")
CALLS = Counter("cambist_ledger_rows_folded", "Totals written into the database")


def write_usage(settings: Settings, supervisor: int) -> None:
    """Fold until told to stop, or until the supervisor has died; fold once more at the end."""
    set_up_process(settings)
    stop = StopSignal(supervisor)
    folder = DataDirectory(settings.data)
    if settings.operator_port:
        read = partial(read_json_file, folder.source_reports, SourceReports)
        REGISTRY.register(SourceMetrics(read, utc_now))
        if counts := open_request_counts(settings):
            REGISTRY.register(RequestMetrics(counts, settings.port))
        asks, api, stream = (
            settings.fetch and not settings.sandbox,
            api_problems(settings),
            _watched_stream(settings, folder),
        )
        serve_health(
            settings.operator_port, read, utc_now, asks=asks, more=lambda: [*api(), *stream()], host=settings.host
        )
    RateMatrixGuard(settings, partial(_rebuild_rate_matrix, settings)).watch()
    store = open_store(settings)
    store.hold_open()
    keeper = UsageWriter(folder.ledger)
    books = UsageWriterLoop(store, keeper, ReservedSpace(settings, store, keeper).keep)
    while not stop.wait(_FOLD_EVERY):
        books.fold()
    books.fold()
    store.close()


def _rebuild_rate_matrix(settings: Settings) -> None:
    """Rebuild the rate matrix in a child process: it needs much memory. Errors: RateMatrixDamaged."""
    rebuild = "cambist.processes.rate_matrix_rebuild", "rebuild_rate_matrix"
    if run_in_child(settings, *rebuild, longest=_LONGEST_REBUILD):
        raise RateMatrixDamaged("Building it failed; the log has the reason")


def _watched_stream(settings: Settings, folder: DataDirectory) -> FindProblems:
    """Show the stream's figures, where there is one; give who says what it lacks."""
    if not settings.stream_port:
        return tuple
    streams = StreamMetrics(partial(read_json_file, folder.stream_report, StreamReport), utc_now)
    REGISTRY.register(streams)
    return streams.wanting


class FailureLog:
    """Says once that something fails, and once that it is over."""

    def __init__(self, failing: str, over: str) -> None:
        self._failing = failing
        self._over = over
        self._is_failing = False

    def attempt(self, work: Callable[[], None]) -> bool:
        """Do it, and say whether it could be done."""
        try:
            work()
        except (CambistError, OSError) as error:
            FAILED.inc()
            if not self._is_failing:
                log.warning("Ledger: %s: %s", self._failing, error)
            self._is_failing = True
            return False
        if self._is_failing:
            log.info("Ledger: %s", self._over)
        self._is_failing = False
        return True


class UsageWriterLoop:
    """The ledger's pages and the database that they are folded into; `keep_room` makes room for those of tomorrow."""

    def __init__(self, store: Store, keeper: UsageWriter, keep_room: Callable[[date], None] = lambda _: None) -> None:
        self._store = store
        self._keeper = keeper
        self._keep_room = keep_room
        self._folding = FailureLog(
            "usage cannot be folded; answers go on and calls are counted", "usage is folded again, nothing was lost"
        )
        self._reserving = FailureLog(
            "no room can be kept in reserve; answers go on and calls are counted", "room is kept in reserve again"
        )
        self._noted: dict[int, int] = {}
        self._keys_due = monotonic() + _KEYS_EVERY

    def fold(self) -> None:
        """Fold once, and keep room. What fails is said once, and caught up with as soon as it can be."""
        today = datetime.now(UTC).date()
        if self._folding.attempt(partial(self._fold, today)):
            FOLDED.set(time())
        self._reserving.attempt(partial(self._keep_room, today))

    def _fold(self, today: date) -> None:
        CALLS.inc(self._keeper.write(self._store.usage, today))
        if monotonic() >= self._keys_due:
            self._keys_due = monotonic() + _KEYS_EVERY
            self._note_keys()

    def _note_keys(self) -> None:
        seconds = dict(self._keeper.last_used())
        topic = {key: second for key, second in seconds.items() if second != self._noted.get(key)}
        self._store.accounts.record_last_use(
            {key: datetime.fromtimestamp(second, UTC) for key, second in topic.items()}
        )
        self._noted = seconds

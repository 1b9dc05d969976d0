"""The usage writer: a process that writes counted calls to the database.

No other process waits for it. If it is killed, the counter files stay as they are; its successor writes the same totals
again, which changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from time import monotonic, thread_time, time

from prometheus_client import Counter, Gauge

from cambist.clock import utc_now
from cambist.errors import CambistError, RateMatrixDamaged
from cambist.monitoring.alarm_watch import AlarmWatch
from cambist.monitoring.alerts.alert_watch import AlertWatch
from cambist.monitoring.rate_matrix_guard import RateMatrixGuard
from cambist.monitoring.reserved_space import ReservedSpace
from cambist.monitoring.usage_figures import UsageFigures
from cambist.processes.edition_log_update import EditionLogWatch
from cambist.processes.process import StopSignal, run_in_child, set_up_process
from cambist.registry.node.local_copies import LocalCopies
from cambist.registry.node.nodes import node_name
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.usage_writer import UsageWriter

log = logging.getLogger(__name__)

_WRITE_SECONDS = 0.5
_PAUSE_FACTOR = 20
"""While very many accounts are active, writing takes at most one part in so many of a core, and is done less often."""

_LONGEST_PAUSE = 10.0
_KEYS_SECONDS = 10.0
_REBUILD_SECONDS = 600.0

WRITTEN_AT = Gauge("cambist_usage_written_timestamp_seconds", "When counted calls were last written to the database")
FAILURES = Counter(
    "cambist_usage_write_failures", "Failed writes of counted calls and failed reservations of space; nothing is lost"
)
ROWS_WRITTEN = Counter("cambist_usage_rows_written", "Totals written into the database")


def write_usage(settings: Settings, supervisor: int) -> None:
    """Write usage until the process should stop, and once more at the end."""
    set_up_process(settings)
    stop = StopSignal(supervisor)
    folder = DataDirectory(settings.data)
    RateMatrixGuard(settings, partial(_rebuild_rate_matrix, settings)).watch()
    if not settings.sandbox:
        EditionLogWatch(settings).watch()
    store = open_store(settings)
    store.hold_open()
    AlarmWatch(settings, open_store(settings)).watch()
    AlertWatch(settings, open_store(settings)).watch()
    writer = UsageWriter(folder.ledger, node_name(settings))
    copies = LocalCopies(settings, store, writer.file_keys)
    tasks = UsageWriterTasks(store, writer, ReservedSpace(settings, store, writer).reserve, copies.update)
    figures = UsageFigures(folder.usage_figures)
    pause = _WRITE_SECONDS
    while not stop.wait(pause):
        began = thread_time()
        tasks.run()
        figures.write()
        pause = min(max(_WRITE_SECONDS, _PAUSE_FACTOR * (thread_time() - began)), _LONGEST_PAUSE)
    tasks.run()
    store.close()


def _rebuild_rate_matrix(settings: Settings) -> None:
    """Rebuild the rate matrix in a child process: it needs much memory. Errors: RateMatrixDamaged."""
    rebuild = "cambist.processes.rate_matrix_rebuild", "rebuild_rate_matrix"
    if run_in_child(settings, *rebuild, longest=_REBUILD_SECONDS):
        raise RateMatrixDamaged("Building it failed; the log has the reason")


class FailureLog:
    """Logs once that something fails, and once that it works again."""

    def __init__(self, failing: str, recovered: str) -> None:
        self._failing = failing
        self._recovered = recovered
        self._is_failing = False

    def attempt(self, work: Callable[[], None]) -> bool:
        """Call `work`, and return whether it succeeded."""
        try:
            work()
        except (CambistError, OSError) as error:
            FAILURES.inc()
            if not self._is_failing:
                log.warning("Usage: %s: %s", self._failing, error)
            self._is_failing = True
            return False
        if self._is_failing:
            log.info("Usage: %s", self._recovered)
        self._is_failing = False
        return True


class UsageWriterTasks:
    """Writes the counter files to the database.

    `reserve_space` reserves disk space for those of tomorrow, `copy` copies from the database into the data folder.
    """

    def __init__(
        self,
        store: AccountStore,
        writer: UsageWriter,
        reserve_space: Callable[[date], None] = lambda _: None,
        copy: Callable[[date], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._writer = writer
        self._reserve_space = reserve_space
        self._copy = copy
        self._usage_failures = FailureLog(
            "calls cannot be written to the database; answers go on and calls are counted",
            "calls are written again, nothing was lost",
        )
        self._space_failures = FailureLog(
            "no space can be reserved; answers go on and calls are counted", "space is reserved again"
        )
        self._copy_failures = FailureLog(
            "accounts cannot be copied into the data folder; the last copy stays", "accounts are copied again"
        )
        self._recorded: dict[int, int] = {}
        self._keys_due = monotonic() + _KEYS_SECONDS

    def run(self) -> None:
        """Write usage and reserve space, once. What fails is logged once, and tried again at the next call."""
        today = utc_now().date()
        if self._usage_failures.attempt(partial(self._write_usage, today)):
            WRITTEN_AT.set(time())
            self._copy_failures.attempt(partial(self._copy, today))
        self._space_failures.attempt(partial(self._reserve_space, today))

    def _write_usage(self, today: date) -> None:
        ROWS_WRITTEN.inc(self._writer.write(self._store.usage, today))
        if monotonic() >= self._keys_due:
            self._record_key_use()
            self._keys_due = monotonic() + _KEYS_SECONDS  # not before: what was not written is tried again at once

    def _record_key_use(self) -> None:
        seconds = dict(self._writer.last_used())
        new = {key: second for key, second in seconds.items() if second != self._recorded.get(key)}
        self._store.accounts.record_last_use({key: datetime.fromtimestamp(second, UTC) for key, second in new.items()})
        self._recorded = seconds

"""The bookkeeper: a process of its own that folds the ledger's pages into the database.

It owns nothing that another process waits for. Killed at any moment it leaves the pages as they are; its successor
folds the same totals again, which changes nothing.
"""

from __future__ import annotations

import logging
import logging.config
import os
import signal
import threading
from datetime import UTC, datetime
from functools import partial
from time import monotonic, time

from prometheus_client import REGISTRY, Counter, Gauge

from cambist.app.operator import Sources, Wanting, offer
from cambist.app.parts import open_store
from cambist.app.stream_report import StreamReport, Streams
from cambist.errors import CambistError
from cambist.history.report import Bulletin
from cambist.server.desk import utc_now
from cambist.server.logs import log_config
from cambist.settings import Settings
from cambist.stores import Store
from cambist.stores.folder import DataFolder
from cambist.stores.ledger.keeper import LedgerKeeper
from cambist.stores.records import read_record

log = logging.getLogger(__name__)

_FOLD_EVERY = 0.5
_KEYS_EVERY = 10.0

FOLDED = Gauge("cambist_ledger_folded_timestamp_seconds", "When the ledger was last folded into the database")
FAILED = Counter("cambist_ledger_fold_failures", "Folds that failed; the pages keep what they hold until one succeeds")
CALLS = Counter("cambist_ledger_rows_folded", "Totals written into the database")


def keep_books(settings: Settings, supervisor: int) -> None:
    """Fold until told to stop, or until the supervisor has died; fold once more at the end."""
    logging.config.dictConfig(log_config(settings.log_level))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the supervisor, which stops the others in order
    folder = DataFolder(settings.data)
    if settings.operator_port:
        read = partial(read_record, folder.bulletin, Bulletin)
        REGISTRY.register(Sources(read, utc_now))
        asks, more = settings.fetch and not settings.sandbox, _watched_stream(settings, folder)
        offer(settings.operator_port, read, utc_now, asks=asks, more=more)
    store = open_store(settings)
    books = Books(store, LedgerKeeper(folder.ledger))
    while os.getppid() == supervisor and not stop.wait(_FOLD_EVERY):
        books.fold()
    books.fold()
    store.close()


def _watched_stream(settings: Settings, folder: DataFolder) -> Wanting:
    """Show the stream's figures, where there is one; give who says what it lacks."""
    if not settings.stream_port:
        return tuple
    streams = Streams(partial(read_record, folder.stream_report, StreamReport), utc_now)
    REGISTRY.register(streams)
    return streams.wanting


class Books:
    """The ledger's pages and the database that they are folded into."""

    def __init__(self, store: Store, keeper: LedgerKeeper) -> None:
        self._store = store
        self._keeper = keeper
        self._failing = False
        self._noted: dict[int, int] = {}
        self._keys_due = monotonic() + _KEYS_EVERY

    def fold(self) -> None:
        """Fold once. What fails is said once, and caught up with as soon as the database can be used."""
        try:
            CALLS.inc(self._keeper.fold(self._store.usage, datetime.now(UTC).date()))
            if monotonic() >= self._keys_due:
                self._keys_due = monotonic() + _KEYS_EVERY
                self._note_keys()
        except (CambistError, OSError) as error:
            FAILED.inc()
            if not self._failing:
                log.warning("Ledger: usage cannot be folded; answers go on and calls are counted: %s", error)
            self._failing = True
            return
        if self._failing:
            log.info("Ledger: usage is folded again, nothing was lost")
        self._failing = False
        FOLDED.set(time())

    def _note_keys(self) -> None:
        seconds = dict(self._keeper.last_used())
        news = {key: second for key, second in seconds.items() if second != self._noted.get(key)}
        self._store.accounts.used({key: datetime.fromtimestamp(second, UTC) for key, second in news.items()})
        self._noted = seconds

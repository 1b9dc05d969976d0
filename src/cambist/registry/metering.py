"""Metering: the meter of one process over the ledger that all of them share."""

from __future__ import annotations

import logging
from datetime import timedelta

from cambist.accounts.meter import Meter, PastUsage
from cambist.accounts.usage_counters import UsageStore
from cambist.clock import utc_now
from cambist.registry.components import endpoints
from cambist.settings import Settings
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.stream.billing import USAGE_LABEL

log = logging.getLogger(__name__)

_REMEMBERED = timedelta(days=62)
"""How far back usage is kept in memory: two periods."""


def open_meter(settings: Settings, store: Store) -> Meter:
    """Open the meter of a process that charges. Errors: StoreBroken."""
    ledger = WorkerCounters(DataDirectory(settings.data).ledger, charged(), columns(settings))
    return Meter(ledger, _before(ledger, store.usage), log.warning)


def charged() -> tuple[str, ...]:
    """Give what calls are charged for."""
    return (*(endpoint.path for endpoint in endpoints()), USAGE_LABEL)


def columns(settings: Settings) -> int:
    """Give how many threads count, over all processes."""
    return settings.workers * settings.threads + bool(settings.stream_port)


def _before(ledger: WorkerCounters, book: UsageStore) -> PastUsage:
    """Give what the book has of pages that the ledger has not; read again where other pages have come meanwhile."""
    while True:
        pages = ledger.file_keys()
        past = book.by_day(utc_now().date() - _REMEMBERED, without=pages)
        if ledger.file_keys() == pages:
            return past

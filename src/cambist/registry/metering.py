"""Open the meter of a process, over the usage counters that all processes share."""

from __future__ import annotations

import logging
from datetime import timedelta

from cambist.accounts.meter import Meter, PastUsage
from cambist.accounts.usage_counters import UsageStore
from cambist.api.dialects import DIALECTS
from cambist.api.dialects.dialect import usage_label
from cambist.api.mcp import USAGE_LABEL as TOOLS_LABEL
from cambist.clock import utc_now
from cambist.registry.components import endpoints
from cambist.settings import Settings
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.stream.billing import USAGE_LABEL

log = logging.getLogger(__name__)

_USAGE_DAYS = timedelta(days=62)
"""How many days of usage are kept in memory: two periods."""


def open_meter(settings: Settings, store: Store) -> Meter:
    """Open the meter of a process that counts calls. Errors: StoreBroken."""
    folder = DataDirectory(settings.data)
    counters = WorkerCounters(folder.ledger, charged_endpoints(), writer_slots(settings))
    return Meter(counters, _past_usage(counters, store.usage), log.warning)


def charged_endpoints() -> tuple[str, ...]:
    """Return the labels under which calls are counted: the paths of endpoints, the stream, the dialects, and tools."""
    return (*(endpoint.path for endpoint in endpoints()), USAGE_LABEL, *map(usage_label, DIALECTS), TOOLS_LABEL)


def writer_slots(settings: Settings) -> int:
    """Return how many threads count calls, over all processes: of a worker the event loop, and those that wait."""
    return settings.workers * (settings.threads + 1) + (settings.stream_workers if settings.stream_port else 0)


def _past_usage(counters: WorkerCounters, usage: UsageStore) -> PastUsage:
    """Return the usage that is in the database only. Read it again if counter files have come or gone meanwhile."""
    while True:
        files = counters.file_keys()
        past = usage.by_day(utc_now().date() - _USAGE_DAYS, without=files)
        if counters.file_keys() == files:
            return past

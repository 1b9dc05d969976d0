"""Open the meter of a process, over the usage counters that all processes share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial

from cambist.accounts.meter import Meter, PastUsage
from cambist.accounts.node_meter import NodeMeter, OthersUsage
from cambist.accounts.reservations import OwnReservations, Reservations
from cambist.accounts.usage_counters import CounterFileKey, UsageStore
from cambist.api.faces.dialects import DIALECTS
from cambist.api.faces.dialects.dialect import usage_label
from cambist.api.faces.mcp import USAGE_LABEL as TOOLS_LABEL
from cambist.clock import utc_now
from cambist.errors import StoreBroken, StoreUnreachable
from cambist.http.scheduler import MORE_THREADS
from cambist.registry.node.local_copies import USAGE_DAYS, copied_past_usage
from cambist.registry.node.nodes import node_name
from cambist.registry.wiring.components import endpoints, posted_endpoints
from cambist.settings import Settings
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.usage.lease_file import LeaseFile
from cambist.storage.shared.usage.reservation_file import ReservationFile
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.stream.billing import USAGE_LABEL

log = logging.getLogger(__name__)


def _nobody(_account: int, _since: date) -> Mapping[date, int]:
    return {}


def open_meter(settings: Settings, store: AccountStore, others_usage: OthersUsage = _nobody) -> Meter:
    """Open the meter of a process that counts calls. Errors: StoreBroken.

    `others_usage` reads what other nodes have counted, if there are others.
    """
    counters = open_counters(settings)
    node = node_name(settings) if settings.is_node else None
    past = _past_usage(counters, store.usage, node, partial(copied_past_usage, settings))
    if node is None:
        return Meter(counters, past, log.warning, _open_reservations(settings))
    leases = LeaseFile(DataDirectory(settings.data).leases, counters.slot)
    return NodeMeter(counters, past, leases, others_usage, log.warning, _open_reservations(settings))


def _open_reservations(settings: Settings) -> Reservations:
    """Return the reservations that all processes share; if there is no room for them, those of this process."""
    try:
        return ReservationFile(DataDirectory(settings.data).reservations)
    except StoreBroken as broken:
        log.warning("Usage: each process knows only what it has reserved itself: %s", broken)
        return OwnReservations()


def open_counters(settings: Settings) -> WorkerCounters:
    """Open the usage counters of a process that counts. Errors: StoreBroken."""
    return WorkerCounters(DataDirectory(settings.data).ledger, charged_endpoints(), writer_slots(settings))


def charged_endpoints() -> tuple[str, ...]:
    """Return the labels under which calls are counted: the paths of endpoints, the stream, the dialects, and tools."""
    paths = [*(endpoint.path for endpoint in endpoints()), *(posted.path for posted in posted_endpoints())]
    return (*paths, USAGE_LABEL, *map(usage_label, DIALECTS), TOOLS_LABEL)


def writer_slots(settings: Settings) -> int:
    """Return how many threads count calls, over all processes.

    In a worker these are the event loop and the threads that wait; the link of a node counts what others admit.
    """
    stream = settings.stream_workers if settings.stream_port else 0
    return settings.workers * (settings.threads + MORE_THREADS + 1) + stream + settings.is_node


def _no_copy(_files: frozenset[CounterFileKey]) -> None:
    return None


def _past_usage(
    counters: WorkerCounters,
    usage: UsageStore,
    node: str | None = None,
    copied: Callable[[frozenset[CounterFileKey]], PastUsage | None] = _no_copy,
) -> PastUsage:
    """Return the usage that is in the database only, of one node or of all; without the database, as it was `copied`.

    It is read again if counter files have come or gone meanwhile. Errors: StoreBroken.
    """
    while True:
        files = counters.file_keys()
        try:
            past = usage.by_day(utc_now().date() - USAGE_DAYS, without=files, node=node)
        except StoreUnreachable:
            if (copy := copied(files)) is None:
                raise
            past = copy
        if counters.file_keys() == files:
            return past

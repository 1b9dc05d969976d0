"""The supervisor: it starts the processes of the service, and stops them in order."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from cambist.http.server import FINISH_SECONDS
from cambist.processes.child_process import ChildProcess, Entry, imported, share_memory
from cambist.processes.service_manager import service_manager
from cambist.processes.watchdog import CHECK_SECONDS, Watchdog
from cambist.settings import Settings

log = logging.getLogger(__name__)


def supervise(
    settings: Settings, keys: Mapping[str, str], address: str, reload_plans: Callable[[], None], *, shares_memory: bool
) -> None:
    """Run all processes until SIGTERM or SIGINT; call `reload_plans` on SIGHUP.

    `keys` are the operator's keys of sources. API workers listen on `address`, an address of this machine. With
    `shares_memory` they share the memory of this process, which should then be small. A service manager that the
    environment names is told about the start, the watchdog, each reload and the end.
    """
    manager = service_manager(os.environ)
    answering = share_memory() if shares_memory else None
    serves_api = "api" in settings.chosen_roles
    with ExitStack() as stack:
        children = []
        for name, entry in _child_processes(settings, keys).items():
            children.append(ChildProcess(name, entry, settings, answering))
            stack.push(children[-1])
        serve = _entry("api_worker", "serve_requests", address=address)
        workers = [
            ChildProcess(f"worker {number + 1}", serve, settings, answering, is_awaited=True)
            for number in range(settings.workers if serves_api else 0)
        ]
        if answering is not None and not serves_api:
            answering.set()
        stack.callback(_stop, workers)
        signals = _Signals()  # not before: a forked process would have these handlers
        for child in (*workers, *children):
            child.watch()
        watchdog = Watchdog(manager, workers, children, _status(settings) if serves_api else "Working")
        signals.wait(reload_plans, watchdog if manager.is_present else None)
        manager.stopping()


def _stop(workers: Iterable[ChildProcess]) -> None:
    """Stop all workers at once, and log whether they have finished what they were answering."""
    for worker in workers:
        worker.begin_stop()
    have_finished = [worker.stop() for worker in workers]
    if all(have_finished):
        log.info("Stopped; answers in flight were finished")
    else:
        log.warning("Stopped; answers that were in flight longer than %d s were cut off", FINISH_SECONDS)


class _Signals:
    """The signals that this process has received: SIGTERM and SIGINT end the service, SIGHUP reloads the plans."""

    def __init__(self) -> None:
        self._received: SimpleQueue[int] = SimpleQueue()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda received, _frame: self._received.put(received))

    def wait(self, reload: Callable[[], None], watchdog: Watchdog | None) -> None:
        """Wait until the service should end; look at the processes once a second if there is a watchdog."""
        while True:
            try:
                received = self._received.get(timeout=CHECK_SECONDS if watchdog else None)
            except Empty:
                received = 0
            if received == signal.SIGHUP:
                _reload(reload, watchdog)
            elif received:
                return
            if watchdog:
                watchdog.check()


def _reload(reload: Callable[[], None], watchdog: Watchdog | None) -> None:
    if watchdog:
        watchdog.reloading()
    reload()
    if watchdog:
        watchdog.reloaded()


def _status(settings: Settings) -> str:
    return f"Answering on {settings.url}"


def _child_processes(settings: Settings, keys: Mapping[str, str]) -> dict[str, Entry]:
    """Return what runs beside the API workers, as far as it is among the roles of this machine."""
    processes: dict[str, Entry] = {"usage writer": _entry("usage_writer", "write_usage")}
    if settings.is_node:
        processes["cluster link"] = _entry("cluster_link", "link_node")
    if settings.sandbox:
        log.info("Sandbox: every price is simulated, by the seed %d", settings.sandbox_seed)
        processes["sandbox"] = _entry("sandbox_market", "run_sandbox")
    elif settings.fetch and "ingest" in settings.chosen_roles:
        processes["ingest"] = _entry("ingestor", "ingest", keys=keys)
    if settings.stream_port and "stream" in settings.chosen_roles:
        for number in range(settings.stream_workers):
            processes[f"stream {number + 1}" if number else "stream"] = _entry("stream", "stream", number=number)
    if settings.operator_port:
        processes["operator port"] = _entry("operator_port", "serve_operator")
    return processes


def _entry(module: str, function: str, **options: Any) -> Entry:
    return partial(imported, f"cambist.processes.{module}", function, **options)

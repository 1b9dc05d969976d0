"""The supervisor: it starts the processes of the service, and stops them in order."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from cambist.api import server
from cambist.processes.api_worker import load_worker
from cambist.processes.child_process import ChildProcess, Entry, imported, share_memory
from cambist.settings import Settings

log = logging.getLogger(__name__)


def supervise(
    settings: Settings, keys: Mapping[str, str], address: str, reload_plans: Callable[[], None], *, shares_memory: bool
) -> None:
    """Run all processes until SIGTERM or SIGINT; call `reload_plans` on SIGHUP.

    `keys` are the operator's keys of sources. API workers listen on `address`, an address of this machine. With
    `shares_memory` they share the memory of this process, which should then be small.
    """
    answering = share_memory() if shares_memory else None
    with ExitStack() as stack:
        children = []
        for name, entry in _child_processes(settings, keys).items():
            children.append(ChildProcess(name, entry, settings, answering))
            stack.push(children[-1])

        def watch() -> None:
            for child in children:
                child.watch()

        load = partial(load_worker, settings, os.getpid())
        is_finished = server.run(settings, address, load, reload_plans, watch, "fork" if answering else "spawn")
    if is_finished:
        log.info("Stopped; answers in flight were finished")
    else:
        log.warning("Stopped; answers that were in flight longer than %d s were cut off", server.FINISH_SECONDS)


def _child_processes(settings: Settings, keys: Mapping[str, str]) -> dict[str, Entry]:
    """Return what runs beside the API workers."""
    processes: dict[str, Entry] = {"usage writer": _entry("usage_writer", "write_usage")}
    if settings.sandbox:
        log.info("Sandbox: every price is simulated, by the seed %d", settings.sandbox_seed)
        processes["sandbox"] = _entry("sandbox_market", "run_sandbox")
    elif settings.fetch:
        # Operators find the ingest process in the log under this name.
        processes["gatherer"] = _entry("ingestor", "ingest", keys=keys)
    if settings.stream_port:
        for number in range(settings.stream_workers):
            processes[f"stream {number + 1}" if number else "stream"] = _entry("stream", "stream", number=number)
    return processes


def _entry(module: str, function: str, **options: Any) -> Entry:
    return partial(imported, f"cambist.processes.{module}", function, **options)

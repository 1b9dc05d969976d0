"""The supervisor: it starts the processes of the service, and stops them in order."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial

from cambist.api import server
from cambist.processes.api_worker import load_worker
from cambist.processes.child_process import ChildProcess, Entry
from cambist.processes.ingestor import ingest
from cambist.processes.sandbox_market import run_sandbox
from cambist.processes.stream import stream
from cambist.processes.usage_writer import write_usage
from cambist.settings import Settings

log = logging.getLogger(__name__)


def supervise(settings: Settings, keys: Mapping[str, str], address: str, reload_plans: Callable[[], None]) -> None:
    """Run all processes until SIGTERM or SIGINT; call `reload_plans` on SIGHUP.

    `keys` are the operator's keys of sources. API workers listen on `address`, an address of this machine.
    """
    with ExitStack() as stack:
        for name, entry in _child_processes(settings, keys).items():
            stack.enter_context(ChildProcess(name, entry, settings))
        is_finished = server.run(settings, address, partial(load_worker, settings, os.getpid()), reload_plans)
    if is_finished:
        log.info("Stopped; answers in flight were finished")
    else:
        log.warning("Stopped; answers that were in flight longer than %d s were cut off", server.FINISH_SECONDS)


def _child_processes(settings: Settings, keys: Mapping[str, str]) -> dict[str, Entry]:
    """Return what runs beside the API workers."""
    processes: dict[str, Entry] = {"usage writer": write_usage}
    if settings.sandbox:
        log.info("Sandbox: every price is simulated, by the seed %d", settings.sandbox_seed)
        processes["sandbox"] = run_sandbox
    elif settings.fetch:
        # Operators find the ingest process in the log under this name.
        processes["gatherer"] = partial(ingest, keys=keys)
    if settings.stream_port:
        processes["stream"] = stream
    return processes

"""Run the service: prepare the data folder, start the processes, and print the owner's key at the first start."""

from __future__ import annotations

import logging
import logging.config
import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cambist import __version__
from cambist.api import server
from cambist.api.certificate import check_certificate
from cambist.api.listening_socket import free_address
from cambist.clock import utc_now
from cambist.logs import log_config
from cambist.processes.api_worker import load_worker
from cambist.processes.bootstrap import Bootstrap
from cambist.processes.child_process import ChildProcess
from cambist.processes.ingestor import ingest
from cambist.processes.sandbox_market import run_sandbox
from cambist.processes.stream import stream
from cambist.processes.usage_writer import write_usage
from cambist.registry.sources import checked_keys
from cambist.settings import Settings

log = logging.getLogger(__name__)


def run_service(settings: Settings) -> None:
    """Prepare the data folder, then serve until a signal stops the service. Errors: CannotStart."""
    os.umask(0o077)
    logging.config.dictConfig(log_config(settings.log_level))
    log.info("Cambist %s, data in %s", __version__, settings.data.resolve())
    keys = checked_keys(settings, os.environ)
    bootstrap = Bootstrap(settings, utc_now)
    check_certificate(settings.tls_cert, settings.tls_key)
    listening_socket = free_address(settings.host, settings.port)
    address = f"{settings.scheme}://{settings.host}:{settings.port}{settings.path_prefix}"
    _prepare(bootstrap, address)
    log.info("Serving %s with %d workers of %d threads", address, settings.workers, settings.threads)
    with ExitStack() as processes:
        processes.enter_context(ChildProcess("bookbootstrap", write_usage, settings))
        if settings.sandbox:
            log.info("Sandbox: every price is simulated, by the seed %d", settings.sandbox_seed)
            processes.enter_context(ChildProcess("sandbox", run_sandbox, settings))
        elif settings.fetch:
            processes.enter_context(ChildProcess("gatherer", partial(ingest, keys=keys), settings))
        if settings.stream_port:
            processes.enter_context(ChildProcess("stream", stream, settings))
        finished = server.run(
            settings, listening_socket, partial(load_worker, settings, os.getpid()), bootstrap.reload_plans
        )
    if finished:
        log.info("Stopped; answers in flight were finished")
    else:
        log.warning("Stopped; answers that were in flight longer than %d s were cut off", server.FINISH_SECONDS)


def _prepare(bootstrap: Bootstrap, address: str) -> None:
    with _progress() as progress:
        task = progress.add_task("Reading exchange rates", total=None, visible=False)
        bootstrap.prepare(lambda count: progress.update(task, advance=count, visible=True))
    key = bootstrap.create_owner()
    bootstrap.close()
    if key:
        _print_owner_key(key, bootstrap.owner_key, address)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_owner_key(key: str, key_file: Path, address: str) -> None:
    """Print the owner's key once, to standard output and not to the log, which never contains keys.

    The example reads the key from the file: on a command line, process lists and the shell's history would show it.
    """
    typer.echo(
        f"\nYour API key, shown only now and left in {key_file} for scripts:\n\n"
        f"  {key}\n\n"
        "Try it, or read the reference at "
        f"{address}/docs:\n\n"
        f"  sed 's/^/X-API-Key: /' {key_file} | curl -H @- '{address}/fetch-one?from=EUR&to=USD'\n"
    )

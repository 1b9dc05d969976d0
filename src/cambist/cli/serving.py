"""Running the service: what `cambist serve` prepares, starts and says."""

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


def run(settings: Settings) -> None:
    """Prepare the data folder, then answer until told to stop. Errors: CannotStart."""
    os.umask(0o077)
    logging.config.dictConfig(log_config(settings.log_level))
    log.info("Cambist %s, data in %s", __version__, settings.data.resolve())
    keys = checked_keys(settings, os.environ)
    keeper = Bootstrap(settings, utc_now)
    check_certificate(settings.tls_cert, settings.tls_key)
    listening_on = free_address(settings.host, settings.port)
    address = f"{settings.scheme}://{settings.host}:{settings.port}{settings.path_prefix}"
    _prepare(keeper, address)
    log.info("Serving %s with %d workers of %d threads", address, settings.workers, settings.threads)
    with ExitStack() as companions:
        companions.enter_context(ChildProcess("bookkeeper", write_usage, settings))
        if settings.sandbox:
            log.info("Sandbox: every price is simulated, by the seed %d", settings.sandbox_seed)
            companions.enter_context(ChildProcess("sandbox", run_sandbox, settings))
        elif settings.fetch:
            companions.enter_context(ChildProcess("gatherer", partial(ingest, keys=keys), settings))
        if settings.stream_port:
            companions.enter_context(ChildProcess("stream", stream, settings))
        finished = server.run(settings, listening_on, partial(load_worker, settings, os.getpid()), keeper.reload_plans)
    if finished:
        log.info("Stopped; answers in flight were finished")
    else:
        log.warning("Stopped; answers that were in flight longer than %d s were cut off", server.FINISH_SECONDS)


def _prepare(keeper: Bootstrap, address: str) -> None:
    with _bar() as bar:
        task = bar.add_task("Reading exchange rates", total=None, visible=False)
        keeper.prepare(lambda count: bar.update(task, advance=count, visible=True))
    key = keeper.create_owner()
    keeper.close()
    if key:
        _introduce(key, keeper.owner_key, address)


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _introduce(key: str, left_in: Path, address: str) -> None:
    """Print the owner's key, once and to standard output only: the log never names a key.

    The line to try takes it from the file: on a command line it would stand in process lists and shell histories.
    """
    typer.echo(
        f"\nYour API key, shown only now and left in {left_in} for scripts:\n\n"
        f"  {key}\n\n"
        "Try it, or read the reference at "
        f"{address}/docs:\n\n"
        f"  sed 's/^/X-API-Key: /' {left_in} | curl -H @- '{address}/fetch-one?from=EUR&to=USD'\n"
    )

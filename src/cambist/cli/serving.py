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
from cambist.app.bookkeeper import keep_books
from cambist.app.companion import Companion
from cambist.app.feeds import checked_keys
from cambist.app.gatherer import gather
from cambist.app.keeper import Keeper
from cambist.app.sandbox import play
from cambist.app.streaming import stream
from cambist.app.worker import load_worker
from cambist.server import http
from cambist.server.certificate import check_certificate
from cambist.server.desk import utc_now
from cambist.server.listening import free_address
from cambist.server.logs import log_config
from cambist.settings import Settings

log = logging.getLogger(__name__)


def run(settings: Settings) -> None:
    """Prepare the data folder, then answer until told to stop. Errors: CannotStart."""
    os.umask(0o077)
    logging.config.dictConfig(log_config(settings.log_level))
    log.info("Cambist %s, data in %s", __version__, settings.data.resolve())
    keys = checked_keys(settings, os.environ)
    keeper = Keeper(settings, utc_now)
    check_certificate(settings.tls_cert, settings.tls_key)
    listening_on = free_address(settings.host, settings.port)
    address = f"{settings.scheme}://{settings.host}:{settings.port}{settings.path_prefix}"
    _prepare(keeper, address)
    log.info("Serving %s with %d workers of %d threads", address, settings.workers, settings.threads)
    with ExitStack() as companions:
        companions.enter_context(Companion("bookkeeper", keep_books, settings))
        if settings.sandbox:
            log.info("Sandbox: every price is simulated, by the seed %d", settings.sandbox_seed)
            companions.enter_context(Companion("sandbox", play, settings))
        elif settings.fetch:
            companions.enter_context(Companion("gatherer", partial(gather, keys=keys), settings))
        if settings.stream_port:
            companions.enter_context(Companion("stream", stream, settings))
        finished = http.run(settings, listening_on, partial(load_worker, settings, os.getpid()), keeper.reload_plans)
    if finished:
        log.info("Stopped; answers in flight were finished")
    else:
        log.warning("Stopped; answers that were in flight longer than %d s were cut off", http.FINISH_SECONDS)


def _prepare(keeper: Keeper, address: str) -> None:
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

"""Run the service: prepare the data folder, say what is served, and start the processes."""

from __future__ import annotations

import logging
import logging.config
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from logging.handlers import MemoryHandler

from cambist import __version__
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.admin.data_folder.served_rates import read_served_rates
from cambist.admin.data_folder.start_settings import check_start_settings
from cambist.cli.start_block import print_start
from cambist.clock import utc_now
from cambist.http.certificate import check_certificate
from cambist.http.listening_socket import free_address
from cambist.log_file import check_log_file
from cambist.logs import log_config
from cambist.processes.supervisor import supervise
from cambist.registry.node.serving import served
from cambist.settings import Settings, ignored_variables

log = logging.getLogger(__name__)

_HELD_LINES = 1000


def run_service(settings: Settings, *, is_quiet: bool = False) -> None:
    """Prepare the data folder, then serve until a signal stops the service. Errors: CannotStart.

    Unless it is quiet, a block on standard output says what is served, with a new owner's key; the log never has keys.
    """
    os.umask(0o077)
    if settings.logging[2]:
        check_log_file(settings.logging[2])
    logging.config.dictConfig(log_config(*settings.logging))
    with ExitStack() as held:
        if not is_quiet and sys.stdout.isatty() and sys.stderr.isatty():
            held.enter_context(_held_log())
        log.info("Cambist %s, data in %s", __version__, settings.data.resolve())
        if ignored := ignored_variables(os.environ):
            log.info("Ignored, because Kubernetes sets them for a Service: %s", ", ".join(ignored))
        keys = check_start_settings(settings, os.environ)
        bootstrap = Bootstrap(settings, utc_now)
        check_certificate(settings.tls_cert, settings.tls_key)
        check_certificate(settings.operator_tls_cert, settings.operator_tls_key, "operator_")
        with served(settings):
            listening_socket = free_address(settings.host, settings.port) if _serves_api(settings) else ""
            is_built = _prepare(bootstrap, settings, is_quiet=is_quiet)
            held.close()
            _serve(settings, keys, listening_socket, bootstrap, shares_memory=not is_built)


def _serve(
    settings: Settings, keys: Mapping[str, str], listening_socket: str, bootstrap: Bootstrap, *, shares_memory: bool
) -> None:
    if _serves_api(settings):
        log.info("Serving %s with %d workers of %d threads", settings.url, settings.workers, settings.threads)
        if settings.page != "off":
            log.info("Open %s/ in a browser", settings.local_url)
    supervise(settings, keys, listening_socket, bootstrap.reload_plans, shares_memory=shares_memory)


def _serves_api(settings: Settings) -> bool:
    return "api" in settings.chosen_roles


def _prepare(bootstrap: Bootstrap, settings: Settings, *, is_quiet: bool) -> bool:
    with _progress(is_shown=not is_quiet and sys.stderr.isatty()) as advance:
        is_built = bootstrap.prepare(advance)
    key = bootstrap.create_owner()
    if not is_quiet:
        print_start(settings, key, bootstrap.owner_key, read_served_rates(settings.data), utc_now())
    bootstrap.check_accounts()
    bootstrap.close()
    return is_built


@contextmanager
def _held_log() -> Iterator[None]:
    """Write what is logged below the block, so that nothing stands between its lines; a warning is written at once."""
    logger = logging.getLogger("cambist")
    (handler,) = logger.handlers
    held = MemoryHandler(_HELD_LINES, logging.WARNING, handler)
    logger.handlers = [held]
    try:
        yield
    finally:
        logger.handlers = [handler]
        held.close()  # which writes what is held


@contextmanager
def _progress(*, is_shown: bool) -> Iterator[Callable[[int], None]]:
    """Yield a function that adds to a progress bar, which is shown from then on."""
    if not is_shown:
        yield lambda _count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Reading exchange rates", total=None, visible=False)
        yield lambda count: progress.update(task, advance=count, visible=True)

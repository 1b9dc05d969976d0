"""Run the service: prepare the data folder, start the processes, and print the owner's key at the first start."""

from __future__ import annotations

import logging
import logging.config
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import typer

from cambist import __version__
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.admin.data_folder.start_settings import check_start_settings
from cambist.clock import utc_now
from cambist.http.certificate import check_certificate
from cambist.http.listening_socket import free_address
from cambist.log_file import check_log_file
from cambist.logs import log_config
from cambist.processes.supervisor import supervise
from cambist.registry.node.serving import served
from cambist.settings import Settings, ignored_variables

log = logging.getLogger(__name__)


def run_service(settings: Settings) -> None:
    """Prepare the data folder, then serve until a signal stops the service. Errors: CannotStart."""
    os.umask(0o077)
    if settings.logging[2]:
        check_log_file(settings.logging[2])
    logging.config.dictConfig(log_config(*settings.logging))
    log.info("Cambist %s, data in %s", __version__, settings.data.resolve())
    if ignored := ignored_variables(os.environ):
        log.info("Ignored, because Kubernetes sets them for a Service: %s", ", ".join(ignored))
    keys = check_start_settings(settings, os.environ)
    bootstrap = Bootstrap(settings, utc_now)
    check_certificate(settings.tls_cert, settings.tls_key)
    with served(settings):
        _serve(settings, keys, bootstrap)


def _serve(settings: Settings, keys: Mapping[str, str], bootstrap: Bootstrap) -> None:
    serves_api = "api" in settings.chosen_roles
    listening_socket = free_address(settings.host, settings.port) if serves_api else ""
    is_built = _prepare(bootstrap, settings.local_url, has_page=settings.page != "off")
    if serves_api:
        log.info("Serving %s with %d workers of %d threads", settings.url, settings.workers, settings.threads)
    if settings.page != "off" and serves_api:
        log.info("Open %s/ in a browser", settings.local_url)
    supervise(settings, keys, listening_socket, bootstrap.reload_plans, shares_memory=not is_built)


def _prepare(bootstrap: Bootstrap, address: str, *, has_page: bool) -> bool:
    with _progress() as advance:
        is_built = bootstrap.prepare(advance)
    key = bootstrap.create_owner()
    if key:
        _print_owner_key(key, bootstrap.owner_key, address, has_page=has_page)
    bootstrap.check_accounts()
    bootstrap.close()
    return is_built


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Yield a function that adds to a progress bar, which is shown from then on, and only on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Reading exchange rates", total=None, visible=False)
        yield lambda count: progress.update(task, advance=count, visible=True)


def _print_owner_key(key: str, key_file: Path, address: str, *, has_page: bool) -> None:
    """Print the owner's key once, to standard output and not to the log, which never contains keys.

    The example reads the key from the file: on a command line, process lists and the shell's history would show it.
    """
    page = f"Paste it into the page at {address}/\n\n" if has_page else ""
    typer.echo(
        f"\nYour API key, shown only now and left in {key_file} for scripts:\n\n"
        f"  {key}\n\n"
        f"{page}Try it, or read the reference at "
        f"{address}/docs:\n\n"
        f"  sed 's/^/X-API-Key: /' {key_file} | curl -H @- '{address}/fetch-one?from=EUR&to=USD'\n"
    )

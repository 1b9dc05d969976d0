"""`cambist serve`: run the service."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from cambist.settings import Settings, read_settings, setting_descriptions, written


def flag(name: str) -> Any:
    """Return the declaration of the flag for a setting."""
    return typer.Option(
        help=f"{setting_descriptions()[name].capitalize()} (default: {written(getattr(Settings(), name)) or 'none'})."
    )


def serve(  # noqa: PLR0913  the flags are the settings
    *,
    data: Annotated[Path | None, flag("data")] = None,
    host: Annotated[str | None, flag("host")] = None,
    port: Annotated[int | None, flag("port")] = None,
    stream_port: Annotated[int | None, flag("stream_port")] = None,
    stream_workers: Annotated[int | None, flag("stream_workers")] = None,
    workers: Annotated[int | None, flag("workers")] = None,
    threads: Annotated[int | None, flag("threads")] = None,
    path_prefix: Annotated[str | None, flag("path_prefix")] = None,
    tls_cert: Annotated[Path | None, flag("tls_cert")] = None,
    tls_key: Annotated[Path | None, flag("tls_key")] = None,
    operator_port: Annotated[int | None, flag("operator_port")] = None,
    fetch: Annotated[bool | None, flag("fetch")] = None,
    gateway: Annotated[str | None, flag("gateway")] = None,
    dialects: Annotated[str | None, flag("dialects")] = None,
    sandbox: Annotated[bool | None, flag("sandbox")] = None,
    sandbox_seed: Annotated[int | None, flag("sandbox_seed")] = None,
    log_level: Annotated[str | None, flag("log_level")] = None,
    access_log: Annotated[bool | None, flag("access_log")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but the log, not even a new key.")] = False,
) -> None:
    """Run the service until SIGTERM or Ctrl-C.

    The first start fills the data folder with the ECB's reference rates since 1999, which come with the
    installed packages. It creates the owner's account and prints its API key once. Every flag but --quiet is also a
    setting: see **cambist settings**. A sandbox serves simulated prices, asks no sources, and has a data folder of its
    own.
    """
    flags = {name: value for name, value in locals().items() if name != "quiet"}
    settings = read_settings(os.environ, flags)  # every other flag is a setting of its name
    gc.disable()  # what is imported stays
    from cambist.cli.run_service import run_service

    gc.enable()
    run_service(settings, is_quiet=quiet)

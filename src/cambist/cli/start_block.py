"""What `cambist serve` prints when it serves: where, with which key, what is fresh, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import typer

from cambist import __version__
from cambist.admin.data_folder.served_rates import ServedRates
from cambist.cli.formats import format_age
from cambist.cli.output import styled
from cambist.settings import Settings, authority, local_host


def print_start(settings: Settings, key: str | None, key_file: Path, rates: ServedRates | None, now: datetime) -> None:
    """Print the block to standard output; a key only if it is new, because nothing else shows it again."""
    rows = [*_rows(settings, key, key_file, rates, now)]
    width = max(len(name) for name, _ in rows)
    lines = [f"  {styled(f'{name:{width}}', dim=True)}  {text}" for name, text in rows]
    typer.echo("\n".join(["", styled(f"Cambist {__version__}", bold=True), "", *lines, ""]))


def _rows(
    settings: Settings, key: str | None, key_file: Path, rates: ServedRates | None, now: datetime
) -> Iterator[tuple[str, str]]:
    serves_api, has_page = "api" in settings.chosen_roles, settings.page != "off"
    if serves_api:
        yield "Address", styled(f"{settings.local_url}{'/' if has_page else ''}", bold=True)
    if "stream" in settings.chosen_roles and settings.stream_port:
        scheme = "wss" if settings.scheme == "https" else "ws"
        yield "Stream", f"{scheme}://{authority(local_host(settings.host), settings.stream_port)}"
    yield "Data", f"{settings.data.resolve()}{', a sandbox: its prices are simulated' if settings.sandbox else ''}"
    yield "Rates", _freshness(settings, rates, now)
    if key:
        yield "Key", styled(key, bold=True)
        yield "", f"shown only now; it stays in {key_file} for scripts"
    if serves_api:
        yield from _next_steps(settings, key, key_file, has_page=has_page)
    yield "Stop", "Ctrl-C"


def _freshness(settings: Settings, rates: ServedRates | None, now: datetime) -> str:
    if settings.sandbox:
        asked = "the simulated market moves"
    elif settings.fetch and "ingest" in settings.chosen_roles:
        asked = "sources are asked for newer ones"
    else:
        asked = "no source is asked here"
    if rates is None:
        return f"none yet; {asked}"
    age = format_age(now - rates.as_of)
    return f"{rates.codes:,} codes, the newest of {rates.as_of:%Y-%m-%d %H:%M} UTC, {age} old; {asked}"


def _next_steps(settings: Settings, key: str | None, key_file: Path, *, has_page: bool) -> Iterator[tuple[str, str]]:
    """Yield what to try: a new key is read from its file, because a command line would show it to others."""
    if not key:
        yield "Next", f"cambist rate EUR USD --data {settings.data}"
        return
    if has_page:
        yield "Next", "open the address in a browser and paste the key, or type"
    url = f"{settings.local_url}/fetch-one?from=EUR&to=USD"
    yield "" if has_page else "Next", f"sed 's/^/X-API-Key: /' {key_file} | curl -H @- '{url}'"

"""`cambist watch`: the newest prices of some pairs, live in the terminal, through the stream."""

from __future__ import annotations

import asyncio
import os
import re
import ssl
import sys
from collections.abc import Sequence
from contextlib import aclosing, suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cambist.accounts.names import echo
from cambist.app.watched import Direction, Price, Watched
from cambist.app.watching import Access, StreamClient, owner_key_file
from cambist.cli.given import Data
from cambist.errors import BadParameter
from cambist.server.desk import utc_now
from cambist.settings import KEY_VARIABLE, Settings, read_settings
from cambist.stream.messages import StreamName

_ONCE_SECONDS = 10.0
_DRAW_EVERY = 0.25
_COLUMNS = ("Symbol", "Bid", "Ask", "Mid", "Spread", "Age (s)", "")
_STYLES = {Direction.UP: "green", Direction.DOWN: "red", Direction.NONE: ""}
_ARROWS = {Direction.UP: "▲", Direction.DOWN: "▼", Direction.NONE: ""}
_PLAIN_ARROWS = {Direction.UP: "^", Direction.DOWN: "v", Direction.NONE: ""}
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  nothing listens here
_HERE = frozenset({"127.0.0.1", "localhost", "::1"})
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL | re.ASCII)


def watch(
    pairs: Annotated[list[str], typer.Argument(metavar="PAIR", help="Pairs such as EURUSD, XAUUSD, BTCUSD.")],
    *,
    url: Annotated[
        str | None,
        typer.Option(help="Address such as ws://127.0.0.1:8001; left out: from the settings."),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Show one table and end: when all have a price, or after 10 s.")
    ] = False,
    per_second: Annotated[bool, typer.Option("--per-second", help="At most one price a second and pair.")] = False,
    data: Data = None,
) -> None:
    """Show the newest prices of pairs, live, until Ctrl-C.

    The key comes from the variable CAMBIST_KEY, or else from `owner.key` of the data folder: it does not belong on a
    command line. A stream that is lost is connected to again; until then the last prices stay, greyed. Where the
    output is no terminal, each change is a line: symbol, bid, ask and market time. Asked for one table, it exits with
    1 where a pair has no price or is unknown.
    """
    settings = read_settings(os.environ, {"data": data})
    watched = Watched(pairs)
    stream = StreamName.FX1S if per_second else StreamName.FX
    client = StreamClient(_access(settings, url), watched, stream, utc_now, _warn)
    try:
        asyncio.run(_shown(client, watched, once=once))
    except KeyboardInterrupt:
        return
    except BrokenPipeError:  # whoever read the lines has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    if once and not watched.has_all:
        raise typer.Exit(1)


def prices_table(watched: Watched, now: datetime, *, ascii_only: bool = False) -> Table:
    """Make the table of what is watched; the prices of a stream that is lost are grey."""
    table = Table(style="dim" if watched.lost else "")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "Symbol" else "right", min_width=1, overflow="fold")
    for symbol, price in watched.prices.items():
        table.add_row(Text(symbol), *_cells(price, now, ascii_only=ascii_only), style="dim" if watched.lost else "")
    if watched.lost:
        since = f"{watched.lost.since:%H:%M:%S} UTC"
        table.caption = Text(f"Lost since {since}: {watched.lost.why}; connecting again")
    return table


def _cells(price: Price | None, now: datetime, *, ascii_only: bool) -> Sequence[Text]:
    if price is None:
        return [Text("-")] * 5
    arrows = _PLAIN_ARROWS if ascii_only else _ARROWS
    numbers = [_written(number) for number in (price.bid, price.ask, price.mid, price.spread)]
    arrow = Text(arrows[price.direction], style=_STYLES[price.direction])
    return [*map(Text, numbers), Text(f"{price.age(now):.1f}"), arrow]


def _written(number: Decimal) -> str:
    return format(number, "f")


async def _shown(client: StreamClient, watched: Watched, *, once: bool) -> None:
    if once:
        await _show_once(client, watched)
    elif sys.stdout.isatty():
        await _show_live(client, watched)
    else:
        await _show_lines(client, watched)


async def _show_once(client: StreamClient, watched: Watched) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_ONCE_SECONDS), aclosing(client.changes()) as changes:
            async for _ in changes:
                if watched.is_complete:
                    break
    console = Console()
    console.print(prices_table(watched, utc_now(), ascii_only=console.options.ascii_only))


async def _show_lines(client: StreamClient, watched: Watched) -> None:
    async with aclosing(client.changes()) as changes:
        async for symbol in changes:
            price = watched.prices[symbol]
            if price is not None:
                as_of = price.as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z")
                typer.echo(f"{symbol} {_written(price.bid)} {_written(price.ask)} {as_of}")


async def _show_live(client: StreamClient, watched: Watched) -> None:
    console = Console()
    with Live(console=console, auto_refresh=False) as live:
        drawing = asyncio.create_task(_draw(live, watched, ascii_only=console.options.ascii_only))
        try:
            async with aclosing(client.changes()) as changes:
                async for _ in changes:
                    pass
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)


async def _draw(live: Live, watched: Watched, *, ascii_only: bool) -> None:
    """Draw the table again and again: ages grow also where no price comes."""
    while True:
        live.update(prices_table(watched, utc_now(), ascii_only=ascii_only), refresh=True)
        await asyncio.sleep(_DRAW_EVERY)


def _access(settings: Settings, url: str | None) -> Access:
    """Say where the stream is and what opens it. Errors: BadParameter, SettingRefused, OSError."""
    if url is not None:
        if not re.match(r"wss?://[^/\s]", url):
            raise BadParameter(f"Invalid --url: [{echo(url)}], it takes an address such as ws://127.0.0.1:8001")
        return Access(url, _key(settings, is_here=urlsplit(url).hostname in _HERE))
    if not settings.stream_port:
        raise BadParameter("The setting [stream_port] is 0, so there is no stream; --url names one elsewhere")
    host = _ANYWHERE.get(settings.host, settings.host)
    host = f"[{host}]" if ":" in host else host
    if settings.scheme == "https" and settings.tls_cert is not None:
        return Access(f"wss://{host}:{settings.stream_port}", _key(settings), _trusting(settings.tls_cert))
    return Access(f"ws://{host}:{settings.stream_port}", _key(settings))


def _key(settings: Settings, *, is_here: bool = True) -> str:
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if key:
        return key
    if not is_here:
        # Whoever keeps a service here need not be known there, and its owner's key opens everything.
        raise BadParameter(f"The owner's key is not sent to another machine: set the variable {KEY_VARIABLE}")
    file = owner_key_file(settings)
    with suppress(FileNotFoundError):
        key = file.read_text(encoding="utf-8", errors="replace").strip()
    if not key:
        raise BadParameter(f"There is no key in {file}: set the variable {KEY_VARIABLE}, or name the folder by --data")
    return key


def _trusting(certificate: Path) -> ssl.SSLContext:
    """Trust the service's own certificate and no other one, whatever names it bears. Errors: BadParameter, OSError."""
    found = _CERTIFICATE.search(certificate.read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise BadParameter(f"The setting [tls_cert] is refused: there is no certificate in {certificate}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=found[0])
    return context


def _warn(sentence: str) -> None:
    typer.echo(f"cambist: {sentence}", err=True)

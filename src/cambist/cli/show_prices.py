"""Show prices: as one table, as a table that is redrawn, or as lines if the output is not a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import aclosing, suppress

import typer
from rich.console import Console
from rich.live import Live

from cambist.cli.formats import format_price
from cambist.cli.prices_table import prices_table
from cambist.cli.printed_tables import console
from cambist.cli.stream_address import stream_address
from cambist.cli.watch_list import WatchList
from cambist.cli.watched_stream import WatchedStream
from cambist.client.errors import ConnectionFailed
from cambist.client.price_stream import PriceStream
from cambist.client.stream_messages import Stream
from cambist.clock import utc_now
from cambist.settings import Settings

_ONCE_SECONDS = 10.0
_REDRAW_SECONDS = 0.25


def show_prices(settings: Settings, pairs: Sequence[str], url: str | None, *, once: bool, per_second: bool) -> bool:
    """Show prices until Ctrl-C, or one table; return whether every pair has one. Errors: RequestRefused, OSError."""
    watch_list = WatchList(pairs)
    prices = PriceStream(
        stream_address(settings, url), [*watch_list.names.values()], Stream.FX1S if per_second else Stream.FX
    )
    stream = WatchedStream(prices, watch_list, utc_now, _warn)
    try:
        asyncio.run(_show(stream, watch_list, once=once))
    except ConnectionFailed as error:
        raise ConnectionFailed(
            f"{error}: start the service with [cambist serve], or name its stream with --url"
        ) from None
    except KeyboardInterrupt:
        return True
    except BrokenPipeError:  # the reader of the pipe has ended, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return watch_list.has_all_prices


async def _show(stream: WatchedStream, watch_list: WatchList, *, once: bool) -> None:
    if once:
        await _show_once(stream, watch_list)
    elif sys.stdout.isatty():
        await _show_live(stream, watch_list)
    else:
        await _show_lines(stream, watch_list)


async def _show_once(stream: WatchedStream, watch_list: WatchList) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_ONCE_SECONDS), aclosing(stream.changes()) as changes:
            async for _ in changes:
                if watch_list.is_complete:
                    break
    screen = console()
    screen.print(prices_table(watch_list, utc_now(), ascii_only=screen.options.ascii_only))


async def _show_lines(stream: WatchedStream, watch_list: WatchList) -> None:
    async with aclosing(stream.changes()) as changes:
        async for symbol in changes:
            price = watch_list.prices[symbol]
            if price is not None:
                as_of = price.as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z")
                typer.echo(f"{symbol} {format_price(price.bid)} {format_price(price.ask)} {as_of}")


async def _show_live(stream: WatchedStream, watch_list: WatchList) -> None:
    screen = Console()
    with Live(console=screen, auto_refresh=False) as live:
        drawing = asyncio.create_task(_draw(live, watch_list, ascii_only=screen.options.ascii_only))
        try:
            async with aclosing(stream.changes()) as changes:
                async for _ in changes:
                    pass
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)


async def _draw(live: Live, watch_list: WatchList, *, ascii_only: bool) -> None:
    """Redraw the table regularly, because ages grow even if no price comes."""
    while True:
        live.update(prices_table(watch_list, utc_now(), ascii_only=ascii_only), refresh=True)
        await asyncio.sleep(_REDRAW_SECONDS)


def _warn(sentence: str) -> None:
    typer.echo(f"cambist: {sentence}", err=True)

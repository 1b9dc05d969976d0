"""`cambist fixing`: where a rate of a day came from, for whoever must show it."""

from __future__ import annotations

import os
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cambist.app.parts import open_store
from cambist.errors import BadParameter, NoRate
from cambist.market.pair import PIVOT, Pair
from cambist.reference.assets import AssetKind, kind_of
from cambist.settings import read_settings


def fixing(
    base: Annotated[str, typer.Argument(help="Base of the pair as published, such as EUR, or a coin.")],
    quote: Annotated[str, typer.Argument(help="Quote of the pair, such as USD; USD for coins.")],
    day: Annotated[datetime, typer.Argument(formats=["%Y-%m-%d"], help="Day, such as 2026-10-30.")],
    *,
    data: Annotated[Path | None, typer.Option(help="The service's data folder.")] = None,
) -> None:
    """Show everything the archive ever received for a pair and day: source, digits as published, when, from where.

    Of coins it has what each was worth in USD when a day ended, midnight UTC.
    """
    chosen = read_settings(os.environ, {"data": data})
    if not chosen.database and not (chosen.data / "cambist.db").exists():
        raise BadParameter(f"There is no archive in {chosen.data}: run [cambist serve] once, or name --data")
    store, pair = open_store(chosen), Pair(base.upper(), quote.upper())
    try:
        trail = store.archive.trail(pair, day.date())
    finally:
        store.close()
    if not trail:
        raise NoRate(_missing(pair, day.date()))
    table = Table("Source", "Pair", "Day", "Published", "Received (UTC)", "From")
    for known in trail:
        published = f"{known.fixing.nominal} {pair.base} = {known.fixing.value:f} {pair.quote}"
        received = f"{known.received_at:%Y-%m-%d %H:%M:%S}"
        table.add_row(known.fixing.source, str(pair), str(day.date()), published, received, known.origin)
    Console().print(table)


def _missing(pair: Pair, day: date) -> str:
    coins = [code for code in (pair.base, pair.quote) if kind_of(code) is AssetKind.COIN]
    if not coins:
        return f"No source fixed {pair} on {day}"
    if pair == Pair(coins[0], PIVOT):
        return (
            f"No close of {coins[0]} was archived for {day}: closes are archived when their day ends, at midnight UTC"
        )
    return f"Coins are archived in {PIVOT}: [cambist fixing {coins[0]} {PIVOT} {day}] shows what {coins[0]} closed at"

"""`cambist fixing`: where a rate of a day came from, for whoever must show it."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from cambist.app.parts import open_store
from cambist.errors import BadParameter, NoRate
from cambist.market.pair import Pair
from cambist.settings import read_settings


def fixing(
    base: Annotated[str, typer.Argument(help="Base of the pair as published, such as EUR.")],
    quote: Annotated[str, typer.Argument(help="Quote of the pair, such as USD.")],
    day: Annotated[datetime, typer.Argument(formats=["%Y-%m-%d"], help="Day, such as 2026-10-30.")],
    *,
    data: Annotated[Path | None, typer.Option(help="The service's data folder.")] = None,
) -> None:
    """Show everything the archive ever received for a pair and day: source, digits as published, when, from where."""
    chosen = read_settings(os.environ, {"data": data})
    if not chosen.database and not (chosen.data / "cambist.db").exists():
        raise BadParameter(f"There is no archive in {chosen.data}: run [cambist serve] once, or name --data")
    store = open_store(chosen)
    try:
        trail = store.archive.trail(Pair(base.upper(), quote.upper()), day.date())
    finally:
        store.close()
    if not trail:
        raise NoRate(f"No source fixed {base.upper()}/{quote.upper()} on {day.date()}")
    table = Table("Source", "Pair", "Day", "Published", "Received (UTC)", "From")
    for known in trail:
        published = f"{known.fixing.nominal} {base.upper()} = {known.fixing.value} {quote.upper()}"
        received = f"{known.received_at:%Y-%m-%d %H:%M:%S}"
        table.add_row(known.fixing.source, str(known.fixing.pair), str(day.date()), published, received, known.origin)
    Console().print(table)

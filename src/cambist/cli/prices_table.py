"""The table of `cambist watch`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from rich.table import Table
from rich.text import Text

from cambist.cli.ages import written_age
from cambist.client.watch_list import Direction, WatchList

_COLUMNS = ("Symbol", "Bid", "Ask", "Mid", "Spread", "Age", "")
_STYLES = {Direction.UP: "green", Direction.DOWN: "red", Direction.NONE: ""}
_ARROWS = {Direction.UP: "▲", Direction.DOWN: "▼", Direction.NONE: ""}
_PLAIN_ARROWS = {Direction.UP: "^", Direction.DOWN: "v", Direction.NONE: ""}


def prices_table(watched: WatchList, now: datetime, *, ascii_only: bool = False) -> Table:
    """Make the table of what is watched; the prices of a stream that is lost are grey."""
    table = Table(style="dim" if watched.lost else "")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "Symbol" else "right", min_width=1, overflow="fold")
    for symbol in watched.prices:
        table.add_row(
            Text(symbol), *_cells(watched, symbol, now, ascii_only=ascii_only), style="dim" if watched.lost else ""
        )
    if watched.lost:
        since = f"{watched.lost.since:%H:%M:%S} UTC"
        table.caption = Text(f"Lost since {since}: {watched.lost.why}; connecting again")
    return table


def _cells(watched: WatchList, symbol: str, now: datetime, *, ascii_only: bool) -> Sequence[Text]:
    price = watched.prices[symbol]
    if price is None:
        return [*[Text("-")] * 5, Text(watched.why_no_price(symbol))]
    arrows = _PLAIN_ARROWS if ascii_only else _ARROWS
    numbers = [written(number) for number in (price.bid, price.ask, price.mid, price.spread)]
    arrow = Text(arrows[price.direction], style=_STYLES[price.direction])
    return [*map(Text, numbers), Text(written_age(price.age(now))), arrow]


def written(number: Decimal) -> str:
    """Write a price without an exponent."""
    return format(number, "f")

"""The table of `cambist watch`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from cambist.cli.formats import format_age, format_price
from cambist.cli.watch_list import Direction, WatchList

_COLUMNS = ("Symbol", "Bid", "Ask", "Mid", "Spread", "Age", "")
_STYLES = {Direction.UP: "green", Direction.DOWN: "red", Direction.NONE: ""}
_ARROWS = {Direction.UP: "▲", Direction.DOWN: "▼", Direction.NONE: ""}
_PLAIN_ARROWS = {Direction.UP: "^", Direction.DOWN: "v", Direction.NONE: ""}


def prices_table(watch_list: WatchList, now: datetime, *, ascii_only: bool = False) -> Table:
    """Return the table of a watch list. It is grey while the stream is lost."""
    table = Table(style="dim" if watch_list.disconnection else "")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "Symbol" else "right", min_width=1, overflow="fold")
    for symbol in watch_list.prices:
        table.add_row(
            Text(symbol),
            *_cells(watch_list, symbol, now, ascii_only=ascii_only),
            style="dim" if watch_list.disconnection else "",
        )
    if watch_list.disconnection:
        since = f"{watch_list.disconnection.since:%H:%M:%S} UTC"
        table.caption = Text(f"Lost since {since}: {watch_list.disconnection.reason}; connecting again")
    return table


def _cells(watch_list: WatchList, symbol: str, now: datetime, *, ascii_only: bool) -> Sequence[Text]:
    price = watch_list.prices[symbol]
    if price is None:
        return [*[Text("-")] * 5, Text(watch_list.missing_reason(symbol))]
    arrows = _PLAIN_ARROWS if ascii_only else _ARROWS
    numbers = [format_price(number) for number in (price.bid, price.ask, price.mid, price.spread)]
    arrow = Text(arrows[price.direction], style=_STYLES[price.direction])
    return [*map(Text, numbers), Text(format_age(price.age(now))), arrow]

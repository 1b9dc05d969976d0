"""`cambist watch`: show live prices of pairs in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.cli.completed_words import complete_pairs
from cambist.cli.options import DataFolder, read_folder_settings


def watch(
    pairs: Annotated[
        list[str],
        typer.Argument(metavar="PAIR", help="Pairs such as EURUSD, XAUUSD, BTCUSD.", autocompletion=complete_pairs),
    ],
    *,
    url: Annotated[
        str | None,
        typer.Option(help="Address of the stream, such as ws://127.0.0.1:8001. Default: from the settings."),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Show one table and exit, once all pairs have a price or after 10 s.")
    ] = False,
    per_second: Annotated[
        bool, typer.Option("--per-second", help="Show at most one price a second for each pair.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Show live prices of pairs, until Ctrl-C.

    The key comes from the variable CAMBIST_KEY, or from `owner.key` in the data folder. It is never an argument. If the
    connection is lost, the command connects again; until then the last prices are shown in grey. If the output is not a
    terminal, each change is a line: symbol, bid, ask and market time. If one table is requested, the exit code is 1
    if a pair has no price or is unknown.
    """
    settings = read_folder_settings(data)
    from cambist.cli.show_prices import show_prices

    has_all_prices = show_prices(settings, pairs, url, once=once, per_second=per_second)
    if once and not has_all_prices:
        raise typer.Exit(1)

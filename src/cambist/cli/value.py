"""`cambist value`: what a file of positions is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.cli.completed_words import complete_codes
from cambist.cli.list_file import DecimalMark, ListFile, OutputFile, answer_file
from cambist.cli.options import DataFolder, OnDay, ServiceKey, ServiceUrl

_Currency = Annotated[str, typer.Option(help="Currency of the worth.", autocompletion=complete_codes)]
_Since = Annotated[str | None, typer.Option(help="Earlier day to compare with, such as 2026-01-02.")]


def value(  # noqa: PLR0913  the options of a command
    file: ListFile,
    *,
    currency: _Currency,
    date: OnDay = None,
    since: _Since = None,
    decimal: DecimalMark = None,
    output: OutputFile = None,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Say what positions in currencies, metals and coins are worth, now or on a day. Nothing is stored.

    The columns of the file are asset, amount, and if you like name, and cost (what was paid for all of it) or bought (a
    day, whose worth is then the cost).
    """
    from cambist.cli.service_answers import Target

    terms = {"currency": currency, "date": date, "since": since, "decimal": decimal}
    answer_file(Target(data, url, key), "/value", file, output, terms)

"""`cambist pieces`: what a file of pieces of metal is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.cli.completed_words import complete_codes
from cambist.cli.list_file import DecimalMark, ListFile, OutputFile, answer_file
from cambist.cli.options import DataFolder, ServiceKey, ServiceUrl

_Currency = Annotated[str, typer.Option(help="Currency of the worth.", autocompletion=complete_codes)]
_Margin = Annotated[str | None, typer.Option(help="Percentage that a shop keeps: it pays less and asks more.")]


def pieces(  # noqa: PLR0913  the options of a command
    file: ListFile,
    *,
    currency: _Currency,
    margin: _Margin = None,
    decimal: DecimalMark = None,
    output: OutputFile = None,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Say what pieces of metal are worth to who buys or sells them.

    The columns of the file are metal, weight, and if you like name, unit, purity, count, deduct, margin and making.
    """
    from cambist.cli.service_answers import Target

    terms = {"currency": currency, "margin": margin, "decimal": decimal}
    answer_file(Target(data, url, key), "/metals/value", file, output, terms)

"""`cambist prices`: price a file of articles in many currencies."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.cli.completed_words import complete_codes
from cambist.cli.list_file import DecimalMark, ListFile, OutputFile, answer_file
from cambist.cli.options import DataFolder, OnDay, ServiceKey, ServiceUrl

_Base = Annotated[
    str, typer.Option("--from", help="Currency of the prices in the file.", autocompletion=complete_codes)
]
_Quotes = Annotated[
    str, typer.Option("--to", help="Currencies to price in, such as USD,GBP.", autocompletion=complete_codes)
]
_Markup = Annotated[str | None, typer.Option(help="Percentage that is added, such as 2.5%.")]
_Rounding = Annotated[str | None, typer.Option(help="One of currency, cash, up, step:0.05 or charm:0.99.")]
_KeepWithin = Annotated[str | None, typer.Option(help="Percentage within which the last price stays, such as 1%.")]
_MaxChange = Annotated[str | None, typer.Option(help="Percentage by which a price may change at most.")]


def prices(  # noqa: PLR0913  the options of a command
    file: ListFile,
    *,
    base: _Base,
    quotes: _Quotes,
    markup: _Markup = None,
    rounding: _Rounding = None,
    keep_within: _KeepWithin = None,
    max_change: _MaxChange = None,
    date: OnDay = None,
    decimal: DecimalMark = None,
    output: OutputFile = None,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Price a file of articles in many currencies, marked up and rounded, near to their last prices.

    Its columns are sku, price, and if you like cost, and last.USD for the last price in a currency.
    """
    from cambist.cli.service_answers import Target

    terms = {"from": base, "to": quotes, "markup": markup, "rounding": rounding, "date": date, "decimal": decimal}
    terms |= {"keep_within": keep_within, "max_change": max_change}
    answer_file(Target(data, url, key), "/price-list/bulk", file, output, terms)

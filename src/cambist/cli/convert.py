"""`cambist convert`: convert an amount, or the amounts of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cambist.cli.completed_words import complete_codes, complete_sources
from cambist.cli.options import AsJson, DataFolder, OnDay, ServiceKey, ServiceUrl
from cambist.cli.typed_pair import read_question, read_typed
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.cli.service_answers import Target

Amount = Annotated[str, typer.Argument(help="Amount, such as 19.99; or a CSV file, - for standard input.")]
Base = Annotated[
    str | None,
    typer.Argument(
        metavar="FROM", help="Code of a currency, a metal or a coin, such as EUR.", autocompletion=complete_codes
    ),
]
Quote = Annotated[
    str | None, typer.Argument(metavar="TO", help="Code of the target, such as USD.", autocompletion=complete_codes)
]
More = Annotated[str | None, typer.Argument(hidden=True)]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="For a file: where its results go. Default: standard output.")
]
Precision = Annotated[int | None, typer.Option(help="Decimals of the result, 0 to 20. Default: as the target has.")]
Decimal = Annotated[
    str | None,
    typer.Option(help="What stands before decimals, point or comma. Default: it is found, if there is one reading."),
]
Delimiter = Annotated[str | None, typer.Option(help="For a file: what stands between cells. Default: it is found.")]

Dates = Annotated[str | None, typer.Option(help="For a file: how days are written: dmy, mdy or ymd. Default: ISO.")]
Encoding = Annotated[str | None, typer.Option(help="For a file: its encoding, such as windows-1252. Default: utf-8.")]
Source = Annotated[
    str | None, typer.Option(help="Only what this source published, such as nbp.", autocompletion=complete_sources)
]
Rule = Annotated[str | None, typer.Option(help="Which publication counts, such as before: the last before the day.")]
Booking = Annotated[str | None, typer.Option(help="The rate that an authority wants, such as pl-vat or de-vat.")]

Lock = Annotated[str | None, typer.Option(help="Hold the rate for a time such as PT30M, or use a lock's token.")]


def convert(  # noqa: PLR0913  the options of a command
    amount: Amount,
    base: Base = None,
    quote: Quote = None,
    more: More = None,
    *,
    date: OnDay = None,
    precision: Precision = None,
    output: Output = None,
    decimal: Decimal = None,
    delimiter: Delimiter = None,
    dates: Dates = None,
    encoding: Encoding = None,
    source: Source = None,
    rule: Rule = None,
    booking: Booking = None,
    lock: Lock = None,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Convert an amount between currencies, metals and coins, now or at the rate of a past day; also `100eur in usd`.

    With a file, convert each of its rows: its first line names the columns amount, from, to and, if you like, date.
    Results are added, and for rows without one the reason; then the exit code is 1. Standard error says who answers.
    """
    from cambist.cli.convert_amount import check_one_amount, convert_amount
    from cambist.cli.service_answers import Target

    amount, base, quote = read_question([word for word in (amount, base, quote, more) if word is not None])
    target, decimals = Target(data, url, key), None if precision is None else str(precision)
    if base is None:
        if date is not None or as_json or lock is not None:
            raise BadParameter("A file takes no --date, --json or --lock: its days are in its column [date]")
        _convert_file(target, amount, output, decimals, decimal, delimiter, dates, encoding, source, rule, booking)
    check_one_amount(base, quote, output, delimiter, dates, encoding)
    asked = {"from": base, "to": quote, "amount": read_typed(amount, decimal), "date": date, "precision": decimals}
    convert_amount(target, asked | {"source": source, "rule": rule, "booking": booking, "lock": lock}, as_json=as_json)


def _convert_file(target: Target, name: str, output: Path | None, *options: str | None) -> NoReturn:
    """Convert a file, and exit with 1 if a row has no result."""
    from cambist.cli.convert_file import ConversionOptions, convert_file

    raise typer.Exit(0 if convert_file(target, name, output, ConversionOptions(*options)) else 1)

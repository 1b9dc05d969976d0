"""`cambist convert`: convert an amount."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.cli.options import AsJson, BaseCode, DataFolder, OnDay, QuoteCode, ServiceKey, ServiceUrl


def convert(  # noqa: PLR0913  the options of a command
    amount: Annotated[str, typer.Argument(help="Amount from 0.01 up, such as 100 or 19.99.")],
    base: BaseCode,
    quote: QuoteCode,
    *,
    date: OnDay = None,
    precision: Annotated[int | None, typer.Option(help="Decimals of the result, 0 to 20. Default: 2.")] = None,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Convert an amount between currencies, metals and coins, now or at the rate of a past day.

    The running service answers, or without one the data folder, with the same digits; standard error says which.
    """
    from cambist.cli.service_answers import Target, ask
    from cambist.cli.words import day_words, time_words

    decimals = None if precision is None else str(precision)
    query = {"from": base, "to": quote, "amount": amount, "date": date, "precision": decimals}
    reply = ask(Target(data, url, key), "/convert", query)
    answer = reply.exact
    code, converted = next(iter(answer["result"].items()))
    typer.echo(reply.content if as_json else f"{answer['amount']} {answer['base']} = {converted} {code}")
    words = time_words(answer) if date is None else day_words(answer)
    reply.print_footer(f"1 {answer['base']} = {answer['result']['rate']} {code}.", words)

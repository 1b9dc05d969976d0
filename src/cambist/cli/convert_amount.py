"""Convert one amount, and print the result. It imports nothing of what converts files."""

from __future__ import annotations

import typer

from cambist.cli.service_answers import Query, Target, ask
from cambist.cli.words import day_words, time_words
from cambist.errors import BadParameter


def check_one_amount(base: str, quote: str | None, *options: object) -> None:
    """Refuse an amount without a target, and the options of a file. Errors: BadParameter."""
    if quote is None:
        raise BadParameter(f"Missing TO: convert an amount from {base} to what? Such as cambist convert 100 EUR USD")
    if any(option is not None for option in options):
        raise BadParameter("--output, --delimiter, --dates, --encoding are for a file, not for one amount")


def convert_amount(target: Target, query: Query, *, as_json: bool) -> None:
    """Convert one amount, and print the result. Errors: CambistError, OSError."""
    reply = ask(target, "/convert", {**query, "precision": query["precision"] or "currency"})
    answer = reply.exact
    code, converted = next(iter(answer["result"].items()))
    typer.echo(reply.content if as_json else f"{answer['amount']} {answer['base']} = {converted} {code}")
    words = day_words(answer) if "date" in answer else time_words(answer)
    if "lock" in answer:
        words = f"{words} Held until {answer['lock']['ends_at']} by --lock {answer['lock']['token']}"
    reply.print_footer(f"1 {answer['base']} = {answer['result']['rate']} {code}.", words)

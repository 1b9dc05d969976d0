"""`cambist rate`: show one rate."""

from __future__ import annotations

from typing import Any

import typer

from cambist.cli.options import AsJson, BaseCode, DataFolder, OnDay, OtherCode, ServiceKey, ServiceUrl
from cambist.cli.typed_pair import read_pair


def rate(  # noqa: PLR0913  the options of a command
    base: BaseCode,
    quote: OtherCode = None,
    *,
    date: OnDay = None,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Show the rate between two currencies, metals or coins, now or on a past day.

    The running service answers, or without one the data folder, with the same digits; standard error says which.
    """
    from cambist.cli.service_answers import Target, ask, no_network_words
    from cambist.cli.words import day_words, is_old, time_words

    base, quote = read_pair(base, quote)
    query: dict[str, str | None] = {"from": base, "to": quote}
    if date is not None:
        query |= {"amount": "1", "date": date}
    target = Target(data, url, key)
    reply = ask(target, "/fetch-one" if date is None else "/convert", query)
    answer = reply.exact
    if as_json:
        typer.echo(reply.content)
    else:
        typer.echo(f"1 {answer['base']} = {_rate(answer)} {next(iter(answer['result']))}")
    sentences = [day_words(answer)] if date is not None else [time_words(answer)]
    if date is None and is_old(answer):
        sentences += no_network_words(target)
    reply.print_footer(*sentences)


def _rate(answer: dict[str, Any]) -> str:
    """Return the rate of an answer of /fetch-one, or of one of /convert, which names it."""
    found: dict[str, str] = answer["result"]
    return found.get("rate") or next(iter(found.values()))

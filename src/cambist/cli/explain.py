"""`cambist explain`: show where a rate comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from cambist.cli.options import AsJson, BaseCode, DataFolder, OnDay, OtherCode, ServiceKey, ServiceUrl
from cambist.cli.typed_pair import read_pair

_REASONS = {
    "weekend": "on weekends it publishes nothing",
    "holiday": "it published nothing that day",
    "missing": "it published other rates that day, but not this one",
    "late": "there is nothing newer yet",
    "ended": "it has ended",
    "closed": "its market is closed now",
}


def explain(  # noqa: PLR0913  the options of a command
    base: BaseCode,
    quote: OtherCode = None,
    *,
    date: OnDay = None,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Show where a rate comes from: its sources with weight and age, legal rates, and fixings carried forward.

    The running service answers, or without one the data folder, with the same digits; standard error says which.
    """
    from cambist.cli.service_answers import Target, ask

    base, quote = read_pair(base, quote)
    reply = ask(Target(data, url, key), "/explain", {"from": base, "to": quote, "date": date})
    answer = reply.exact
    if as_json:
        typer.echo(reply.content)
    else:
        typer.echo("\n".join(explanation_lines(answer)))
    reply.print_footer()


def explanation_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that explain a rate: the rate, then each leg with its votes."""
    code, rate = next(iter(answer["result"].items()))
    on = f" on {answer['date']}" if answer["date"] else ""
    yield f"1 {answer['base']} = {rate} {code}{on}"
    for leg in answer["legs"]:
        yield ""
        yield from _leg_lines(leg)


def _leg_lines(leg: dict[str, Any]) -> Iterator[str]:
    yield f"{_published(leg)}  {_origin(leg)}"
    if leg.get("as_of"):
        yield f"  market time {leg['as_of']}{_age(leg.get('age'))}"
    if leg.get("fixed_on"):
        yield f"  fixing of {leg['fixed_on']}{_carried(leg)}"
    elif leg.get("because"):
        yield f"  {_REASONS.get(leg['because'], leg['because'])}"
    for vote in leg.get("votes", ()):
        used = f"weight {vote['weight']}" if float(vote["weight"]) else "left out: too far from the others"
        yield f"  {vote['source']:12}  {vote['mid']}  {used}{_age(vote['age'])}"


def _published(leg: dict[str, Any]) -> str:
    amount = leg.get("nominal", "1")
    unit = f" {leg['unit']} of" if leg.get("unit") else ""
    return f"{amount}{unit} {leg['base']} = {leg.get('published') or leg['rate']} {leg['quote']}"


def _origin(leg: dict[str, Any]) -> str:
    if leg.get("law"):
        return f"by law: {leg['law']}"
    through = f" through {', '.join(leg['through'])}" if leg.get("through") else ""
    sources = f" by {', '.join(leg['sources'])}" if leg.get("sources") else ""
    return f"{leg['made']}{sources}{through}"


def _carried(leg: dict[str, Any]) -> str:
    days = leg.get("carried_days", "0")
    if days == "0":
        return ""
    reason = _REASONS.get(leg.get("because", ""), "")
    return f", carried forward {days} day{'' if days == '1' else 's'}{reason and f': {reason}'}"


def _age(seconds: str | None) -> str:
    from datetime import timedelta

    from cambist.cli.formats import format_age

    return "" if seconds is None else f", {format_age(timedelta(seconds=int(seconds)))} old"

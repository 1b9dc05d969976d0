"""`cambist averages`: what a rate was over weeks, months, quarters or years."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from cambist.cli.completed_words import complete_codes
from cambist.cli.options import AsJson, BaseCode, BookingKey, DataFolder, PublisherKey, ServiceKey, ServiceUrl
from cambist.cli.series import first_day, last_day
from cambist.errors import BadParameter

_Quotes = Annotated[
    str,
    typer.Argument(metavar="TO", help="Codes of up to ten targets, such as USD,GBP.", autocompletion=complete_codes),
]
_Since = Annotated[str, typer.Option(help="First day, as 2026, 2026-10 or 2026-10-31: its whole period counts.")]
_Until = Annotated[str | None, typer.Option(help="Last day, written the same way. Default: today.")]
_By = Annotated[str, typer.Option(help="Length of the periods: week, month, quarter or year.")]
_Method = Annotated[str | None, typer.Option(help="Of days that are `published` (default), or `calendar`.")]
_YearStart = Annotated[str | None, typer.Option(help="First month and day of a year, such as 04-06.")]

_COLUMNS = ("start", "end", "base", "quote", "mean", "open", "high", "low", "close", "days", "missing")


def averages(  # noqa: PLR0913  the options of a command
    base: BaseCode,
    quotes: _Quotes,
    *,
    since: _Since,
    until: _Until = None,
    by: _By = "month",
    method: _Method = None,
    year_start: _YearStart = None,
    source: PublisherKey = None,
    booking: BookingKey = None,
    csv: Annotated[bool, typer.Option("--csv", help="Write the output as CSV.")] = False,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Show mean, first, highest, lowest and last rate of each period, with how many days it is of and how many miss.

    With --booking the mean is the one that an authority wants. The running service answers, or without one the data
    folder, with the same digits; standard error says which.
    """
    from cambist.cli.printed_tables import print_table
    from cambist.cli.service_answers import Target, ask

    if csv and as_json:
        raise BadParameter("Choose one of --csv and --json")
    query = {"from": base, "to": quotes, "start": first_day(since), "end": last_day(until), "by": by}
    query |= {"method": method, "year_start": year_start, "source": source, "booking": booking}
    reply = ask(Target(data, url, key), "/averages", query)
    answer = reply.exact
    rows = list(_rows(answer))
    if as_json:
        typer.echo(reply.content)
    elif csv:
        typer.echo("\n".join([",".join(_COLUMNS), *(",".join(row) for row in rows)]))
    else:
        print_table(_COLUMNS, rows)
    reply.print_footer(*_sentences(answer))


def _rows(answer: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for quote, periods in answer["results"].items():
        for each in periods:
            named = each | {"base": answer["base"], "quote": quote}
            yield tuple("" if (cell := named[name]) is None else str(cell) for name in _COLUMNS)


def _sentences(answer: dict[str, Any]) -> list[str]:
    """Return what the figures are, where that is not the ordinary mean of published days."""
    made = sorted({each["made"] for periods in answer["results"].values() for each in periods if "made" in each})
    sentences = [f"Some are a {each}, of periods of which no day is known." for each in made]
    rule = answer.get("booking")
    if rule:
        sentences.append(f"{rule['purpose']} ({rule['country']}): {rule['law']}.")
    elif answer.get("source"):
        sentences.append(f"As {answer['source']} published them.")
    return sentences

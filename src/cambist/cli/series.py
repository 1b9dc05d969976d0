"""`cambist series`: show daily rates as lines, as CSV, as prices of plain-text accounting, or as a plot."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.accounts.names import echo
from cambist.cli.options import (
    AsJson,
    BaseCode,
    BookingKey,
    DataFolder,
    DayRuleName,
    OtherCode,
    PublisherKey,
    ServiceKey,
    ServiceUrl,
)
from cambist.cli.typed_pair import read_pair
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.cli.plot import Points

_Since = Annotated[str | None, typer.Option(help="First day, as 2020, 2020-05 or 2020-05-31. Default: 30 days ago.")]
_Ledger = Annotated[bool, typer.Option("--ledger", help="Write the prices as Ledger and hledger read them.")]
_Beancount = Annotated[bool, typer.Option("--beancount", help="Write the prices as Beancount reads them.")]
_LEDGER = "P {day} {base} {rate} {quote}"
_BEANCOUNT = "{day} price {base} {rate} {quote}"
_PERIOD = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)


def series(  # noqa: PLR0913  the options of a command
    base: BaseCode,
    quote: OtherCode = None,
    *,
    since: _Since = None,
    until: Annotated[str | None, typer.Option(help="Last day, written the same way. Default: today.")] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Draw a plot as large as the terminal.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Write the output as CSV.")] = False,
    ledger: _Ledger = False,
    beancount: _Beancount = False,
    source: PublisherKey = None,
    rule: DayRuleName = None,
    booking: BookingKey = None,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Show the rate of each day of a period, for currencies and metals; days that use an earlier fixing name its day.

    Options choose one publisher's rates, or those that count for each day by a rule. Days without a rate are left out,
    and are gaps in the plot. The running service answers, or without one the data folder, with the same digits.
    """
    from cambist.cli.service_answers import Target, ask

    if plot + csv + as_json + ledger + beancount > 1:
        raise BadParameter("Choose one of --plot, --csv, --ledger, --beancount and --json")
    base, quote = read_pair(base, quote)
    asked = {"from": base, "to": quote, "start": first_day(since), "end": last_day(until), "verbose": "true"}
    reply = ask(Target(data, url, key), "/time-series", asked | {"source": source, "rule": rule, "booking": booking})
    answer = reply.exact
    code, rates = next(iter(answer["results"].items()))
    if as_json:
        typer.echo(reply.content)
    elif plot:
        _plot({date.fromisoformat(day): float(rate) for day, rate in rates.items()}, f"{answer['base']}/{code}")
    else:
        prices = _prices(answer, code, _LEDGER if ledger else _BEANCOUNT)
        typer.echo("\n".join(prices if ledger or beancount else _lines(answer, code, as_csv=csv)))
    reply.print_footer(f"{answer['base']}/{code}: {len(rates)} days from {answer['start']} to {answer['end']}.")


def _lines(answer: dict[str, Any], code: str, *, as_csv: bool) -> Iterator[str]:
    """Yield a line for each day; one without a fixing of its own names the day of the fixing that it uses."""
    rates, fixed_on = answer["results"][code], answer.get("fixed_on", {})
    width = max(map(len, rates.values()), default=0)
    if as_csv:
        yield f"date,{answer['base']}/{code},fixed_on"
    for day, rate in rates.items():
        if as_csv:
            yield f"{day},{rate},{fixed_on.get(day, day)}"
        else:
            yield f"{day}  {rate:{width}}  from {fixed_on[day]}" if day in fixed_on else f"{day}  {rate}"


def _prices(answer: dict[str, Any], code: str, form: str) -> Iterator[str]:
    """Yield a comment that says whose rates these are, and a price for each day."""
    base, chosen = answer["base"], [f"source {answer['source']}"] if answer.get("source") else []
    if booking := answer.get("booking"):
        chosen.append(f"booking {booking['key']}, {booking['law']}")
    elif answer.get("rule"):
        chosen.append(f"rule {answer['rule']}")
    yield f"; {base}/{code}, {'; '.join(chosen) or 'agreed by all sources'}."
    for day, rate in answer["results"][code].items():
        yield form.format(day=day, base=base, rate=rate, quote=code)


def first_day(text: str | None) -> str | None:
    """Return the first day of a year, a month or a day. Errors: BadParameter."""
    return None if text is None else str(_parse("since", text)[0])


def last_day(text: str | None) -> str | None:
    """Return the last day of a year, a month or a day, but no later one than today. Errors: BadParameter."""
    from cambist.clock import utc_now

    if text is None:
        return None
    return str(min(_parse("until", text)[1], utc_now().date()))


def _parse(name: str, text: str) -> tuple[date, date]:
    """Return the first and the last day of a year, a month or a day."""
    found = _PERIOD.fullmatch(text)
    try:
        year, month, day = map(int, found.groups(default="0")) if found else (0, 0, 0)
        first = date(year, month or 1, day or 1)
        last = date(year, month or 12, day or monthrange(year, month or 12)[1])
    except (ValueError, OverflowError):
        raise BadParameter(f"Invalid {name}: [{echo(text)}], it takes 2020, 2020-05 or 2020-05-31") from None
    return first, last


def _plot(rates: Points, title: str) -> None:
    from shutil import get_terminal_size

    from rich.console import Console

    from cambist.cli.plot import draw_plot

    width, height = get_terminal_size((80, 24))
    lines = draw_plot(rates, width, max(height - 4, 8), ascii_only=Console().options.ascii_only)
    typer.echo("\n".join([title, *lines]))

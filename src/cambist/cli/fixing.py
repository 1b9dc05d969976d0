"""`cambist fixing`: what the archive received for a pair and day."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.completed_words import complete_codes
from cambist.cli.formats import format_fixing
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.errors import BadParameter, NoRate
from cambist.reference.minor_units import spelled_code
from cambist.settings import Settings

if TYPE_CHECKING:
    from cambist.history.fixing import ReceivedFixing
    from cambist.pricing.pair import Pair


def fixing(
    base: Annotated[
        str, typer.Argument(help="Base of the pair: a currency such as EUR, or a coin.", autocompletion=complete_codes)
    ],
    quote: Annotated[
        str, typer.Argument(help="Quote of the pair, such as USD; for coins always USD.", autocompletion=complete_codes)
    ],
    first: Annotated[str, typer.Argument(metavar="DAY", help="Day, such as 2026-10-30.")],
    last: Annotated[str | None, typer.Argument(metavar="[LAST]", help="Last day, for all days from DAY on.")] = None,
    *,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show every fixing that the archive received for a pair and day.

    Each row has the source, the digits as published, the time of delivery and the origin. A pair is found in either
    direction. For a coin the archive has its price in USD at the end of the day, midnight UTC.
    """
    from cambist.admin.history.revisions import revisions
    from cambist.pricing.pair import Pair

    settings, pair = read_folder_settings(data), Pair(spelled_code(base), spelled_code(quote))
    since, until = _days(first, last)
    found = revisions(settings, pair, since, until)
    if not found:
        raise NoRate(_missing(settings, pair, since, until))
    if as_json:
        print_json([_record(received) for received in found])
        return
    if all(received.fixing.pair != pair for received in found):
        typer.echo(f"cambist: Sources publish {pair} the other way around, as {pair.inverse}.", err=True)
    print_table(("Source", "Pair", "Day", "Published", "Received (UTC)", "Origin"), map(_row, found))


def _days(first: str, last: str | None) -> tuple[date, date]:
    """Parse the first and the last day. Errors: BadParameter."""
    since = parse_day("day", first)
    until = parse_day("last day", last) or since
    if since is None or until is None or until < since:
        raise BadParameter(f"Invalid last day: [{until}] lies before the first, {since}")
    return since, until


def _row(received: ReceivedFixing) -> list[object]:
    fixing = received.fixing
    return [fixing.source, fixing.pair, fixing.day, format_fixing(fixing), received.received_at, received.origin]


def _record(received: ReceivedFixing) -> dict[str, Any]:
    """Return a fixing as JSON has it; its value is a string with the digits that were published."""
    fixing = received.fixing
    return {
        "source": fixing.source,
        "base": fixing.pair.base,
        "quote": fixing.pair.quote,
        "day": fixing.day,
        "nominal": fixing.nominal,
        "unit": fixing.unit,
        "value": f"{fixing.value:f}",
        "published_at": fixing.published_at,
        "received_at": received.received_at,
        "origin": received.origin,
    }


def _missing(settings: Settings, pair: Pair, since: date, until: date) -> str:
    from cambist.pricing.pair import PIVOT, Pair
    from cambist.reference.assets import AssetKind, kind_of

    coins = [code for code in (pair.base, pair.quote) if kind_of(code) is AssetKind.COIN]
    if not coins:
        return f"No source fixed {pair} {_on(since, until)}{_hint(settings, pair, since)}"
    if pair in (Pair(coins[0], PIVOT), Pair(PIVOT, coins[0])):
        when = "closes are archived when their day ends, at midnight UTC"
        return f"No close of {coins[0]} was archived for {_span(since, until)}: {when}"
    return f"Coins are archived in {PIVOT}: [cambist fixing {coins[0]} {PIVOT} {since}] shows what {coins[0]} closed at"


def _on(since: date, until: date) -> str:
    return f"on {since:%A}, {since}" if since == until else f"from {since} to {until}"


def _span(since: date, until: date) -> str:
    return str(since) if since == until else f"{since} to {until}"


def _hint(settings: Settings, pair: Pair, day: date) -> str:
    """Return which earlier day has a fixing, because there is none on weekends and holidays."""
    from cambist.admin.history.revisions import last_fixing_day

    before = last_fixing_day(settings, pair, day)
    if before is None:
        return ""
    reason = "on weekends most sources publish nothing" if day.weekday() >= 5 else "it may be a holiday"
    return f": {reason}; the last day before it with a fixing is {before}"

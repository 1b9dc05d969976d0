"""`cambist quarantine`: list refused fixings, and accept or reject them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.admin.records import accepted_record, quarantine_record
from cambist.cli.formats import format_fixing
from cambist.cli.options import AsJson, DataFolder
from cambist.cli.output import print_json
from cambist.cli.tables import print_table
from cambist.settings import read_settings

if TYPE_CHECKING:
    from cambist.admin.quarantine import QuarantineAdmin
    from cambist.history.quarantine import QuarantinedFixing

app = typer.Typer(help="List refused fixings, and accept or reject them.", no_args_is_help=True)

Numbers = Annotated[list[int], typer.Argument(metavar="NUMBER...", help="Numbers from the list.")]


@app.command("list")
def list_quarantined(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Also list decided and released fixings.")] = False,
    source: Annotated[str | None, typer.Option(help="Key of a source. Default: all sources.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """List the fixings that wait for a decision, and why each was refused."""
    with _open(data) as admin:
        found = admin.quarantined(source, decided=everything)
    if as_json:
        print_json([quarantine_record(each) for each in found])
        return
    columns = ["Number", "Source", "Published", "Day", "Refused because", "Received (UTC)"]
    rows = [_row(each) for each in found]
    if everything:
        columns += ["State", "Decided (UTC)"]
        rows = [[*row, each.state, each.decided_at] for row, each in zip(rows, found, strict=True)]
    print_table(columns, rows)


@app.command()
def accept(numbers: Numbers, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Store fixings as they were published; a running service uses them within seconds.

    If the command is interrupted, run it again: fixings that are stored already do not change.
    """
    with _open(data) as admin:
        done = admin.accept(numbers)
    if as_json:
        print_json([accepted_record(each) for each in done])
        return
    for each in done:
        fixing = each.quarantined.fixing
        where = "in place of what was filed before" if each.filed.corrected else "in the archive"
        typer.echo(f"Accepted {each.quarantined.number}: {format_fixing(fixing)} on {fixing.day} is {where}.")


@app.command()
def reject(
    numbers: Numbers,
    *,
    reason: Annotated[str, typer.Option(help="Why, for the audit log.")] = "",
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Drop fixings permanently: the same fixing of the same source is never stored."""
    with _open(data) as admin:
        done = admin.reject(numbers, reason)
    if as_json:
        print_json([quarantine_record(each) for each in done])
        return
    for each in done:
        typer.echo(f"Rejected {each.number}: {format_fixing(each.fixing)} on {each.fixing.day} is never filed.")


def _open(data: Path | None) -> QuarantineAdmin:
    from cambist.admin.quarantine import QuarantineAdmin
    from cambist.clock import utc_now

    return QuarantineAdmin(read_settings(os.environ, {"data": data}), utc_now)


def _row(each: QuarantinedFixing) -> Sequence[object]:
    day = each.fixing.day.isoformat()
    return [each.number, each.fixing.source, format_fixing(each.fixing), day, each.reason, each.received_at]

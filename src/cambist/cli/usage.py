"""`cambist usage`: the calls of accounts, by day and endpoint."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.options import AsJson, DataFolder, open_account_admin
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.accounts.account_admin import DailyCalls

_COLUMNS = ("day", "account", "endpoint", "calls")


def usage(
    account: Annotated[str | None, typer.Argument(help="Name of the account. Default: all accounts.")] = None,
    *,
    since: Annotated[str | None, typer.Option(help="First day, such as 2026-11-01. Default: all days.")] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Write the output as CSV, one row for each day, account and endpoint.")
    ] = False,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Show calls by day, account and endpoint.

    Calls appear here within a second of their answer; an account's own `/usage` shows them at once.
    """
    if as_csv and as_json:
        raise BadParameter("It is written as CSV or as JSON: give --csv or --json, not both")
    first_day = parse_day("since", since)
    with open_account_admin(data) as admin:
        rows = admin.usage(admin.account(account) if account else None, first_day)
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([_COLUMNS, *_cells(rows)])
    elif as_json:
        print_json([dict(zip(_COLUMNS, cells, strict=True)) for cells in _cells(rows)])
    else:
        totals: Counter[str] = Counter()
        for row in rows:
            totals[row.account] += row.calls
        print_table([name.capitalize() for name in _COLUMNS], [*_cells(rows), *_totals(totals)])


def _cells(rows: Iterable[DailyCalls]) -> list[Sequence[object]]:
    return [(row.day.isoformat(), row.account, row.endpoint, row.calls) for row in rows]


def _totals(totals: Counter[str]) -> list[Sequence[object]]:
    return [("total", name, "", calls) for name, calls in totals.items()]

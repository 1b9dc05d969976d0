"""`cambist usage`: the calls of accounts, by day and endpoint."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.completed_words import complete_accounts
from cambist.cli.options import AsJson, DataFolder, open_account_admin
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.accounts.account_admin import DailyCalls

_COLUMNS = ("day", "account", "endpoint", "calls")


def usage(
    *,
    account: Annotated[
        str | None, typer.Option(help="Name of the account. Default: all accounts.", autocompletion=complete_accounts)
    ] = None,
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
        _print(rows, is_of_one=account is not None)


def _print(rows: Sequence[DailyCalls], *, is_of_one: bool) -> None:
    """Print the calls as a table: those of one account with a total for each endpoint, else one for each account."""
    if is_of_one:
        columns: Sequence[str] = ("Day", "Endpoint", "Calls")
        cells = [(row.day.isoformat(), row.endpoint, row.calls) for row in rows]
        totals = _totals((row.endpoint, row.calls) for row in rows)
        print_table(
            columns, [*cells, *(("total", *each) for each in totals), ("total", "", sum(row.calls for row in rows))]
        )
        return
    totals = _totals((row.account, row.calls) for row in rows)
    columns = [name.capitalize() for name in _COLUMNS]
    print_table(columns, [*_cells(rows), *(("total", name, "", calls) for name, calls in totals)])


def _cells(rows: Iterable[DailyCalls]) -> list[Sequence[object]]:
    return [(row.day.isoformat(), row.account, row.endpoint, row.calls) for row in rows]


def _totals(counted: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the sum of each name, the most calls first."""
    totals: Counter[str] = Counter()
    for name, calls in counted:
        totals[name] += calls
    return totals.most_common()

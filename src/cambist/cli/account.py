"""`cambist account`: create and manage accounts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.account_search import AccountOrder, AccountSearch, AccountState, ListedAccount
from cambist.admin.accounts.records import account_record, listed_record
from cambist.admin.operators.parsing import parse_choice, parse_datetime_format, parse_day
from cambist.cli.account_file import create_accounts_of_file
from cambist.cli.completed_words import complete_plans
from cambist.cli.confirmation import confirm
from cambist.cli.formats import format_cell
from cambist.cli.options import (
    AccountName,
    AnchorDay,
    AsJson,
    DataFolder,
    DatetimeFormatName,
    Email,
    open_account_admin,
)
from cambist.cli.output import print_json, print_key, print_result
from cambist.cli.printed_tables import print_table
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.accounts.account_admin import AccountAdmin

_MOST_AT_ONCE = 10_000
"""So many accounts are read at once where all are listed."""

app = typer.Typer(add_completion=False, help="Create, show, change and delete accounts.", no_args_is_help=True)

Search = Annotated[
    str, typer.Option(help="Words of its name, plan, address, note or state, or the beginning of one of its keys.")
]
StateName = Annotated[
    str | None,
    typer.Option("--state", help=f"Only {', '.join(AccountState)}: near is from 80 % of the quota on, over is all."),
]
OrderName = Annotated[
    str | None, typer.Option("--sort", help=f"Sort by {', '.join(AccountOrder)}. Default: {AccountOrder.NAME}.")
]
Reverse = Annotated[bool, typer.Option("--reverse", help="Sort the other way round.")]
Plan = Annotated[str, typer.Option(help="Name of the plan: see `cambist plans list`.", autocompletion=complete_plans)]
PlanOrNone = Annotated[
    str | None, typer.Option(help="Name of the plan: see `cambist plans list`.", autocompletion=complete_plans)
]


@app.command()
def create(  # noqa: PLR0913  the options of a command
    name: Annotated[str | None, typer.Argument(metavar="[ACCOUNT]", help="Name of the account.")] = None,
    *,
    plan: PlanOrNone = None,
    file: Annotated[
        Path | None,
        typer.Option(help="CSV of accounts to create, all or none: name,plan,anchor_day,datetime_format,email."),
    ] = None,
    anchor_day: AnchorDay = None,
    datetime_format: DatetimeFormatName = None,
    email: Email = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Create an account, or those of a file, with a first API key each, which is shown only once."""
    if file is not None:
        if (
            name is not None
            or plan is not None
            or email is not None
            or datetime_format is not None
            or anchor_day is not None
        ):
            raise BadParameter("With --file, name, plan and the rest are in the file: leave out the other options")
        create_accounts_of_file(file, data, as_json=as_json)
        return
    if name is None or plan is None:
        raise BadParameter("Name the account and its --plan, or a --file of accounts")
    with open_account_admin(data) as admin:
        times = parse_datetime_format(datetime_format) or DatetimeFormat.ISO
        account, minted = admin.create(name, plan, anchor_day, times, email or "")
        sentence = f"Account {account.name} was created on the plan {account.plan}."
        print_key({"account": account_record(admin, account)}, minted.text, sentence, as_json=as_json)


@app.command("list")
def list_accounts(  # noqa: PLR0913  the options of a command
    *,
    search: Search = "",
    state: StateName = None,
    plan: Annotated[str, typer.Option(help="Only accounts on this plan.", autocompletion=complete_plans)] = "",
    sort: OrderName = None,
    reverse: Reverse = False,
    page: Annotated[int | None, typer.Option(min=1, help="Page to list. Default: the first; all with --json.")] = None,
    per_page: Annotated[int, typer.Option(min=1, max=5000, help="Accounts on a page.")] = 500,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """List accounts, page by page: all of them, or those that a search finds."""
    order = parse_choice("order", sort, AccountOrder) or AccountOrder.NAME
    wanted = AccountSearch(search, parse_choice("state", state, AccountState), order, plan, reverse=reverse)
    with open_account_admin(data) as admin:
        if as_json and page is None:
            print_json([listed_record(admin, each) for each in _found(admin, replace(wanted, limit=_MOST_AT_ONCE))])
            return
        offset = ((page or 1) - 1) * per_page
        found = admin.find(replace(wanted, offset=offset, limit=per_page))
        records = [listed_record(admin, each) for each in found.rows]
    if as_json:
        print_json(records)
        return
    columns = ("Account", "Plan", "State", "Period", "Used", "Quota", "Last seen")
    rows = (
        (each["name"], each["plan"], _state(each), _days(each), each["used"], _calls(each), _seen(each))
        for each in records
    )
    print_table(columns, rows)
    if len(records) < found.total:
        pages = -(-found.total // per_page)
        typer.echo(f"Page {page or 1} of {pages}, {found.total:,} accounts: --page shows another", err=True)


@app.command()
def show(name: AccountName, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show an account, its current period and the calls that it bought."""
    with open_account_admin(data) as admin:
        account = admin.account(name)
        record = {**account_record(admin, account), "used": admin.calls_used(account)}
    if as_json:
        print_json(record)
        return
    bought = [f"{format_cell(each['calls'])} from {each['period_start']}" for each in record["bought"]]
    rows = (
        ("account", record["name"]),
        ("number", record["number"]),
        ("plan", record["plan"] if record["plan_known"] else f"{record['plan']}, which is not in the plans file"),
        ("state", _state(record)),
        ("anchor day", record["anchor_day"]),
        ("datetime format", record["datetime_format"]),
        ("email", record["email"] or "none"),
        ("note", record["note"] or "none"),
        ("period", _days(record)),
        ("quota", _calls(record)),
        ("used", record["used"]),
        ("bought", bought),
    )
    print_table(("Account", ""), rows)


@app.command()
def suspend(name: AccountName, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Disable an account: its keys are refused until it is resumed."""
    _suspend(name, data, suspended=True, as_json=as_json)


@app.command()
def resume(name: AccountName, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Enable a suspended account again."""
    _suspend(name, data, suspended=False, as_json=as_json)


@app.command()
def move(name: AccountName, *, plan: Plan, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Change the plan of an account; this applies at once."""
    with open_account_admin(data) as admin:
        account = admin.change_plan(admin.account(name), plan)
        print_result(account_record(admin, account), f"Account {name} is on the plan {plan}.", as_json=as_json)


@app.command()
def change(  # noqa: PLR0913  the options of a command
    name: AccountName,
    *,
    anchor_day: AnchorDay = None,
    datetime_format: DatetimeFormatName = None,
    email: Email = None,
    note: Annotated[str | None, typer.Option(help="A note of yours, which nobody else sees.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Change an account's anchor day, datetime format, e-mail address or note."""
    if anchor_day is None and datetime_format is None and email is None and note is None:
        raise BadParameter("Nothing to change: give --anchor-day, --datetime-format, --email or --note")
    with open_account_admin(data) as admin:
        account = admin.change(admin.account(name), anchor_day, parse_datetime_format(datetime_format), email, note)
        sentence = (
            f"Account {name}: anchor day {account.anchor_day}, datetime format {account.datetime_format}, "
            f"email {account.email or 'none'}, note {account.note or 'none'}."
        )
        print_result(account_record(admin, account), sentence, as_json=as_json)


# Without this, a negative number would be refused as an unknown option.
@app.command(context_settings={"ignore_unknown_options": True})
def buy(
    name: AccountName,
    calls: Annotated[int, typer.Argument(help="Number of calls to add.")],
    *,
    period: Annotated[str | None, typer.Option(help="A day of the period. Default: the current period.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Add calls to an account's quota for one period."""
    with open_account_admin(data) as admin:
        account, bought_for = admin.add_calls(admin.account(name), calls, parse_day("period", period))
        sentence = f"Account {name} has {calls:,} more calls from {bought_for.start} to {bought_for.end}."
        print_result(account_record(admin, account), sentence, as_json=as_json)


@app.command()
def delete(
    name: AccountName,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Delete it even if it has made calls; its usage records are kept.")
    ] = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Delete an account and its keys permanently."""
    with open_account_admin(data) as admin:
        account = admin.account(name)
        admin.check_deletion(account, force=force)
        if not yes:
            keys = len(admin.keys.keys_of(account))
            confirm(f"Close the account {name} and its {keys} keys for good?", "delete the account")
        admin.delete(account, force=force)
    print_result({"deleted": name}, f"Account {name} was deleted.", as_json=as_json)


def _suspend(name: str, data: DataFolder, *, suspended: bool, as_json: bool) -> None:
    with open_account_admin(data) as admin:
        account = admin.suspend(admin.account(name), suspended=suspended)
        record = account_record(admin, account)
        print_result(record, f"Account {name} is {_state(record)}.", as_json=as_json)


def _state(record: dict[str, Any]) -> str:
    return "suspended" if record["suspended"] else "active"


def _found(admin: AccountAdmin, wanted: AccountSearch) -> Iterator[ListedAccount]:
    """Yield all that a search finds, page by page."""
    while rows := admin.find(wanted).rows:
        yield from rows
        wanted = replace(wanted, offset=wanted.offset + wanted.limit)


def _seen(record: dict[str, Any]) -> str:
    return f"{record['last_seen']:%Y-%m-%d %H:%M}" if record["last_seen"] else "never"


def _days(record: dict[str, Any]) -> str:
    return f"{record['period']['start']} to {record['period']['end']}"


def _calls(record: dict[str, Any]) -> object:
    return "none" if record["quota"] is None else record["quota"]

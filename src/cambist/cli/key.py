"""`cambist key`: create and manage API keys. A key is never an argument: its prefix names it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cambist.admin.accounts.records import created_key_record, key_record
from cambist.admin.operators.parsing import parse_duration, parse_moment
from cambist.cli.formats import format_cell
from cambist.cli.options import AccountName, AsJson, DataFolder, KeyPrefix, open_account_admin
from cambist.cli.output import print_json, print_key, print_result
from cambist.cli.printed_tables import print_table

app = typer.Typer(add_completion=False, help="Create, list, revoke and rotate API keys.", no_args_is_help=True)


@app.command()
def create(
    account: AccountName,
    *,
    name: Annotated[str, typer.Option(help="Name of the key, shown in lists.")] = "",
    expires: Annotated[str | None, typer.Option(help="Day or time (UTC) from which the key no longer works.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Create a key for an account, and show it once."""
    with open_account_admin(data) as admin:
        minted = admin.keys.create(admin.account(account), name, parse_moment("expires", expires))
        record = created_key_record(account, minted)
        until = f", which expires at {format_cell(minted.new.expires_at)} UTC" if minted.new.expires_at else ""
        print_key(record, minted.text, f"Account {account} has a new key{until}.", as_json=as_json)


@app.command("list")
def list_keys(account: AccountName, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List an account's keys by prefix. Times are UTC."""
    with open_account_admin(data) as admin:
        records = [key_record(admin, key) for key in admin.keys.keys_of(admin.account(account))]
    if as_json:
        print_json(records)
        return
    columns = ("Prefix", "Name", "Created", "Last used", "Ends", "State")
    rows = (
        (each["prefix"], each["name"], each["created_at"], each["last_used_at"], _ends(each), each["state"])
        for each in records
    )
    print_table(columns, rows)


@app.command()
def revoke(account: AccountName, prefix: KeyPrefix, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Revoke a key; it stops working at once."""
    with open_account_admin(data) as admin:
        key = admin.keys.revoke(admin.account(account), prefix)
        print_result(
            key_record(admin, key),
            f"The key {key.prefix} of the account {account} no longer works.",
            as_json=as_json,
        )


@app.command()
def rotate(
    account: AccountName,
    prefix: KeyPrefix,
    *,
    overlap: Annotated[str, typer.Option(help="How long the old key still works (ISO 8601 duration).")] = "PT24H",
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Replace a key: the new key works at once, the old key ends after the overlap.

    The new key gets the name and the lifetime of the old one.
    """
    with open_account_admin(data) as admin:
        minted, old = admin.keys.rotate(admin.account(account), prefix, parse_duration("overlap", overlap))
        old_record = key_record(admin, old)
        record = {**created_key_record(account, minted), "old": old_record}
        sentence = (
            f"Account {account} has a new key; the old one, {old.prefix}, ends at {format_cell(_ends(old_record))} UTC."
        )
        print_key(record, minted.text, sentence, as_json=as_json)


def _ends(record: dict[str, Any]) -> Any:
    return min((end for end in (record["expires_at"], record["revoked_at"]) if end is not None), default=None)

"""`cambist account create --file`: create the accounts of a file, and print their keys."""

from __future__ import annotations

from pathlib import Path

import typer

from cambist.admin.accounts.records import account_record
from cambist.cli.file_errors import describe_os_error
from cambist.cli.options import open_account_admin
from cambist.cli.output import print_json
from cambist.errors import BadParameter


def create_accounts_of_file(file: Path, data: Path | None, *, as_json: bool) -> None:
    """Create accounts, all or none, and print their keys as CSV, or with the accounts as JSON. Errors: CambistError."""
    from cambist.admin.accounts.account_file import read_account_file, write_keys

    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadParameter(f"The file [{file}] is no text in UTF-8: save it as CSV in UTF-8") from None
    except OSError as error:
        raise BadParameter(describe_os_error(error)) from None
    with open_account_admin(data) as admin:
        created = admin.create_all(read_account_file(text, admin))
        if as_json:
            print_json([{"account": account_record(admin, account), "key": key.text} for account, key in created])
            return
    typer.echo(f"{len(created):,} accounts were created. Their keys are shown only now:", err=True)
    typer.echo(write_keys(created), nl=False)

"""`cambist receipts`: the keys that sign receipts."""

from __future__ import annotations

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json, print_result
from cambist.cli.printed_tables import print_table

app = typer.Typer(add_completion=False, help="List and replace the keys that sign receipts.", no_args_is_help=True)


@app.callback()
def receipts() -> None:
    """List and replace the keys that sign receipts; `cambist verify` verifies one."""


@app.command()
def keys(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the public keys of all nodes, oldest first. The first receipt creates the first one. Times are UTC.

    A former key signs no more, but what it signed remains valid. The service shows the same keys at
    `/.well-known/jwks.json`.
    """
    from cambist.admin.installation.receipt_keys import open_receipt_keys
    from cambist.clock import utc_now

    with open_receipt_keys(read_folder_settings(data), utc_now) as admin:
        found = [
            {
                "kid": key.kid,
                "state": "current" if key.is_current else "former",
                "node": key.node,
                "created_at": key.created_at,
                "x": key.x,
            }
            for key in admin.all_keys()
        ]
    if as_json:
        print_json(found)
        return
    columns = ("Key", "State", "Node", "Created", "Public key (Ed25519)")
    print_table(columns, ([each["kid"], each["state"], each["node"], each["created_at"], each["x"]] for each in found))


@app.command()
def rotate(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Replace the key of this node. The service signs with the new one at once, without a restart.

    The private half of the former key is deleted. Its public half stays listed, so receipts that it signed remain
    valid.
    """
    from cambist.admin.installation.receipt_keys import open_receipt_keys
    from cambist.clock import utc_now

    with open_receipt_keys(read_folder_settings(data), utc_now) as admin:
        key = admin.rotate()
    print_result(
        {"kid": key.kid, "created_at": key.created_at},
        f"Receipts are now signed with the key {key.kid}. Earlier receipts remain valid.",
        as_json=as_json,
    )

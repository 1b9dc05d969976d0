"""`cambist audit`: show what operators changed."""

from __future__ import annotations

from typing import Annotated

import typer

from cambist.admin.operators.parsing import parse_moment
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table


def audit(  # noqa: PLR0913  the filters are options
    *,
    who: Annotated[str, typer.Option(help="Part of who did it, such as `anna` or `console`.")] = "",
    action: Annotated[str, typer.Option(help="Beginning of the action, such as `key` or `account.create`.")] = "",
    on: Annotated[str, typer.Option(help="Part of what was changed, such as an account.")] = "",
    since: Annotated[str | None, typer.Option(help="First day or time (UTC). Default: all.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many entries at most.")] = 100,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show what operators changed with the console and with commands, newest first."""
    from cambist.admin.operators.audit import AuditFilter, audit_entries

    wanted = AuditFilter(who, action, on, parse_moment("since", since), limit=limit)
    entries = audit_entries(read_folder_settings(data), wanted)
    if as_json:
        print_json([{name: getattr(each, name) for name in each.__struct_fields__} for each in entries])
        return
    columns = ("Number", "Time (UTC)", "Who", "Action", "On", "Detail", "Result")
    print_table(
        columns, ([each.number, each.at, each.who, each.action, each.on, each.detail, each.result] for each in entries)
    )

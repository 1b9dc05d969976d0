"""`cambist export`: write the daily rates of the archive to files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.cli.completed_words import complete_codes
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.errors import BadParameter
from cambist.pricing.pair import PIVOT

if TYPE_CHECKING:
    from cambist.admin.export.plan import ExportPlan

Folder = Annotated[Path, typer.Argument(help="Folder for the files, new or with an earlier run of this export.")]
Since = Annotated[str | None, typer.Option(help="First day, as 2020, 2020-05 or 2020-05-31.")]
Until = Annotated[str | None, typer.Option(help="Last day, written the same way. Default: today.")]
Base = Annotated[
    str, typer.Option(help="Code of the currency or metal that all rates are from.", autocompletion=complete_codes)
]
Codes = Annotated[
    str | None, typer.Option(help="Codes such as EUR,GBP,XAU. Default: all that a day lists, and metals.")
]
Format = Annotated[
    str, typer.Option("--format", help="Format of the files: csv, parquet, beancount, ledger, hledger, or site.")
]
Force = Annotated[bool, typer.Option("--force", help="Export rates whose sources forbid passing them on, too.")]
Verify = Annotated[
    bool, typer.Option("--verify", help="Compare a folder with its manifest; exit with 1 if a file differs.")
]


def export(  # noqa: PLR0913  the options of a command
    folder: Folder,
    *,
    since: Since = None,
    until: Until = None,
    base: Base = "USD",
    codes: Codes = None,
    format_name: Format = "csv",
    force: Force = False,
    verify: Verify = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Write the rates of currencies and metals, one file for each year, and a manifest with hashes and terms.

    With the format site it writes a folder for each day instead, and latest, with the rates of every currency in JSON:
    any web server can serve them to programs made for fawazahmed0's currency-api.

    The rates are those of /time-series. The command reads the archive; the service may be running. If it is
    interrupted, run it again: it writes only what is missing or has changed.
    """
    from cambist.cli.run_export import SITE, run_export, run_site, run_verify

    if verify:
        if not run_verify(folder, as_json=as_json):
            raise typer.Exit(1)
        return
    plan = _plan(since, until, base, codes or "", format_name, forced=force)
    run = run_site if plan.format == SITE else run_export
    run(read_folder_settings(data), folder, plan, as_json=as_json)


def _plan(since: str | None, until: str | None, base: str, codes: str, format_name: str, *, forced: bool) -> ExportPlan:
    from cambist.admin.export.formats import FORMATS
    from cambist.admin.export.plan import ExportPlan, parse_code, parse_codes, parse_format
    from cambist.cli.run_export import SITE, period

    if since is None:
        raise BadParameter("Missing --since: an export needs a first day, such as --since 2020")
    if format_name == SITE and base != PIVOT:
        raise BadParameter("A site has the rates of every currency: leave out --base")
    start, end = period(since, until)
    return ExportPlan(
        since=start,
        until=end,
        base=parse_code(base, "source"),
        codes=parse_codes(codes),
        format=parse_format(format_name, [*FORMATS, SITE]),
        forced=forced,
    )

"""`cambist shadow`: try this service beside the one that is used today, before the switch."""

from __future__ import annotations

import os
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.cli.options import DataFolder, read_folder_settings
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.shadow.serving import ShadowServer
    from cambist.admin.shadow.shadow_report import ShadowReport

app = typer.Typer(
    add_completion=False,
    help="Compare the answers of another service with ours, request by request.",
    invoke_without_command=True,
)


class _Side(StrEnum):
    THEIRS = "theirs"
    OURS = "ours"


class _Format(StrEnum):
    TEXT = "text"
    HTML = "html"
    JSON = "json"


_Theirs = Annotated[
    str | None, typer.Option(help="Address of the other service, such as https://api.example.com. Required.")
]
_Ours = Annotated[
    str | None, typer.Option(help="Address of ours. Default: CAMBIST_URL, or the service of the data folder.")
]
_Key = Annotated[
    str | None,
    typer.Option(help="The key of ours. Better set CAMBIST_KEY: others on this machine see a command's options."),
]
_Port = Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1 that programs ask; 0 takes a free one.")]
_Answer = Annotated[_Side, typer.Option(help="Whose answer the caller gets: theirs or ours, where that has no error.")]
_Tolerance = Annotated[
    str, typer.Option(help="How far two numbers may be apart and still be the same, such as 0.1% or 0.")
]
_Log = Annotated[Path, typer.Option(help="File to append the differences to. It is rotated at 32 MB.")]
_Prefix = Annotated[str, typer.Option(help="Folder of the dialect at ours, such as /rates, put before each path.")]


@app.callback()
def shadow(  # noqa: PLR0913  the options of a command
    context: typer.Context,
    *,
    theirs: _Theirs = None,
    ours: _Ours = None,
    port: _Port = 8080,
    key: _Key = None,
    answer: _Answer = _Side.THEIRS,
    tolerance: _Tolerance = "0.1%",
    log: _Log = Path("differences.jsonl"),
    prefix: _Prefix = "",
    data: DataFolder = None,
) -> None:
    """Stand before the service that is used today: pass each request on to it and to ours, and write down what differs.

    The caller gets their answer at once, and never waits for ours. Point a program at the address that is printed, with
    the keys that it has: they are passed on, and neither stored nor sent to ours. Ctrl-C ends it.
    """
    if context.invoked_subcommand is not None:
        return
    from cambist.admin.shadow.serving import ShadowServer
    from cambist.admin.shadow.shadowed_request import ShadowOptions
    from cambist.admin.shadow.upstream import read_base
    from cambist.cli.service_answers import Target, address_and_key
    from cambist.clock import utc_now
    from cambist.settings.outgoing import outgoing_proxies

    if theirs is None:
        raise BadParameter("Missing --theirs: name the service to compare with, such as https://api.example.com")
    base = read_base("--theirs", theirs)
    address, chosen_key = address_and_key(Target(data, None if ours is None else read_base("--ours", ours), key))
    options = ShadowOptions(answer is _Side.OURS, chosen_key, _folder(prefix), _part(tolerance), tolerance)
    proxies = outgoing_proxies(read_folder_settings(data), os.environ)
    server = ShadowServer(base, address, port, log, options, proxies, utc_now)

    server.run(lambda listening: _say_start(server, listening))
    typer.echo(f"Read what was found: cambist shadow report {log}", err=True)


def _say_start(server: ShadowServer, listening: str) -> None:
    answered = _Side.OURS if server.options.answers_ours else _Side.THEIRS
    typer.echo(f"Ask {listening} in place of {server.theirs}. Callers get the answers of {answered}.", err=True)
    typer.echo(f"Each request also goes to ours at {server.ours}. Differences: {server.log}. Ctrl-C ends it.", err=True)


@app.command()
def report(
    log: Annotated[Path, typer.Argument(metavar="FILE", help="File that `cambist shadow --log` has written.")],
    *,
    form: Annotated[_Format, typer.Option("--format", help="Format of the report: text, html or json.")] = _Format.TEXT,
) -> None:
    """Sum up what would change on the day of a switch: by endpoint and pair, with the calls that it would cost."""
    from cambist.admin.shadow.report_page import shadow_page
    from cambist.admin.shadow.shadow_log import log_files, read_records
    from cambist.admin.shadow.shadow_report import make_shadow_report

    found = make_shadow_report(read_records(log_files(log)))
    if form is _Format.TEXT:
        _print(found)
    elif form is _Format.HTML:
        typer.echo(shadow_page(found), nl=False)
    else:
        import msgspec

        typer.echo(msgspec.json.format(msgspec.json.encode(found)).decode())


def _print(found: ShadowReport) -> None:
    from cambist.admin.shadow.report_tables import endpoint_tables, sentences
    from cambist.cli.printed_tables import print_table

    for sentence in sentences(found):
        typer.echo(sentence)
    for title, tables in endpoint_tables(found):
        typer.echo(f"\n{title}")
        for table in tables:
            print_table(table.columns, table.rows, table.caption)


def _folder(prefix: str) -> str:
    folder = prefix.rstrip("/")
    if folder and (not folder.startswith("/") or any(char in folder for char in "?#% ")):
        from cambist.accounts.names import echo

        raise BadParameter(f"Invalid --prefix: [{echo(prefix)}], it takes a folder such as /rates")
    return folder


def _part(tolerance: str) -> Decimal:
    """Return a tolerance as a part: 0.1% and 0.001 are the same. Errors: BadParameter."""
    import re

    from cambist.accounts.names import echo

    if not re.fullmatch(r"\d{1,3}(\.\d{1,12})? ?%?", tolerance):
        raise BadParameter(f"Invalid --tolerance: [{echo(tolerance)}], it takes a percentage such as 0.1% or 0")
    part = Decimal(tolerance.rstrip(" %"))
    return part / 100 if tolerance.endswith("%") else part

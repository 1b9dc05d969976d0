"""`cambist sources check` and `record`: ask real sources once, compare what they send, and keep an answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.cli.completed_words import complete_sources
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.admin.source_check.check import SourceCheck
    from cambist.admin.source_check.report import CheckReport


def check(
    keys: Annotated[
        list[str] | None,
        typer.Argument(help="Keys of sources. Default: all that are on.", autocompletion=complete_sources),
    ] = None,
    *,
    report: Annotated[Path, typer.Option(help="Write the report to this file, and as JSON beside it.")] = Path(
        "cambist-sources.md"
    ),
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Ask each source once, compare what comes with what is expected and with the other sources, and write a report.

    The exit code is 1 if a source did not answer as expected. Nothing is stored, and the report contains no key.
    """
    from cambist.admin.source_check.report import markdown
    from cambist.storage.atomic_file import write_atomically

    source_check = _source_check(data)
    adapters = source_check.choose(keys or [])
    with _progress_bar(len(adapters)) as advance:
        found = source_check.run(adapters, advance)
    write_atomically(report, markdown(found).encode())
    write_atomically(report.with_suffix(".json"), _encoded(found))
    if as_json:
        print_json(_encoded_record(found))
    else:
        _print_found(found)
        typer.echo(f"The report is in {report}.")
    if not found.is_as_expected:
        raise typer.Exit(1)


def record(
    key: Annotated[str, typer.Argument(help="Key of a source of fixings.", autocompletion=complete_sources)],
    *,
    folder: Annotated[Path, typer.Option(help="The folder of payloads.")] = Path("tests/payloads"),
    lines: Annotated[int | None, typer.Option(min=1, help="Keep only the first lines of a text.")] = None,
    data: DataFolder = None,
) -> None:
    """Ask a source once, and keep its answer as a payload for the tests, with a draft of the sample for it."""
    from cambist.admin.source_check.record import record as record_answer
    from cambist.errors import BadParameter
    from cambist.sources.base import FixingAdapter

    source_check = _source_check(data)
    (adapter,) = source_check.choose([key])
    if not isinstance(adapter, FixingAdapter):
        raise BadParameter(f"The source [{key}] publishes no fixings: only answers with fixings can be recorded")
    found = record_answer(adapter, source_check.answer(adapter), folder, lines)
    typer.echo(f"{found.path}: {found.fixings:,} rates")
    typer.echo(found.sample, nl=False)


def _print_found(found: CheckReport) -> None:
    columns = ("Source", "Verdict", "Status", "Rates", "Newest", "Compared", "Remarks")
    rows = (
        (each.key, each.verdict, each.status, each.fixings, each.newest or "", each.compared, "; ".join(each.remarks))
        for each in found.sources
    )
    print_table(columns, rows)


def _source_check(data: Path | None) -> SourceCheck:
    from cambist.admin.source_check.check import SourceCheck
    from cambist.clock import utc_now

    return SourceCheck(read_folder_settings(data), os.environ, utc_now)


def _encoded(found: CheckReport) -> bytes:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(found)) + b"\n"


def _encoded_record(found: CheckReport) -> dict[str, Any]:
    import msgspec

    record: dict[str, Any] = msgspec.to_builtins(found)
    return record


@contextmanager
def _progress_bar(total: int) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on standard error, which disappears at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:>18}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("sources", total=total)

        def advance(key: str) -> None:
            bars.update(task, advance=1, description=key)

        yield advance

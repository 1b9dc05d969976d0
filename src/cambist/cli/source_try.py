"""`cambist sources try`: read a declaration and one answer of its source."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json

if TYPE_CHECKING:
    from cambist.admin.sources.declaration_dry_run import DryRunResult


def try_declaration(
    file: Annotated[Path, typer.Argument(help="TOML file that declares a source of your own.")],
    *,
    first: Annotated[str | None, typer.Option("--from", help="First day to request. Default: the newest days.")] = None,
    payload: Annotated[Path | None, typer.Option(help="Read this saved answer instead of asking the source.")] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Check a declaration, request its source once, and show what was read. Nothing is stored."""
    from cambist.admin.sources.declaration_dry_run import DeclarationDryRun
    from cambist.clock import utc_now

    dry_run = DeclarationDryRun(read_folder_settings(data), os.environ, utc_now().date())
    since = parse_day("--from", first)
    result = dry_run.fetch(file, since) if payload is None else dry_run.read(file, payload, since)
    if as_json:
        print_json(_result_record(result))
    else:
        typer.echo("\n".join(_result_lines(result)))


def _result_record(result: DryRunResult) -> dict[str, Any]:
    return {
        "key": result.source.key,
        "name": result.source.name,
        "origin": result.origin,
        "asked": {"first": result.request.first, "last": result.request.last},
        "read": msgspec.to_builtins(result.summary),
    }


def _result_lines(result: DryRunResult) -> Iterator[str]:
    source, summary = result.source, result.summary
    yield f"{source.name} would be the source [{source.key}]: {source.covers}."
    # The days that a saved answer was requested for are not known.
    days = f", for {result.request.first} to {result.request.last}" if result.origin == result.request.origin else ""
    yield f"From {result.origin}{days}."
    yield f"Read: {summary.fixings:,} rates of {summary.first} to {summary.last}, such as"
    yield from (f"  {line}" for line in summary.sample)
    if summary.unknown:
        yield f"No table knows: {', '.join(summary.unknown)}."
    yield from (f"Warning: {warning}." for warning in summary.warnings)
    yield "Nothing was kept."

"""`cambist sources`: list the sources, show their status, check what they send, and try a declaration."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.cli.source_activity import activity
from cambist.cli.source_check import check, record
from cambist.cli.source_status import status
from cambist.cli.source_try import try_declaration

if TYPE_CHECKING:
    from cambist.admin.sources.source_list import ListedSource

app = typer.Typer(
    add_completion=False,
    help="List the sources of rates, show how they do, check what they send, try a declaration of your own.",
    no_args_is_help=True,
)

_SHORT = ("Source", "State", "Pace", "Name")
_WIDE = ("Source", "State", "Market", "Pace", "Redistribution", "Described by", "Known from", "Name", "Why off")


@app.command("list")
def list_all(
    *,
    wide: Annotated[
        bool, typer.Option("--wide", help="Show why a source is off, its terms and its format too.")
    ] = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """List every source by rank, and count them.

    A source is a module of Cambist, a built-in declaration, or a declaration of your own. A format that is known from
    documentation alone is unproven: no answer of the source was read yet.
    """
    from cambist.admin.sources.source_list import list_sources

    found = list_sources(read_folder_settings(data), os.environ)
    if as_json:
        print_json({"counts": _counts(found), "sources": [_record(each) for each in found]})
        return
    columns = _WIDE if wide else _SHORT
    print_table(columns, ([_cells(each)[name] for name in columns] for each in found))
    counts = _counts(found)
    short = f"{counts['all']} sources, {counts['on']} are on. Why others are off: cambist sources list --wide"
    typer.echo("\n".join(_sentences(counts)) if wide else short)


app.command()(status)
app.command()(activity)
app.command("try")(try_declaration)
app.command()(check)
app.command()(record)


def _record(each: ListedSource) -> dict[str, Any]:
    source = each.source
    return {
        "key": source.key,
        "name": source.name,
        "on": not each.disabled_reason,
        "why_off": each.disabled_reason,
        "pace": source.pace,
        "rate_type": source.rate_type,
        "redistribution": source.redistribution,
        "licence": source.licence,
        "terms": source.terms,
        "home": source.home,
        "covers": source.covers,
        "described_by": each.kind,
        "known_from": source.known_from,
        "compiled": source.compiled,
        "anchor": source.anchor,
        "first_day": source.first_day,
    }


def _cells(each: ListedSource) -> dict[str, object]:
    source = each.source
    return {
        "Source": source.key,
        "State": "off" if each.disabled_reason else "on",
        "Market": source.rate_type,
        "Pace": source.pace,
        "Redistribution": source.redistribution,
        "Described by": each.kind,
        "Known from": source.known_from or "",
        "Name": source.name,
        "Why off": each.disabled_reason,
    }


def _counts(found: Sequence[ListedSource]) -> dict[str, Any]:
    kinds = Counter(each.kind for each in found)
    known = Counter(each.source.known_from for each in found if each.source.known_from)
    return {
        "all": len(found),
        "on": sum(not each.disabled_reason for each in found),
        "described_by": {kind: kinds[kind] for kind in sorted(kinds)},
        "known_from": {origin: known[origin] for origin in sorted(known)},
    }


def _sentences(counts: dict[str, Any]) -> Iterator[str]:
    described, known = Counter(counts["described_by"]), Counter(counts["known_from"])
    kinds = f"{described['module']} modules, {described['declaration']} declarations, {described['own']} of your own"
    yield f"{counts['all']} sources: {kinds}; {counts['on']} are on."
    yield (
        f"Known from recorded answers: {known['recorded']}; from public fixtures: {known['fixture']}; "
        f"from documentation alone (unproven): {known['documentation']}."
    )

"""`cambist sources`: count the sources, by what describes them and by what is known of their formats; check them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.cli.source_check import check, record

if TYPE_CHECKING:
    from cambist.admin.sources.source_list import ListedSource

app = typer.Typer(help="List and count the sources of rates, and check what they really send.", no_args_is_help=True)
app.command()(check)
app.command()(record)


@app.callback()
def sources() -> None:
    """List and count the sources of rates, and check what they really send."""


@app.command("list")
def list_all(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List every source by rank, what describes it, and what its format is known from; then count them.

    A source is a module of Cambist, a built-in declaration, or a declaration of your own. A format that is known from
    documentation alone is unproven: no answer of the source was read yet.
    """
    from cambist.admin.sources.source_list import list_sources

    found = list_sources(read_folder_settings(data), os.environ)
    if as_json:
        print_json({"counts": _counts(found), "sources": [_record(each) for each in found]})
        return
    print_table(("Source", "Name", "Described by", "Known from", "Market", "State", "Why off"), map(_row, found))
    typer.echo("\n".join(_sentences(_counts(found))))


def _record(each: ListedSource) -> dict[str, Any]:
    source = each.source
    return {
        "key": source.key,
        "name": source.name,
        "described_by": each.kind,
        "known_from": source.known_from,
        "rate_type": source.rate_type,
        "compiled": source.compiled,
        "anchor": source.anchor,
        "first_day": source.first_day,
        "on": not each.disabled_reason,
        "why_off": each.disabled_reason,
    }


def _row(each: ListedSource) -> Sequence[object]:
    source, state = each.source, "off" if each.disabled_reason else "on"
    known_from = source.known_from or ""
    return [source.key, source.name, each.kind, known_from, source.rate_type, state, each.disabled_reason]


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

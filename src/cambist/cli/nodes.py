"""`cambist nodes`: the nodes of a service on several machines."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.cli.confirmation import confirm
from cambist.cli.formats import format_age
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json, print_result
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.admin.installation.nodes import ListedNode, ListedNodes, NodeAdmin
    from cambist.status.cluster_report import NodeReport

app = typer.Typer(
    add_completion=False,
    help="Show the nodes of a service on several machines, and forget lost ones.",
    invoke_without_command=True,
)

_COLUMNS = ("Node", "State", "Roles", "Version", "Book", "Book age", "Matrix", "Redis", "PostgreSQL", "Leases")


@app.callback()
def nodes(context: typer.Context, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show the nodes of a service on several machines: which is live, which leads, and how up to date each is.

    Run it on any node. Without PostgreSQL it shows what this node knows of the live ones.
    """
    if context.invoked_subcommand is not None:
        return
    with _admin(data) as admin:
        found = admin.nodes()
    if as_json:
        print_json(_record(found))
        return
    leader = found.leader
    caption = found.problem or (f"Leader's epoch: {leader.epoch}" if leader else "No node has led yet")
    print_table(_COLUMNS, map(_row, found.nodes), caption)


@app.command()
def forget(
    name: Annotated[str, typer.Argument(metavar="NODE", help="Name of the node.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Forget a node that is lost for good: other nodes can use the calls that it was granted and has not reported.

    Make sure that it runs no more. If it comes back with its data folder, calls that it answered but did not report
    are counted then, and a quota may have been exceeded by them.
    """
    with _admin(data) as admin:
        record = admin.check_forgetting(name)
        if not yes:
            confirm(f"Forget the node {name}, last seen {format_age(record.silent)} ago?", "forget the node")
        freed = admin.forget(name)
    print_result(
        {"forgotten": name, "freed_calls": freed},
        f"Node {name} is forgotten; {freed:,} calls that it was granted are free again.",
        as_json=as_json,
    )


def _admin(data: Path | None) -> NodeAdmin:
    from cambist.admin.installation.nodes import NodeAdmin
    from cambist.clock import utc_now

    return NodeAdmin(read_folder_settings(data), utc_now)


def _row(node: ListedNode) -> tuple[object, ...]:
    figures = _figures(node.report) if node.report else [""] * 6
    return (node.name, _state(node), " ".join(node.roles), node.version, *figures)


def _state(node: ListedNode) -> str:
    if node.record is not None and not node.is_live:
        return f"not seen for {format_age(node.record.silent)}"
    state = "leads" if node.leads else "live"
    wrong = node.report.wrong_clock if node.report else ""
    return f"{state}; {wrong}" if wrong else state


def _figures(report: NodeReport) -> tuple[object, ...]:
    age = report.book_age
    behind = timedelta(seconds=report.matrix_behind)
    return (
        f"{report.book_epoch}/{report.book_version}",
        "" if age is None else f"{age:.1f} s",
        f"{format_age(behind)} behind" if behind else "current",
        "linked" if report.redis_linked else "lost",
        "linked" if report.database_reachable else "lost",
        report.leases,
    )


def _record(found: ListedNodes) -> dict[str, Any]:
    return {
        "leader": next((node.name for node in found.nodes if node.leads), None),
        "epoch": found.leader.epoch if found.leader else None,
        "problem": found.problem or None,
        "nodes": [
            {
                "name": node.name,
                "live": node.is_live,
                "leads": node.leads,
                "roles": node.roles,
                "version": node.version,
                "started_at": node.record.started_at if node.record else None,
                "seen_at": node.record.seen_at if node.record else None,
                "report": node.report,
            }
            for node in found.nodes
        ],
    }

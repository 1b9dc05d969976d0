"""What is printed, and what is written as JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from load import Load
from memory import Held
from rounds import Row, middle

FIRST_START, LATER_START, RESIDENT = 15.0, 2.0, 120.0  # seconds, seconds, MB


@dataclass
class Served:
    """What was measured of one service: its name, its workloads, what its processes held after them."""

    name: str
    rows: list[Row]
    held: list[Held]

    @property
    def constant(self) -> Load | None:
        """Take the median of the constant over all rounds."""
        return middle(load for row in self.rows for load in row.constants)


@dataclass
class Findings:
    """All that was measured with one number of threads."""

    threads: int
    served: list[Served]
    first_start: float
    later_start: float

    @property
    def rows(self) -> list[Row]:
        """Give the workloads of all services."""
        return [row for served in self.served for row in served.rows]


def show(found: Findings, console: Console) -> None:
    """Print a table for each service and its memory, then the starts."""
    plural = "s" if found.threads > 1 else ""
    for served in found.served:
        _show(served, f"{served.name}, 1 worker, {found.threads} blocking thread{plural}", console)
    for line in _starts(found):
        console.print(line, soft_wrap=True, highlight=False)


def _show(served: Served, title: str, console: Console) -> None:
    """Print the table of one service, what failed, and its memory."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("work", "path"):
        table.add_column(name, overflow="fold")
    for name in ("answers/s", "ratio", "p50 ms", "p99 ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("target", "reached"):
        table.add_column(name, no_wrap=True)
    if served.constant:
        table.add_row("", "the constant", *_figures(served.constant, 1.0), "", "")
    for row in served.rows:
        table.add_row(*_cells(row))
    console.print(table)
    for line in (*_failures(served.rows), *_memory(served.held)):
        console.print(line, soft_wrap=True, highlight=False)


def _cells(row: Row) -> list[str]:
    """Spell one workload's line."""
    figures = middle(row.loads)
    cells = _figures(figures, row.ratio) if figures and not row.failure else ["", "", "", ""]
    verdict = "[red]FAILED[/]" if row.failure else _verdict(row.reached)
    return [row.workload.name, escape(row.workload.shown), *cells, str(row.workload.target or ""), verdict]


def _figures(load: Load, ratio: float | None) -> list[str]:
    """Spell the figures; a ratio only where a constant was measured beside it."""
    return [
        f"{load.answers:,.0f}",
        "" if ratio is None else f"{ratio:.2f}",
        f"{load.p50:.2f}",
        f"{load.p99:.2f}",
    ]


def _failures(rows: list[Row]) -> list[str]:
    """Say loudly what did not work."""
    return [f"[bold red]{row.workload.name} FAILED[/]: {escape(row.failure)}" for row in rows if row.failure]


def _starts(found: Findings) -> list[str]:
    """Spell how long a user waits for the first answer."""
    starts = (
        ("first start", found.first_start, FIRST_START),
        ("later start", found.later_start, LATER_START),
    )
    return [f"{name}: {took:.2f} s (target < {most:g} s: {_verdict(took < most)})" for name, took, most in starts]


def _memory(held: list[Held]) -> list[str]:
    """Spell what each process holds; shared pages count in each, so nothing is summed."""
    if not held:
        return ["memory: not known, no child processes found in /proc"]
    return [
        f"memory of pid {one.pid}: {one.resident:.1f} MB resident, {one.peak:.1f} MB at its highest "
        f"(target < {RESIDENT:g} MB: {_verdict(one.resident < RESIDENT)})  {escape(one.command[:60])}"
        for one in held
    ]


def _verdict(reached: bool | None) -> str:  # noqa: FBT001 - it spells a yes or no
    """Spell whether a target is reached."""
    return {True: "[green]yes[/]", False: "[yellow]no[/]", None: ""}[reached]


def as_json(found: Findings) -> dict[str, Any]:
    """Give all figures of every round, without the key."""
    rows = [
        {
            "work": row.workload.name,
            "path": row.workload.shown,
            "target": str(row.workload.target or "") or None,
            "reached": row.reached,
            "failure": row.failure,
            "ratio": row.ratio,
            "median": asdict(figures) if (figures := middle(row.loads)) else None,
            "rounds": [asdict(load) for load in row.loads],
            "constants": [asdict(load) for load in row.constants],
        }
        for row in found.rows
    ]
    starts = {"first_start": found.first_start, "later_start": found.later_start}
    memory = {served.name: [asdict(one) for one in served.held] for served in found.served}
    return {"threads": found.threads, "rows": rows, **starts, "memory": memory}

"""Print the results of the benchmark, and convert them to JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from load import Load
from memory import ProcessMemory
from rounds import Row, median_load

FIRST_START, LATER_START, RESIDENT = 15.0, 2.0, 120.0  # seconds, seconds, MB


@dataclass
class ServiceResult:
    """The results of one service: its name, its workloads, and the memory of its processes afterwards."""

    name: str
    rows: list[Row]
    memory_used: list[ProcessMemory]

    @property
    def constant(self) -> Load | None:
        """The median of the constant answer over all rounds."""
        return median_load(load for row in self.rows for load in row.constants)


@dataclass
class BenchmarkResult:
    """All results with one number of threads."""

    threads: int
    served: list[ServiceResult]
    first_start: float
    later_start: float

    @property
    def rows(self) -> list[Row]:
        """The workloads of all services."""
        return [row for served in self.served for row in served.rows]


def show(found: BenchmarkResult, console: Console) -> None:
    """Print a table for each service and its memory, then the starts."""
    plural = "s" if found.threads > 1 else ""
    for served in found.served:
        _show(served, f"{served.name}, 1 worker, {found.threads} blocking thread{plural}", console)
    for line in _starts(found):
        console.print(line, soft_wrap=True, highlight=False)


def _show(served: ServiceResult, title: str, console: Console) -> None:
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
    for line in (*_failures(served.rows), *_memory(served.memory_used)):
        console.print(line, soft_wrap=True, highlight=False)


def _cells(row: Row) -> list[str]:
    """Return one workload's row."""
    figures = median_load(row.loads)
    cells = _figures(figures, row.ratio) if figures and not row.failure else ["", "", "", ""]
    verdict = "[red]FAILED[/]" if row.failure else _verdict(row.reached)
    return [row.workload.name, escape(row.workload.shown), *cells, str(row.workload.target or ""), verdict]


def _figures(load: Load, ratio: float | None) -> list[str]:
    """Return the cells of the figures; the ratio is empty if no constant was measured beside them."""
    return [
        f"{load.answers:,.0f}",
        "" if ratio is None else f"{ratio:.2f}",
        f"{load.p50:.2f}",
        f"{load.p99:.2f}",
    ]


def _failures(rows: list[Row]) -> list[str]:
    """Return a line for each workload that failed."""
    return [f"[bold red]{row.workload.name} FAILED[/]: {escape(row.failure)}" for row in rows if row.failure]


def _starts(found: BenchmarkResult) -> list[str]:
    """Return the lines on how long a user waits for the first answer."""
    starts = (
        ("first start", found.first_start, FIRST_START),
        ("later start", found.later_start, LATER_START),
    )
    return [f"{name}: {took:.2f} s (target < {most:g} s: {_verdict(took < most)})" for name, took, most in starts]


def _memory(memory_used: list[ProcessMemory]) -> list[str]:
    """Return a line on the memory of each process. Shared pages count in each, so there is no sum."""
    if not memory_used:
        return ["memory: unknown, no child processes found in /proc"]
    return [
        f"memory of pid {one.pid}: {one.resident:.1f} MB resident, {one.peak:.1f} MB at its highest "
        f"(target < {RESIDENT:g} MB: {_verdict(one.resident < RESIDENT)})  {escape(one.command[:60])}"
        for one in memory_used
    ]


def _verdict(reached: bool | None) -> str:  # noqa: FBT001
    """Return whether a target is reached, as text."""
    return {True: "[green]yes[/]", False: "[yellow]no[/]", None: ""}[reached]


def as_json(found: BenchmarkResult) -> dict[str, Any]:
    """Return all figures of every round, without the key."""
    rows = [
        {
            "work": row.workload.name,
            "path": row.workload.shown,
            "target": str(row.workload.target or "") or None,
            "reached": row.reached,
            "failure": row.failure,
            "ratio": row.ratio,
            "median": asdict(figures) if (figures := median_load(row.loads)) else None,
            "rounds": [asdict(load) for load in row.loads],
            "constants": [asdict(load) for load in row.constants],
        }
        for row in found.rows
    ]
    starts = {"first_start": found.first_start, "later_start": found.later_start}
    memory = {served.name: [asdict(one) for one in served.memory_used] for served in found.served}
    return {"threads": found.threads, "rows": rows, **starts, "memory": memory}

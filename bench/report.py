"""Print the results of the benchmark, and convert them to JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from facts import Fact
from load import Load
from rounds import BUSY, Row, median_load

TAIL_GOAL = 1.2
TAILS = {"W1": "one pair", "W1R": "random pairs"}
"""The workloads whose 99th percentile has a goal, in times the constant's."""


@dataclass
class BenchmarkResult:
    """All results with one number of threads."""

    threads: int
    rows: list[Row] = field(default_factory=list)
    compared: list[Row] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    @property
    def busiest_client(self) -> float:
        """The largest share of its core that the load generator has used."""
        return max((row.client for row in (*self.rows, *self.compared)), default=0.0)

    def ceiling(self, *, is_random: bool) -> float:
        """Return how many requests a second the client could make with its whole core: the same, or random ones."""
        rates = [
            load.answers / row.client
            for row in self.rows
            if row.client and (len(row.calls.paths) > 1) is is_random and (load := median_load(row.loads["moving"]))
        ]
        return max(rates, default=0.0)

    @property
    def constant(self) -> Load | None:
        """The median of the constant answer over all rounds."""
        return median_load(load for row in self.rows for load in row.constants)

    @property
    def all_facts(self) -> list[Fact]:
        """The single figures, those that are part of a row too."""
        tails = [
            Fact(
                f"99th percentile at 32 connections, {TAILS[row.workload.name]}",
                tail,
                "times the constant's",
                TAIL_GOAL,
            )
            for row in self.rows
            if row.workload.name in TAILS and (tail := row.tail)
        ]
        return [*tails, *self.facts]

    def as_json(self) -> dict[str, Any]:
        """Return all figures, without a key."""
        return {
            "threads": self.threads,
            "busiest_client": round(self.busiest_client, 2),
            "constant": _rounded(self.constant),
            "rows": [_row_as_json(row) for row in self.rows],
            "compared": [_row_as_json(row) for row in self.compared],
            "facts": [
                {**asdict(one), "figure": float(f"{one.figure:.3g}"), "goal": one.goal, "reached": one.reached}
                for one in self.all_facts
            ],
        }


def show(found: BenchmarkResult, console: Console) -> None:
    """Print the workloads, the comparisons and the single figures, then what failed."""
    title = f"1 worker, {found.threads} threads for what has to wait, rate book changing ten times a second"
    if found.rows:
        console.print(_workload_table(found, title))
        kinds = {"that are the same": found.ceiling(is_random=False), "that are random": found.ceiling(is_random=True)}
        told = " and ".join(f"{most:,.0f} requests a second {kind}" for kind, most in kinds.items() if most)
        console.print(
            f"The client used {found.busiest_client:.0%} of its core at most"
            + (f". With all of it, it could do {told}." if told else "."),
            highlight=False,
        )
    if found.compared:
        console.print(_compared_table(found.compared))
    if found.all_facts:
        console.print(_fact_table(found.all_facts))
    for row in (*found.rows, *found.compared):
        if row.failure:
            reason = escape(row.failure)
            console.print(f"[bold red]{row.workload.name} FAILED[/]: {reason}", soft_wrap=True, highlight=False)


def show_row(row: Row, console: Console) -> None:
    """Print a row that is complete in one line, before the tables."""
    load = median_load(row.loads["moving"])
    figures = "FAILED" if row.failure or load is None else f"{load.answers:>9,.0f}/s  p99 {load.p99:6.2f} ms"
    ratio = _ratio(row.ratio("moving")) or "-"
    console.print(f"{row.workload.name:6} {ratio:>6} {figures}  {_limit(row)}", highlight=False, markup=False)


def _limit(row: Row) -> str:
    return "the client is the limit" if row.client > BUSY else f"client {row.client:.0%}"


def _table(title: str, texts: tuple[str, ...], figures: tuple[str, ...], verdicts: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in texts:
        table.add_column(name, overflow="fold")
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    for name in verdicts:
        table.add_column(name, no_wrap=True)
    return table


def _workload_table(found: BenchmarkResult, title: str) -> Table:
    figures = ("answers/s", "ratio", "standing", "p50 ms", "p99 ms")
    table = _table(title, ("work", "request"), figures, ("goal", "reached"))
    if constant := found.constant:
        table.add_row("", "the constant", f"{constant.answers:,.0f}", "1", "1", *_times(constant), "", "")
    for row in found.rows:
        ratios = (_ratio(row.ratio("moving")), _ratio(row.ratio("standing")))
        table.add_row(*_cells(row, ratios))
    return table


def _compared_table(rows: list[Row]) -> Table:
    figures = ("answers/s", "beside", "ratio", "p50 ms", "p99 ms")
    table = _table("Beside the same requests of another", ("work", "request"), figures, ("goal", "reached"))
    for row in rows:
        beside = median_load(row.constants)
        ratios = (f"{beside.answers:,.0f}" if beside else "", _ratio(row.ratio("moving")))
        table.add_row(*_cells(row, ratios))
    return table


def _cells(row: Row, ratios: tuple[str, str]) -> list[str]:
    """Return one workload's row."""
    load, workload = median_load(row.loads["moving"]), row.workload
    shown = escape(workload.shown + (f", beside {workload.beside}" if workload.beside else ""))
    if row.failure or load is None:
        return [workload.name, shown, *[""] * 5, str(workload.target or ""), "[red]FAILED[/]"]
    figures = [f"{load.answers:,.0f}", *ratios, *_times(load)]
    verdict = _verdict(row.reached) + (", client" if row.client > BUSY else "")
    return [workload.name, shown, *figures, str(workload.target or ""), verdict]


def _times(load: Load) -> tuple[str, str]:
    return f"{load.p50:.2f}", f"{load.p99:.2f}"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3f}" if ratio < 0.1 else f"{ratio:.2f}"


def _fact_table(facts: list[Fact]) -> Table:
    table = _table("Single figures", ("figure",), ("measured",), ("goal", "reached", ""))
    for one in facts:
        table.add_row(one.name, f"{one.figure:.2f} {one.unit}", one.goal, _verdict(one.reached), one.note)
    return table


def _verdict(reached: bool | None) -> str:  # noqa: FBT001
    """Return whether a target is reached, as text."""
    return {True: "[green]yes[/]", False: "[yellow]no[/]", None: ""}[reached]


def _rounded(load: Load | None) -> dict[str, float] | None:
    return {name: round(value, 3) for name, value in asdict(load).items()} if load else None


def _row_as_json(row: Row) -> dict[str, Any]:
    """Return a row's medians and the ratio of every round."""
    ratios = {case: row.ratio(case) for case in ("moving", "standing")}
    return {
        "work": row.workload.name,
        "request": row.workload.shown,
        "beside": row.workload.beside or "a constant",
        "target": str(row.workload.target or ""),
        "reached": row.reached,
        "client": round(row.client, 2),
        "failure": row.failure,
        "ratio": {case: ratio and round(ratio, 4) for case, ratio in ratios.items()},
        "moving": _rounded(median_load(row.loads["moving"])),
        "standing": _rounded(median_load(row.loads["standing"])),
        "compared_with": _rounded(median_load(row.constants)),
        "rounds": [
            round(load.answers / beside.answers, 4)
            for load, beside in zip(row.loads["moving"], row.constants, strict=False)
        ],
    }

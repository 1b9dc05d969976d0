"""Measure in rounds: constant, workload, constant, workload …, so that noise affects both alike."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from load import Calls, Client, Load, NotMeasuredError
from sequential_client import check, measure_sequentially
from workloads import Workload

ROUNDS, WARM_UP = 3, 1


@dataclass
class Row:
    """The results of one workload in every round, each with the constant that was measured just before."""

    workload: Workload
    calls: Calls
    loads: list[Load] = field(default_factory=list)
    constants: list[Load] = field(default_factory=list)
    failure: str | None = None

    @property
    def ratio(self) -> float | None:
        """Return the median of the rounds' ratios, not the ratio of medians."""
        pairs = zip(self.loads, self.constants, strict=False)  # sequential workloads have no constant
        return median(ratios) if (ratios := [load.answers / beside.answers for load, beside in pairs]) else None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None without a target or a figure."""
        target, figures = self.workload.target, median_load(self.loads)
        if target is None or figures is None or self.failure:
            return None
        figure = self.ratio if target.of == "ratio" else getattr(figures, target.of)
        return target.reached(figure)


def median_load(loads: Iterable[Load]) -> Load | None:
    """Return the median of each figure over the rounds."""
    if not (loads := list(loads)):
        return None
    return Load(*(median(getattr(load, name) for load in loads) for name in ("answers", "p50", "p99")))


def rows_for(workloads: Iterable[Workload], port: int, key: str) -> list[Row]:
    """Return a row for each workload, with the port and the key to use."""
    rows = []
    for workload in workloads:
        paths, headers = workload.paths, {"X-API-Key": key}
        if workload.key_in_query:
            paths, headers = tuple(f"{path}&api_key={key}" for path in paths), {}
        rows.append(Row(workload, Calls(port, paths, headers)))
    return rows


def measure(
    rows: list[Row], constant: Calls, client: Client, seconds: int, print_progress: Callable[[str], None]
) -> None:
    """Measure all rows. A workload that fails keeps its reason, and the others continue."""
    for row in rows:
        _attempt(row, partial(check, row.calls))
    for number in range(1, ROUNDS + 1):
        for row in rows:
            if row.failure or row.workload.is_sequential:
                continue
            print_progress(f"round {number} of {ROUNDS}: {row.workload.name}")
            beside = _measure_after_warm_up(client, constant, seconds, number)
            if _attempt(row, partial(_measure_after_warm_up, client, row.calls, seconds, number)):
                row.constants.append(beside)
    for row in rows:
        if row.workload.is_sequential and not row.failure:
            print_progress(row.workload.name)
            _attempt(row, partial(measure_sequentially, row.calls))


def _measure_after_warm_up(client: Client, calls: Calls, seconds: int, seed: int) -> Load:
    """Measure a server after a warm-up with other paths, which does not count."""
    client(calls, WARM_UP, -seed)
    return client(calls, seconds, seed)


def _attempt(row: Row, step: Callable[[], Load | None]) -> bool:
    """Run a step of a row, and store its figures or why it failed."""
    try:
        load = step()
    except NotMeasuredError as why:
        row.failure = str(why)
        return False
    if load:
        row.loads.append(load)
    return True

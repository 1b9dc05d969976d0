"""The order of measuring: constant, workload, constant, workload …, so that noise hits both alike."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from statistics import median

from load import Calls, Client, Load, NotMeasuredError
from one_by_one import check, one_by_one
from workloads import Workload

ROUNDS, WARM_UP = 3, 1


@dataclass
class Row:
    """What one workload did in every round, each beside the constant measured right before it."""

    workload: Workload
    calls: Calls
    loads: list[Load] = field(default_factory=list)
    constants: list[Load] = field(default_factory=list)
    failure: str | None = None

    @property
    def ratio(self) -> float | None:
        """Return the median of the rounds' ratios, not the ratio of medians."""
        pairs = zip(self.loads, self.constants, strict=False)  # what is timed one by one has no constant
        return median(ratios) if (ratios := [load.answers / beside.answers for load, beside in pairs]) else None

    @property
    def reached(self) -> bool | None:
        """Compare with the target, where there is one and a figure."""
        target, figures = self.workload.target, middle(self.loads)
        if target is None or figures is None or self.failure:
            return None
        figure = self.ratio if target.of == "ratio" else getattr(figures, target.of)
        return target.reached(figure)


def middle(loads: Iterable[Load]) -> Load | None:
    """Take the median of each figure over the rounds."""
    if not (loads := list(loads)):
        return None
    return Load(*(median(getattr(load, name) for load in loads) for name in ("answers", "p50", "p99")))


def rows_for(workloads: Iterable[Workload], port: int, key: str) -> list[Row]:
    """Address each workload to the service, with the key where the workload wants it."""
    rows = []
    for workload in workloads:
        paths, headers = workload.paths, {"X-API-Key": key}
        if workload.key_in_query:
            paths, headers = tuple(f"{path}&api_key={key}" for path in paths), {}
        rows.append(Row(workload, Calls(port, paths, headers)))
    return rows


def measure(rows: list[Row], constant: Calls, client: Client, seconds: int, say: Callable[[str], None]) -> None:
    """Fill the rows; a workload that breaks keeps its reason and the others go on."""
    for row in rows:
        _attempt(row, partial(check, row.calls))
    for number in range(1, ROUNDS + 1):
        for row in rows:
            if row.failure or row.workload.one_by_one:
                continue
            say(f"round {number} of {ROUNDS}: {row.workload.name}")
            beside = _warmed(client, constant, seconds, number)
            if _attempt(row, partial(_warmed, client, row.calls, seconds, number)):
                row.constants.append(beside)
    for row in rows:
        if row.workload.one_by_one and not row.failure:
            say(row.workload.name)
            _attempt(row, partial(one_by_one, row.calls))


def _warmed(client: Client, calls: Calls, seconds: int, seed: int) -> Load:
    """Load a server after a warm-up that does not count and draws other paths."""
    client(calls, WARM_UP, -seed)
    return client(calls, seconds, seed)


def _attempt(row: Row, step: Callable[[], Load | None]) -> bool:
    """Do a step of a row and keep its figures, or note why it could not be done."""
    try:
        load = step()
    except NotMeasuredError as why:
        row.failure = str(why)
        return False
    if load:
        row.loads.append(load)
    return True

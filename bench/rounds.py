"""Measure in rounds: constant, workload, constant, workload …, so that noise affects both alike.

The constant and a workload are measured while books are published, and some workloads again while the book stands
still. One workload is measured in all rounds before the next, so that each row can be shown.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from statistics import median

import wrk
from load import Calls, Client, Load, NotMeasuredError
from moving_book import BOOKS_A_SECOND
from publisher import Publisher
from sequential_client import check, measure_sequentially
from workloads import Case, Workload

WARM_UP = 1
BUSY = 0.9
"""The share of its core from which on the client limits what is measured."""


@dataclass
class Row:
    """The results of one workload in every round, each with what was measured beside it just before."""

    workload: Workload
    calls: Calls
    beside: Calls
    loads: dict[Case, list[Load]] = field(default_factory=lambda: {"moving": [], "standing": []})
    constants: list[Load] = field(default_factory=list)
    failure: str | None = None
    client: float = 0.0
    """The largest share of its core that the load generator has used."""

    def ratio(self, case: Case) -> float | None:
        """Return the median of the rounds' ratios, not the ratio of medians."""
        pairs = zip(self.loads[case], self.constants, strict=False)  # sequential workloads have no constant
        return median(ratios) if (ratios := [load.answers / beside.answers for load, beside in pairs]) else None

    @property
    def tail(self) -> float | None:
        """Return the median of the rounds' ratios of the 99th percentile to that of what was measured beside it."""
        pairs = zip(self.loads["moving"], self.constants, strict=False)
        return median(tails) if (tails := [load.p99 / beside.p99 for load, beside in pairs]) else None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached while the book moves; None without a target or a figure."""
        target, figures = self.workload.target, median_load(self.loads["moving"])
        if target is None or figures is None or self.failure:
            return None
        figure = self.ratio("moving") if target.of == "ratio" else getattr(figures, target.of)
        return None if figure is None else target.reached(figure)


def median_load(loads: Iterable[Load]) -> Load | None:
    """Return the median of each figure over the rounds."""
    if not (loads := list(loads)):
        return None
    return Load(*(median(getattr(load, name) for load in loads) for name in ("answers", "p50", "p99")))


def calls_of(workload: Workload, port: int, key: str) -> Calls:
    """Return the requests of a workload, with the key where it puts it."""
    if workload.key == "header":
        return Calls(port, workload.paths, {"X-API-Key": key})
    return Calls(port, tuple(f"{path}&api_key={key}" for path in workload.paths))


@dataclass
class Rounds:
    """How to measure: the load generator, the seconds of each measurement, and who publishes books.

    `books_a_second` is how often the book changes while it moves.
    """

    client: Client
    seconds: int
    publisher: Publisher
    print_progress: Callable[[str], None]
    books_a_second: float = BOOKS_A_SECOND
    show: Callable[[Row], None] = lambda _row: None
    """Called with each row that is complete."""

    def measure(self, rows: list[Row]) -> None:
        """Measure all rows. A workload that fails keeps its reason, and the others continue."""
        warm: set[int] = set()
        self.publisher.set_rate(0)
        for row in rows:
            _attempt(row, partial(check, row.calls))
            if row.workload.is_sequential:
                self.print_progress(row.workload.name)
                self.publisher.set_rate(self.books_a_second)
                _attempt(row, partial(self._measure_sequentially, row))
            else:
                _attempt(row, partial(self._warm_up, row, warm))
            for number in range(1, row.workload.rounds + 1) if not row.workload.is_sequential else ():
                self.print_progress(f"{row.workload.name}: round {number} of {row.workload.rounds}")
                _attempt(row, partial(self._measure_round, row, number))
            self.publisher.set_rate(0)
            self.show(row)

    @staticmethod
    def _measure_sequentially(row: Row) -> None:
        row.loads["moving"].append(measure_sequentially(row.calls))

    def _warm_up(self, row: Row, warm: set[int]) -> None:
        """Make requests that do not count, with other paths; to what it is compared with only once."""
        if row.beside.port not in warm:
            self.client(row.beside, WARM_UP, -1)
        warm.update((row.beside.port, row.calls.port))
        self.client(row.calls, WARM_UP, -1)

    def _measure_round(self, row: Row, number: int) -> None:
        """Measure a row once in each case, after what it is compared with; what fails adds nothing."""
        self.publisher.set_rate(self.books_a_second)
        beside, loads = self.client(row.beside, self.seconds, number), {}
        for case in row.workload.cases:
            self.publisher.set_rate(self.books_a_second if case == "moving" else 0)
            before = wrk.client_seconds()
            loads[case] = self.client(row.calls, self.seconds, number)
            row.client = max(row.client, (wrk.client_seconds() - before) / self.seconds)
        row.constants.append(beside)
        for case, load in loads.items():
            row.loads[case].append(load)


def _attempt(row: Row, step: Callable[[], object]) -> None:
    """Run a step of a row, and store why it failed; nothing follows a failure."""
    if row.failure:
        return
    try:
        step()
    except NotMeasuredError as why:
        row.failure = str(why)

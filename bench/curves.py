"""The curves of growth: what is measured at each amount."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import questions
from children import memory
from facts import idle_shares
from load import Calls, Client, NotMeasuredError
from many_accounts import LIMITED, add_accounts, add_limited_plan
from moving_book import BOOKS_A_SECOND
from publisher import Publisher, publishing
from rounds import Rounds, Row, calls_of
from sequential_client import measure_sequentially
from servers import Cambist, constant
from shorter_history import keep_years
from stream import prepare_folder, run_benchmark
from two_workers import measure_workers
from workloads import WORKLOADS, Workload

THREADS, IDLE_SECONDS = 4, 5.0
_BY_NAME = {one.name: one for one in WORKLOADS}
Progress = Callable[[str], object]


@dataclass
class Series:
    """One line of a curve: its figures, one for each amount."""

    name: str
    unit: str
    figures: list[float] = field(default_factory=list)


@dataclass
class Curve:
    """What was measured at some amounts `of` something."""

    of: str
    amounts: list[int]
    series: list[Series] = field(default_factory=list)

    def add(self, name: str, unit: str, figure: float) -> None:
        """Add the figure of the next amount to a line."""
        line = next((one for one in self.series if one.name == name), None)
        if line is None:
            self.series.append(line := Series(name, unit))
        line.figures.append(float(f"{figure:.4g}"))


@dataclass
class Running:
    """A service with a book, beside a constant."""

    cambist: Cambist
    pid: int
    publisher: Publisher
    constant: Calls
    client: Client
    seconds: int

    def row(self, workload: Workload, calls: Calls | None = None, books: float = BOOKS_A_SECOND) -> Row:
        """Measure a workload beside the constant while books are published."""
        calls = calls or calls_of(workload, self.cambist.port, self.cambist.key)
        row = Row(workload, calls, self.constant)
        rounds = Rounds(self.client, self.seconds, self.publisher, lambda _text: None, books)
        rounds.measure([row])
        if row.failure:
            raise NotMeasuredError(row.failure)
        return row

    def ratio(self, name: str, books: float = BOOKS_A_SECOND) -> float:
        """Return a workload's ratio to the constant."""
        return self.row(_moving(name), None, books).ratio("moving") or 0.0

    def idle(self, books: float = BOOKS_A_SECOND) -> dict[str, float]:
        """Return the share of a core that each process needs while nobody asks, in per cent."""
        self.publisher.set_rate(books)
        shares = idle_shares(self.cambist, self.pid, IDLE_SECONDS)
        self.publisher.set_rate(0)
        return shares

    def worker_megabytes(self) -> float:
        """Return the proportional memory of the workers together."""
        pids = self.cambist.processes(self.pid)["worker"]
        return sum(found.proportional for found in map(memory, pids) if found)


@dataclass
class Laboratory:
    """Where and how the curves are measured."""

    folder: Path
    client: Client
    seconds: int
    pinned: bool

    def prepared(self) -> Cambist:
        """Return a service that has been started once."""
        cambist = Cambist(self.folder / "service", THREADS, self.pinned)
        with cambist.started():
            pass
        add_limited_plan(cambist.data)
        return cambist

    @contextmanager
    def running(self, cambist: Cambist, *options: str, with_stream: bool = False) -> Iterator[tuple[Running, float]]:
        """Start a service, a publisher with options and the constant; yield them and the seconds of the start."""
        with ExitStack() as stack:
            process, took = stack.enter_context(cambist.started(with_stream=with_stream))
            log = self.folder / "publisher.log"
            publisher = stack.enter_context(publishing([cambist.data], log, pinned=self.pinned, options=options))
            port = stack.enter_context(constant(self.folder, THREADS, pinned=self.pinned))
            yield Running(cambist, process.pid, publisher, Calls(port, ("/",)), self.client, self.seconds), took


def accounts(laboratory: Laboratory, show: Progress) -> Curve:
    """Accounts, 1 to 100,000: requests of one of them, an idle service, its start and its memory."""
    curve, base = Curve("accounts", [1, 10, 100, 1_000, 10_000, 100_000]), laboratory.prepared()
    for amount in curve.amounts:
        show(f"{amount:,}")
        cambist = Cambist(shutil.copytree(base.data, laboratory.folder / f"{amount}"), THREADS, laboratory.pinned)
        if amount > 1:
            add_accounts(cambist.data, amount - 1, LIMITED)
        with laboratory.running(cambist) as (running, took):
            curve.add("`/fetch-one`, ratio to the constant", "", running.ratio("W1"))
            shares = running.idle()
            curve.add("idle worker", "% of a core", shares["worker"])
            curve.add("idle usage writer", "% of a core", shares["usage writer"])
            curve.add("start to the first answer", "s", took)
            curve.add("memory of the worker", "MB", running.worker_megabytes())
        shutil.rmtree(cambist.data)
    return curve


def instruments(laboratory: Laboratory, show: Progress) -> Curve:
    """Instruments in the rate book, 200 to 5,000: requests, an idle worker and its memory."""
    curve, cambist = Curve("instruments", [200, 500, 1_000, 2_000, 5_000]), laboratory.prepared()
    for amount in curve.amounts:
        show(f"{amount:,}")
        with laboratory.running(cambist, "--instruments", str(amount)) as (running, _took):
            curve.add("`/fetch-one`, random pairs, ratio to the constant", "", running.ratio("FX1"))
            curve.add("idle worker", "% of a core", running.idle()["worker"])
            curve.add("memory of the worker", "MB", running.worker_megabytes())
    return curve


def history(laboratory: Laboratory, show: Progress) -> Curve:
    """Years of history, 1 to 56: random days, one year, and the whole series."""
    curve, cambist = Curve("years", [1, 5, 10, 20, 40, 56]), laboratory.prepared()
    for amount in curve.amounts:
        show(f"{amount:,}")
        with laboratory.running(cambist) as (running, _took):
            kept = keep_years(cambist.data, amount)
            days, series = questions.paths_between(kept.first, kept.last, kept.codes)
            calls, one_by_one = (
                Calls(cambist.port, tuple(f"{path}&api_key={cambist.key}" for path in paths))
                for paths in (days, series)
            )
            ratio = running.row(_moving("W3"), calls).ratio("moving") or 0.0
            curve.add("`/historical`, random days, ratio to the constant", "", ratio)
            curve.add("`/time-series`, all days, one request at a time", "ms", measure_sequentially(one_by_one).p50)
            curve.add("rate matrix", "MB", kept.megabytes)
            curve.add("memory of the worker", "MB", running.worker_megabytes())
    return curve


def workers(laboratory: Laboratory, show: Progress) -> Curve:
    """Workers, 1 to 4: the cost of an answer, idle workers and their memory."""
    curve, cambist = Curve("workers", [1, 2, 3, 4]), laboratory.prepared()
    for amount in curve.amounts:
        show(f"{amount:,}")
        measured = measure_workers(cambist, laboratory.client, laboratory.seconds * 2, laboratory.folder, amount)
        curve.add(f"answers a second on {os.cpu_count()} cores, the client included", "", measured.load.answers)
        curve.add("processor time of an answer", "µs", measured.cost * 1e6)
        curve.add("idle workers together", "% of a core", measured.idle)
        curve.add("memory of the workers together", "MB", measured.megabytes)
    return curve


def connections(laboratory: Laboratory, show: Progress) -> Curve:
    """Connections of the stream, 100 to 10,000, each with five pairs that change ten times a second."""
    curve = Curve("connections", [100, 500, 1_000, 2_000, 5_000, 10_000])
    settings, key = prepare_folder(laboratory.folder / "stream")
    for amount in curve.amounts:
        show(f"{amount:,}")
        measured = run_benchmark(settings, key, amount, 0, laboratory.seconds * 4, 0 if laboratory.pinned else None)
        curve.add("prices delivered", "% of those due", measured.frames / (amount * 50) * 100)
        curve.add("book to client, median", "ms", measured.p50)
        curve.add("book to client, 99th percentile", "ms", measured.p99)
        curve.add("stream process", "% of a core", measured.share * 100)
    return curve


def books(laboratory: Laboratory, show: Progress) -> Curve:
    """Books a second, 1 to 20: requests and idle processes."""
    curve, cambist = Curve("books a second", [1, 2, 5, 10, 20]), laboratory.prepared()
    with laboratory.running(cambist, with_stream=True) as (running, _took):
        for amount in curve.amounts:
            show(f"{amount:,}")
            curve.add("`/fetch-one`, one pair, ratio to the constant", "", running.ratio("W1", amount))
            curve.add("`/fetch-one`, random pairs, ratio to the constant", "", running.ratio("W1R", amount))
            shares = running.idle(amount)
            curve.add("idle worker", "% of a core", shares["worker"])
            curve.add("idle stream", "% of a core", shares["stream"])
    return curve


def _moving(name: str) -> Workload:
    """Return a workload that is measured only while the book moves."""
    if name == "FX1":
        return Workload("FX1", "/fetch-one, random currencies", questions.currency_paths, cases=("moving",))
    one = _BY_NAME[name]
    return Workload(one.name, one.shown, one.make_paths, key=one.key, cases=("moving",))


CURVES: dict[str, Callable[[Laboratory, Progress], Curve]] = {
    "accounts": accounts,
    "instruments": instruments,
    "history": history,
    "workers": workers,
    "connections": connections,
    "books": books,
}

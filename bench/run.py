"""Measure the service and a constant answer of Granian, and print the ratios.

The rate book has 170 currencies, 1,500 coins and their pairs, and changes ten times a second; each request is also
measured while the book stands still. Only ratios can be compared between machines; the absolute figures depend on the
machine and its load. A missed target is reported and is not an error. The exit code is 1 if something did not work.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from asyncio_client import measure_with_asyncio
from facts import idle_facts, memory_facts, sandbox_fact, start_facts
from load import Calls, Client, NotMeasuredError
from many_accounts import LIMITED, add_accounts, add_limited_plan
from processes import CLIENT_CORE, SERVER_CORE, can_pin
from publisher import publishing
from record import Recorded, record
from report import BenchmarkResult, show, show_row
from rounds import Rounds, Row, calls_of
from servers import Cambist, constant
from two_workers import two_workers
from workloads import COMPARED, WORKLOADS
from wrk import measure_with_wrk

DEFAULT_THREADS = 4  # the default of `cambist serve`
ACCOUNTS = 10_000
CLIENTS: dict[str, Client] = {"wrk": measure_with_wrk, "weak": measure_with_asyncio}
FACTS = {
    "START": "seconds to the first answer",
    "MEMORY": "memory of each process after the load",
    "IDLE": "processor time while nobody asks",
    "WORKERS": "two workers beside one",
}


class Benchmark:
    """One run: what was chosen on the command line, and the folder of this run."""

    def __init__(self, arguments: argparse.Namespace, console: Console, folder: Path, *, pinned: bool) -> None:
        self._arguments = arguments
        self._console = console
        self._folder = folder
        self._pinned = pinned
        self._client = CLIENTS[arguments.client]

    def run(self, threads: int) -> BenchmarkResult:
        """Measure everything that was chosen, with one number of threads."""
        chosen, result = self._arguments.only, BenchmarkResult(threads)
        with self._console.status("first start") as status:
            self._progress = status.update
            cambist = Cambist(self._folder / f"service-{threads}", threads, self._pinned)
            with cambist.started() as (_process, first):
                status.update("a plan with limits")
            add_limited_plan(cambist.data)
            limited = add_accounts(cambist.data, 1, LIMITED)[0]
            self._measure_loads(cambist, first, result)
            if any(one.name in chosen for one in COMPARED) or "IDLE" in chosen:
                self._measure_comparisons(cambist, limited, result)
            if "IDLE" in chosen:
                status.update("idle: a sandbox")
                sandbox = Cambist(self._folder / f"sandbox-{threads}", threads, self._pinned, is_sandbox=True)
                result.facts.append(sandbox_fact(sandbox, self._idle_seconds))
            if "WORKERS" in chosen:
                status.update("two workers beside one")
                result.facts += two_workers(cambist, self._client, self._arguments.seconds * 2, self._folder)
        return result

    @property
    def _idle_seconds(self) -> float:
        return 3.0 * self._arguments.seconds

    def _measure_loads(self, cambist: Cambist, first: float, result: BenchmarkResult) -> None:
        """Measure the workloads beside a constant, then the memory of the processes that have answered them."""
        chosen = [one for one in WORKLOADS if one.name in self._arguments.only]
        with ExitStack() as stack:
            self._progress("later start")
            process, later = stack.enter_context(cambist.started())
            if "START" in self._arguments.only:
                result.facts += start_facts(first, later)
            if not chosen and "MEMORY" not in self._arguments.only:
                return
            rounds = self._rounds([cambist], stack)
            beside = Calls(stack.enter_context(constant(self._folder, cambist.threads, pinned=self._pinned)), ("/",))
            result.rows = [Row(one, calls_of(one, cambist.port, cambist.key), beside) for one in chosen]
            rounds.measure(result.rows)
            if "MEMORY" in self._arguments.only:
                result.facts += memory_facts(cambist, process.pid)

    def _measure_comparisons(self, one: Cambist, limited: str, result: BenchmarkResult) -> None:
        """Measure the same requests for two callers, and what two services need while nobody asks."""
        self._progress(f"{ACCOUNTS:,} accounts")
        folder = shutil.copytree(one.data, self._folder / f"crowded-{one.threads}")
        keys = add_accounts(folder, ACCOUNTS, LIMITED)
        many = Cambist(folder, one.threads, self._pinned)
        with ExitStack() as stack:
            alone = stack.enter_context(one.started(with_stream=True))[0]
            rounds = self._rounds([one, many], stack)
            if "IDLE" in self._arguments.only:
                self._progress("idle")
                result.facts += idle_facts(one, alone.pid, rounds.publisher, self._idle_seconds)
        with ExitStack() as stack:
            stack.enter_context(one.started())
            crowded = stack.enter_context(many.started())[0]
            rounds = self._rounds([one, many], stack)
            rows = _compared_rows(one, many, limited, keys)
            result.compared = [row for row in rows if row.workload.name in self._arguments.only]
            if "IDLE" in self._arguments.only:
                # Before the requests: what follows 10,000 used keys, when each was last used is stored, is not idle.
                self._progress(f"idle: {ACCOUNTS:,} accounts")
                among = f", {ACCOUNTS:,} accounts"
                result.facts += idle_facts(many, crowded.pid, rounds.publisher, self._idle_seconds, among)
            rounds.measure(result.compared)

    def _rounds(self, services: list[Cambist], stack: ExitStack) -> Rounds:
        """Start to publish into the folders of services, and return what measures them."""
        folders, log = [one.data for one in services], self._folder / "publisher.log"
        publisher = stack.enter_context(publishing(folders, log, pinned=self._pinned))
        return Rounds(
            self._client,
            self._arguments.seconds,
            publisher,
            self._progress,
            show=lambda row: show_row(row, self._console),
        )


def _compared_rows(one: Cambist, many: Cambist, limited: str, keys: list[str]) -> list[Row]:
    """Return the rows in which two callers make the same requests."""
    plan, random, crowd, turns = COMPARED
    path = turns.paths[0]
    in_turn, alone = (
        Calls(many.port, tuple(f"{path}&api_key={key}" for key in used)) for used in (keys, keys[:1] * len(keys))
    )
    return [
        Row(plan, calls_of(plan, one.port, limited), calls_of(plan, one.port, one.key)),
        Row(random, calls_of(random, one.port, limited), calls_of(random, one.port, one.key)),
        Row(crowd, calls_of(crowd, many.port, many.key), calls_of(crowd, one.port, one.key)),
        Row(turns, in_turn, alone),
    ]


def main() -> int:
    """Measure with each number of threads in turn and report."""
    arguments, console = _arguments(), Console()
    if arguments.list:
        _list(console)
        return 0
    if not console.is_terminal:
        console = Console(width=140)  # a log file is not wrapped
    for deadly in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(deadly, lambda number, _frame: sys.exit(128 + number))  # so that every `finally` runs
    pinned = _pin_client()
    _conditions(arguments, console, pinned=pinned)
    try:
        with tempfile.TemporaryDirectory(prefix="cambist-bench-", ignore_cleanup_errors=True) as folder:
            benchmark = Benchmark(arguments, console, Path(folder), pinned=pinned)
            found = [benchmark.run(threads) for threads in arguments.threads]
    except NotMeasuredError as why:
        console.print(f"NOT MEASURED: {why}", style="bold red", markup=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print("Stopped; so are the servers.")
        return 130
    for one in found:
        show(one, console)
    console.print("The time from a tick to its book, and filing: make bench-ingest. The stream: make bench-stream.")
    if arguments.json:
        record(arguments.json, "requests", Recorded.now([one.as_json() for one in found]))
    return int(any(row.failure for one in found for row in (*one.rows, *one.compared)))


def _pin_client() -> bool:
    """Pin this process and the load generator that it starts to another core than the servers."""
    if pinned := can_pin():
        os.sched_setaffinity(0, {CLIENT_CORE})
    return pinned


def _conditions(arguments: argparse.Namespace, console: Console, *, pinned: bool) -> None:
    """Print what the figures depend on."""
    pins = f"servers on core {SERVER_CORE}, client and publisher of books on core {CLIENT_CORE}"
    load = f"load average {os.getloadavg()[0]:.1f} before"
    console.print(
        f"Granian {version('granian')}, Python {sys.version.split()[0]}, {pins if pinned else 'NOT PINNED to cores'}, "
        f"{load}",
        highlight=False,
    )
    if arguments.client == "weak":
        console.print(
            "WEAK CLIENT: a Python client is used instead of wrk. It may limit the figures itself.\n"
            "Its ratios favour the service, and can only be compared with other runs of this client.",
            style="bold yellow",
        )


def _list(console: Console) -> None:
    """Print what `--only` can name."""
    for one in (*WORKLOADS, *COMPARED):
        console.print(f"{one.name:8} {one.shown}", highlight=False, markup=False)
    for name, shown in FACTS.items():
        console.print(f"{name:8} {shown}", highlight=False, markup=False)


def _arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=_positive, default=1, help="length of each measurement (default: 1)")
    parser.add_argument(
        "--threads",
        type=lambda text: [_positive(word) for word in text.split(",")],
        default=[DEFAULT_THREADS],
        metavar="N,N",
        help=f"blocking threads of the worker, one table for each number (default: {DEFAULT_THREADS})",
    )
    parser.add_argument("--only", type=_named, default=_names(), metavar="W1,W3", help="names of --list (default: all)")
    parser.add_argument("--list", action="store_true", help="list what can be measured, and end")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    installed = "wrk" if shutil.which("wrk") else "weak"
    parser.add_argument("--client", choices=CLIENTS, default=installed, help="default: wrk where it is installed")
    return parser.parse_args()


def _positive(text: str) -> int:
    """Parse a whole number of at least one."""
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _names() -> frozenset[str]:
    """Return the names of all workloads and facts."""
    return frozenset((*(one.name for one in (*WORKLOADS, *COMPARED)), *FACTS))


def _named(text: str) -> frozenset[str]:
    """Parse names of workloads and facts."""
    wanted = frozenset(word.strip().upper() for word in text.split(","))
    if unknown := wanted - _names():
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}; --list shows the names")
    return wanted


if __name__ == "__main__":
    sys.exit(main())

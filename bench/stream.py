"""Measure the stream: one process on one core, many connections, with pairs that change ten times a second.

It measures how long a price takes from the book to a client's socket, the processor time and the memory of the stream,
and how slow clients affect the others. With several processes it measures what one frame costs them.
"""

import argparse
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path

import msgspec

from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.clock import utc_now
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.source_kind import Pace
from cambist.processes.stream import stream
from cambist.reference.assets import COINS
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from processes import CLIENT_CORE, SERVER_CORE, can_pin, free_port
from stream_clients import StreamClients

BOOKS_A_SECOND = 10
PAIRS = 50
TICK_SECONDS = os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """The results of one run."""

    connections: int
    slow: int
    frames: float
    p50: float
    p99: float
    longest: float
    share: float
    others: float
    clients: float
    kilobytes: float


def publish(folder: Path, supervisor: int) -> None:
    """Publish a book ten times a second, in which every pair has changed and has the time of publishing."""
    book_file, coins, version = RateBookFile(folder), list(COINS)[:PAIRS], 1_000_000
    due = time.monotonic()
    while os.getppid() == supervisor:
        due += 1 / BOOKS_A_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
        version += 1
        book_file.publish(book(coins, version))


def book(coins: list[str], version: int) -> QuotedBook:
    """Return a book with random prices of this moment."""
    now, origin = datetime.now(UTC), Origin(Derivation.PUBLISHED, ("bench",), pace=Pace.REALTIME)
    quotes = {}
    for coin in coins:
        bid = Fraction(random.randrange(10**9, 2 * 10**9), 10**5)  # noqa: S311
        quotes[coin] = Quote(Pair(coin, PIVOT), bid, bid + Fraction(1, 100), now, now, origin)
    pairs = {quote.pair: quote for quote in quotes.values()}
    return QuotedBook(version, now, quotes, (PIVOT,), pairs, frozenset(pairs))


def pinned(core: int | None, work: Callable[..., None], *arguments: object) -> None:
    """Run a function on one core, if there is one for it."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    work(*arguments)


def prepare_folder(folder: Path) -> tuple[Settings, str]:
    """Create a data folder whose owner may have any number of connections; return the settings and the owner's key."""
    folder.mkdir()
    settings = Settings(data=folder, stream_port=free_port(), operator_port=0, fetch=False)
    bootstrap = Bootstrap(settings, utc_now)
    bootstrap.prepare(lambda _count: None)
    text = (folder / "plans.toml").read_text().replace("stream_connections = 1_000\n", "stream_connections = 100_000\n")
    (folder / "plans.toml").write_text(text)
    bootstrap.reload_plans()
    key = bootstrap.create_owner()
    bootstrap.close()
    return settings, key or ""


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK_SECONDS


def seconds_waited(pid: int) -> float:
    """Return how long a process was ready to run while others used its core, in seconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def memory_used(pid: int) -> float:
    """Return the resident memory of a process, in KB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def run_benchmark(
    settings: Settings, key: str, connections: int, slow: int, seconds: float, core: int | None
) -> Measured:
    """Connect clients, `slow` of them slow ones, and measure for some seconds; several processes are added up."""
    spawn = multiprocessing.get_context("spawn")
    me = os.getpid()
    publisher = spawn.Process(target=pinned, args=(core, publish, settings.data, me))
    numbers = range(settings.stream_workers)
    servers = [
        spawn.Process(target=pinned, args=(core, partial(stream, number=each), settings, me)) for each in numbers
    ]
    for process in (publisher, *servers):
        process.start()
    try:
        coins = [f"{coin}USD" for coin in list(COINS)[:PAIRS]]
        clients = StreamClients(settings.host, settings.stream_port, key)
        clients.await_server()
        time.sleep(2)
        pids = [server.pid for server in servers]
        before = sum(map(memory_used, pids))
        selections = [random.sample(coins, 5) for _ in range(connections)]
        clients.connect(selections, slow)
        clients.receive_for(3)
        clients.reset()
        at, spent, own_seconds, others = (
            time.monotonic(),
            sum(map(cpu_seconds, pids)),
            time.process_time(),
            sum(map(seconds_waited, pids)),
        )
        clients.receive_for(seconds)
        elapsed, spent = time.monotonic() - at, sum(map(cpu_seconds, pids)) - spent
        own_seconds = time.process_time() - own_seconds
        ages = sorted(clients.ages)
        return Measured(
            connections,
            slow,
            clients.frames / elapsed,
            ages[len(ages) // 2],
            ages[int(len(ages) * 0.99)],
            ages[-1],
            spent / elapsed,
            (sum(map(seconds_waited, pids)) - others) / elapsed,
            own_seconds / elapsed,
            (sum(map(memory_used, pids)) - before) / connections,
        )
    finally:
        for process in (publisher, *servers):
            os.kill(process.pid, signal.SIGKILL)
            process.join()


def row(one: Measured) -> str:
    """Return a run as a line of the table."""
    return (
        f"{one.connections:>11,} {one.slow:>6,} {one.frames:>10,.0f}"
        f" {one.p50:>9.1f} {one.p99:>9.1f} {one.longest:>9.1f}"
        f" {one.share:>10.0%} {one.others:>9.0%} {one.clients:>9.0%} {one.kilobytes:>9.1f}"
    )


def main() -> int:
    """Measure with each number of connections, without and with slow clients."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, nargs="+", default=[1_000, 5_000, 10_000])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--processes", type=int, default=1, help="processes of the stream, which share the port")
    parser.add_argument("--slow", type=float, nargs="+", default=[0, 0.1])
    arguments = parser.parse_args()
    core = SERVER_CORE if can_pin() else None
    if core is not None:
        os.sched_setaffinity(0, {CLIENT_CORE})
    print("connections   slow   frames/s    p50 ms    p99 ms    max ms   of a core    others   clients   KB each")
    with tempfile.TemporaryDirectory() as folder:
        settings, key = prepare_folder(Path(folder) / "data")
        settings = msgspec.structs.replace(settings, stream_workers=arguments.processes)
        for connections in arguments.connections:
            for part in arguments.slow:
                one = run_benchmark(settings, key, connections, int(connections * part), arguments.seconds, core)
                print(row(one), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

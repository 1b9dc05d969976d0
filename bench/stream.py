"""The stream under load: one process on one core, many connections, each with pairs that change ten times a second.

How long a price takes from the book to a client's socket, what the process uses, and what slow readers do to the rest.
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
from pathlib import Path

from cambist.admin.bootstrap import Bootstrap
from cambist.api.worker_state import utc_now
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.processes.stream import stream
from cambist.reference.assets import COINS
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from processes import CLIENT_CORE, SERVER_CORE, can_pin, free_port
from readers import Readers

BOOKS_A_SECOND = 10
PAIRS = 50
TICK_SECONDS = os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """One run."""

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
    """Publish a book ten times a second in which every pair is new, with the moment of publishing as its time."""
    book_file, coins, version = RateBookFile(folder), list(COINS)[:PAIRS], 1_000_000
    due = time.monotonic()
    while os.getppid() == supervisor:
        due += 1 / BOOKS_A_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
        version += 1
        book_file.publish(book(coins, version))


def book(coins: list[str], version: int) -> RateBook:
    """Make a book of this moment."""
    now, origin = datetime.now(UTC), Origin(Derivation.PUBLISHED, ("bench",), pace=Pace.REALTIME)
    quotes = {}
    for coin in coins:
        bid = Fraction(random.randrange(10**9, 2 * 10**9), 10**5)  # noqa: S311
        quotes[coin] = Quote(Pair(coin, PIVOT), bid, bid + Fraction(1, 100), now, now, origin)
    pairs = {quote.pair: quote for quote in quotes.values()}
    return RateBook(version, now, quotes, (PIVOT,), pairs, frozenset(pairs))


def pinned(core: int | None, work: Callable[..., None], *arguments: object) -> None:
    """Do some work on one core, where there is one for it."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    work(*arguments)


def prepared(folder: Path) -> tuple[Settings, str]:
    """Make a data folder with an owner whose plan knows no bounds; give it with the owner's key."""
    folder.mkdir()
    settings = Settings(data=folder, stream_port=free_port(), operator_port=0, fetch=False)
    keeper = Bootstrap(settings, utc_now)
    keeper.prepare(lambda _count: None)
    text = (folder / "plans.toml").read_text().replace("stream_connections = 1_000\n", "stream_connections = 100_000\n")
    (folder / "plans.toml").write_text(text)
    keeper.reload_plans()
    key = keeper.create_owner()
    keeper.close()
    return settings, key or ""


def used(pid: int) -> float:
    """Give the processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK_SECONDS


def waited(pid: int) -> float:
    """Give for how long a process could have worked while its core worked for others, in seconds."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def held(pid: int) -> float:
    """Give what a process holds, in KB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def measured(settings: Settings, key: str, connections: int, slow: int, seconds: float, core: int | None) -> Measured:
    """Connect so many readers, of whom some are slow, and measure for so long."""
    spawn = multiprocessing.get_context("spawn")
    me = os.getpid()
    publisher = spawn.Process(target=pinned, args=(core, publish, settings.data, me))
    server = spawn.Process(target=pinned, args=(core, stream, settings, me))
    publisher.start()
    server.start()
    try:
        coins = [f"{coin}USD" for coin in list(COINS)[:PAIRS]]
        readers = Readers(settings.host, settings.stream_port, key)
        readers.await_server()
        time.sleep(2)
        before = held(server.pid)
        chosen = [random.sample(coins, 5) for _ in range(connections)]
        readers.connect(chosen, slow)
        readers.read_for(3)
        readers.forget()
        at, spent, mine, others = time.monotonic(), used(server.pid), time.process_time(), waited(server.pid)
        readers.read_for(seconds)
        elapsed, spent = time.monotonic() - at, used(server.pid) - spent
        mine = time.process_time() - mine
        ages = sorted(readers.ages)
        return Measured(
            connections,
            slow,
            readers.frames / elapsed,
            ages[len(ages) // 2],
            ages[int(len(ages) * 0.99)],
            ages[-1],
            spent / elapsed,
            (waited(server.pid) - others) / elapsed,
            mine / elapsed,
            (held(server.pid) - before) / connections,
        )
    finally:
        for process in (publisher, server):
            os.kill(process.pid, signal.SIGKILL)
            process.join()


def row(one: Measured) -> str:
    """Write a run as a line of the table."""
    return (
        f"{one.connections:>11,} {one.slow:>6,} {one.frames:>10,.0f}"
        f" {one.p50:>9.1f} {one.p99:>9.1f} {one.longest:>9.1f}"
        f" {one.share:>10.0%} {one.others:>9.0%} {one.clients:>9.0%} {one.kilobytes:>9.1f}"
    )


def main() -> int:
    """Measure at every number of connections, without and with slow readers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, nargs="+", default=[1_000, 5_000, 10_000])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--slow", type=float, nargs="+", default=[0, 0.1])
    given = parser.parse_args()
    core = SERVER_CORE if can_pin() else None
    if core is not None:
        os.sched_setaffinity(0, {CLIENT_CORE})
    print("connections   slow   frames/s    p50 ms    p99 ms    max ms   of a core    others   clients   KB each")
    with tempfile.TemporaryDirectory() as folder:
        settings, key = prepared(Path(folder) / "data")
        for connections in given.connections:
            for part in given.slow:
                one = measured(settings, key, connections, int(connections * part), given.seconds, core)
                print(row(one), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

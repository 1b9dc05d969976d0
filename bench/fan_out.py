"""How much Redis sends to each of several nodes, and how old a rate book is when a node has it.

    make bench-fan-out NODES=3,10,30,100

The book has 170 currencies, 1,500 coins and their pairs; ten times a second a fifth of its prices change. One process
publishes, and the links of all nodes run in another, which checks and writes every book as a node does: with many of
them its core is the limit. Redis is a third.
"""

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from rich.console import Console
from rich.table import Table
from tools.cluster.servers import Redis

from cambist.cluster.book_relay import BookRelay
from cambist.cluster.redis_connection import RedisConnection
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_book.transfer import pack_book
from cambist.storage.shared.rate_book_file import RateBookFile
from load import percentile
from moving_book import BOOKS_A_SECOND, MovingBook

SECONDS, WARM_UP, PATIENCE = 10.0, 3.0, 60.0
LEADER, EPOCH = "node0", 1
BYTES_TARGET, P99_TARGET = 5e6, 0.25
_MB = 1e6


def publish(folder: Path) -> None:
    """Publish into a leader's folder as its ingest process does, until this process is ended."""
    file, books = RateBookFile(DataDirectory(folder).candidates), MovingBook(datetime.now(UTC))
    due = time.monotonic()
    while True:
        file.publish(books.next(datetime.now(UTC)), EPOCH)
        due += 1 / BOOKS_A_SECOND
        time.sleep(max(0.0, due - time.monotonic()))


class Node:
    """A data folder with its link; `lags` are the seconds that each of its books took."""

    def __init__(self, path: Path, url: str) -> None:
        path.mkdir()
        self.redis = RedisConnection(url)
        self.books = BookRelay(DataDirectory(path), self.redis)
        self.lags: list[float] = []
        self.first = asyncio.Event()
        self._order = self.books.order

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Node"]:
        """Run the link while the context lasts."""
        tasks = [asyncio.create_task(part) for part in (self.redis.run(), self.books.run(), self._watch())]
        try:
            yield self
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(0.01)
            if self.books.order != self._order and self.books.lag is not None:
                self._order = self.books.order
                self.lags.append(self.books.lag)
                self.first.set()


def sent_bytes(redis: Redis) -> int:
    """Return how many bytes Redis has sent so far."""
    stats = redis.ask(b"INFO stats\r\n").decode()
    return int(stats.partition("total_net_output_bytes:")[2].split()[0])


async def measure(folder: Path, redis: Redis, nodes: int) -> tuple[float, float, float, float, float]:
    """Return bytes and books a second of a node, the median and 99th percentile of lags, and the bytes of a book."""
    async with AsyncExitStack() as stack:
        made = [Node(folder / f"node{number}", redis.url) for number in range(nodes)]
        for node in made:
            await stack.enter_async_context(node.running())
        publisher = multiprocessing.get_context("spawn").Process(target=publish, args=(folder / LEADER,), daemon=True)
        publisher.start()
        stack.callback(publisher.kill)
        await asyncio.wait_for(made[-1].first.wait(), PATIENCE)
        await asyncio.sleep(WARM_UP)
        for node in made:
            node.lags.clear()
        before, began = await asyncio.to_thread(sent_bytes, redis), time.monotonic()
        await asyncio.sleep(SECONDS)
        spent = time.monotonic() - began
        sent = await asyncio.to_thread(sent_bytes, redis) - before
        lags = [lag for node in made for lag in node.lags]
        book = RateBookFile(folder / LEADER).encoded()
        size = len(pack_book(book)) if book else 0
    return sent / nodes / spent, len(lags) / nodes / spent, percentile(lags, 50), percentile(lags, 99), size


def main() -> None:
    """Measure each number of nodes, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="3,10,30,100", help="numbers of nodes (default: %(default)s)")
    table, console = Table(title="Fan-out of the rate book", box=None), Console()
    for column in ("nodes", "a whole book", "to each node", "books a second", "p50", "p99", "goals"):
        table.add_column(column, justify="right")
    for nodes in map(int, parser.parse_args().nodes.split(",")):
        with console.status(f"{nodes} nodes"), tempfile.TemporaryDirectory(dir=shared_memory()) as name:
            redis = Redis(Path(name) / "redis", "127.0.0.1")
            try:
                sent, books, median, slow, size = asyncio.run(measure(Path(name), redis, nodes))
            finally:
                redis.kill()
        verdict = "reached" if sent < BYTES_TARGET and slow < P99_TARGET else "not reached"
        table.add_row(
            *(str(nodes), f"{size / 1000:.0f} KB", f"{sent / _MB:.2f} MB/s", f"{books:.1f}"),
            *(f"{median * 1000:.0f} ms", f"{slow * 1000:.0f} ms", verdict),
        )
    console.print(table)


def shared_memory() -> str | None:
    """Return a folder in memory, if the machine has one: many nodes would share one disk here and have their own."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108


if __name__ == "__main__":
    main()

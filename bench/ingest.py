"""Measure the time from a tick to its rate book, and whether memory stays constant.

The ingest process has one core; the venue and the reader share another. The venue writes the time of sending into each
tick. The reader polls for new books as a worker does, and records the age of each price that has changed.
"""

import argparse
import gc
import json
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.clock import utc_now
from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.processes.process import tune_gc
from cambist.registry.sources.source_adapters import adapters
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from processes import CLIENT_CORE, can_pin, free_port, running
from simulated_venue import symbols

POLL_SECONDS = 0.01
LIMITS = {5_000: 110, 20_000: 150}
"""How many milliseconds a price may take from tick to reader, at the 99th percentile, by ticks a second."""
OTHER_LIMIT = 150
HERE = Path(__file__).parent


def resident(process: int | str) -> float:
    """Return the resident memory of a process, in MB."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def receive_for(folder: Path, seconds: float, pid: int) -> tuple[list[float], int, list[float]]:
    """Read every book; return the age of each price when it was first read, the number of books, and memory in MB."""
    tune_gc()  # as a worker does
    book_file, ages, books, memory_used = RateBookFile(folder), [], 0, []
    seen, before, end = book_file.changes.version(Topic.BOOK), [], time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(POLL_SECONDS)
        if book_file.changes.version(Topic.BOOK) == seen:
            continue
        seen = book_file.changes.version(Topic.BOOK)
        columns = book_file.current().columns
        now, times = time.time(), columns.as_of.tolist()
        slots = columns.names.pairs.values()
        ages += [now - times[slot] / 1e6 for slot in slots if slot >= len(before) or times[slot] != before[slot]]
        before, books = times, books + 1
        memory_used.append(resident(pid))
    return ages, books, memory_used


def measure_latency(folder: Path, rate: int, coins: int, seconds: float) -> dict[str, float]:
    """Measure the time from when a tick is sent to when its price is read."""
    port, pinned = free_port(), can_pin()
    bootstrap = Bootstrap(Settings(data=folder), utc_now)
    bootstrap.prepare(lambda _count: None)
    bootstrap.close()
    venue_command = [
        sys.executable,
        str(HERE / "simulated_venue.py"),
        "--port",
        str(port),
        "--coins",
        str(coins),
        "--rate",
        str(rate),
    ]
    pin = ["taskset", "-c", str(CLIENT_CORE)] if pinned else []
    ingest_command = [sys.executable, str(HERE / "ingest_process.py"), str(folder), f"http://127.0.0.1:{port}"]
    with (
        subprocess.Popen([*pin, *venue_command]) as venue,
        running(ingest_command, folder / "log", pinned=pinned) as ingest_process,
    ):
        try:
            receive_for(folder, 12, ingest_process.pid)  # warm up: the list of pairs, the first books, the caches
            ages, books, memory_used = receive_for(folder, seconds, ingest_process.pid)
        finally:
            venue.terminate()
    ages.sort()
    if not ages:
        raise SystemExit(f"no price came: {(folder / 'log').read_text()}")
    return {
        "ticks a second": rate,
        "pairs": len(symbols(coins)),
        "prices seen": len(ages),
        "books a second": round(books / seconds, 1),
        "p50 ms": round(ages[len(ages) // 2] * 1000, 1),
        "p99 ms": round(ages[int(len(ages) * 0.99)] * 1000, 1),
        "worst ms": round(ages[-1] * 1000, 1),
        "MB at first": round(memory_used[0], 1),
        "MB at last": round(memory_used[-1], 1),
    }


def measure_memory(folder: Path, coins: int, book_count: int, ticks: int) -> dict[str, float]:
    """Simulate an hour, and compare memory after a tenth of it and at the end."""
    sources = {key: adapter.source for key, adapter in adapters().items()}
    pipeline, book_file = PricePipeline(sources), RateBookFile(folder)
    names, venues = [Pair(*name.split("/")) for name in symbols(coins)], ("kraken", "okx", "binance")
    moment, chance, memory_used = datetime.now(UTC), random.Random(1), []  # noqa: S311  nothing secret
    for number in range(book_count):
        moment += timedelta(hours=1) / book_count
        for _ in range(ticks // book_count):
            bid = Decimal(chance.randrange(1_000_000, 1_001_000)) / 1_000_000
            tick = Tick(chance.choice(venues), chance.choice(names), bid, bid + Decimal("0.0001"), moment)
            pipeline.apply_tick(tick, moment)
        book = pipeline.rate_books.build(moment)
        if book is not None:
            book_file.publish(book)
        if number in (book_count // 10, book_count - 1):
            gc.collect()
            memory_used.append(resident("self"))
    return {
        "ticks": ticks,
        "books": book_count,
        "MB after a tenth": round(memory_used[0], 1),
        "MB at the end": round(memory_used[1], 1),
    }


def main() -> None:
    """Measure, and print the figures and whether the limit was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, nargs="+", default=[*LIMITS], help="ticks a second")
    parser.add_argument("--coins", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    found = []
    for rate in arguments.rate:
        with tempfile.TemporaryDirectory() as name:
            found.append(measure_latency(Path(name) / "data", rate, arguments.coins, arguments.seconds))
        limit = LIMITS.get(rate, OTHER_LIMIT)
        kept = "kept" if found[-1]["p99 ms"] < limit else "MISSED"
        print(f"from a tick to a reader, at most {limit} ms at the 99th percentile: {kept}")
        _print(found[-1])
    with tempfile.TemporaryDirectory() as name:
        hour = measure_memory(Path(name), arguments.coins, 1200, 600_000)
    _print(hour)
    if arguments.json:
        arguments.json.write_text(json.dumps({"latency": found, "hour": hour}, indent=1), encoding="utf-8")


def _print(figures: dict[str, float]) -> None:
    print("  " + ", ".join(f"{name} {value:,}" for name, value in figures.items()))


if __name__ == "__main__":
    main()

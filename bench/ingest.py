"""From a tick to a book: how long it takes at a given rate, and whether memory stays flat.

One core for ingest, another for the venue and for whoever reads the books. The venue writes into each tick when it
was sent; the reader looks at the board as a worker does and notes how old each price is that is new to it.
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

from cambist.admin.bootstrap import Bootstrap
from cambist.api.worker_state import utc_now
from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.processes.process import tune_gc
from cambist.registry.sources import adapters
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book_file import RateBookFile
from processes import CLIENT_CORE, can_pin, free_port, running
from venue import symbols

LOOK_EVERY = 0.01
LIMIT = 0.150
HERE = Path(__file__).parent


def resident(process: int | str) -> float:
    """Give what a process holds, in MB."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def read_for(folder: Path, seconds: float, pid: int) -> tuple[list[float], int, list[float]]:
    """Read every book for so long; give the age of each price when it was first seen, the books, and memory."""
    tune_gc()  # as a worker does
    book_file, ages, books, held = RateBookFile(folder), [], 0, []
    seen, before, end = book_file.changes.version(Topic.BOOK), {}, time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(LOOK_EVERY)
        if book_file.changes.version(Topic.BOOK) == seen:
            continue
        seen = book_file.changes.version(Topic.BOOK)
        pairs = book_file.current().pairs
        now = datetime.now(UTC)
        fresh = [quote for pair, quote in pairs.items() if before.get(pair) is not quote]
        ages += [(now - quote.as_of).total_seconds() for quote in fresh]
        before, books = dict(pairs), books + 1
        held.append(resident(pid))
    return ages, books, held


def latency(folder: Path, rate: int, coins: int, seconds: float) -> dict[str, float]:
    """Measure from a tick's sending to its price being read."""
    port, pinned = free_port(), can_pin()
    keeper = Bootstrap(Settings(data=folder), utc_now)
    keeper.prepare(lambda _count: None)
    keeper.close()
    asked = [sys.executable, str(HERE / "venue.py"), "--port", str(port), "--coins", str(coins), "--rate", str(rate)]
    pin = ["taskset", "-c", str(CLIENT_CORE)] if pinned else []
    gathering = [sys.executable, str(HERE / "gathering.py"), str(folder), f"http://127.0.0.1:{port}"]
    with subprocess.Popen([*pin, *asked]) as venue, running(gathering, folder / "log", pinned=pinned) as gatherer:
        try:
            read_for(folder, 12, gatherer.pid)  # the first list, the first books, the caches
            ages, books, held = read_for(folder, seconds, gatherer.pid)
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
        "MB at first": round(held[0], 1),
        "MB at last": round(held[-1], 1),
    }


def an_hour(folder: Path, coins: int, editions: int, ticks: int) -> dict[str, float]:
    """Play an hour by a clock of its own, and compare memory after a tenth of it and at the end."""
    sources = {key: adapter.source for key, adapter in adapters().items()}
    pipeline, book_file = PricePipeline(sources), RateBookFile(folder)
    names, venues = [Pair(*name.split("/")) for name in symbols(coins)], ("kraken", "okx", "binance")
    moment, chance, held = datetime.now(UTC), random.Random(1), []  # noqa: S311  nobody guesses it
    for edition in range(editions):
        moment += timedelta(hours=1) / editions
        for _ in range(ticks // editions):
            bid = Decimal(chance.randrange(1_000_000, 1_001_000)) / 1_000_000
            tick = Tick(chance.choice(venues), chance.choice(names), bid, bid + Decimal("0.0001"), moment)
            pipeline.apply_tick(tick, moment)
        book = pipeline.rate_books.build(moment)
        if book is not None:
            book_file.publish(book)
        if edition in (editions // 10, editions - 1):
            gc.collect()
            held.append(resident("self"))
    return {
        "ticks": ticks,
        "books": editions,
        "MB after a tenth": round(held[0], 1),
        "MB at the end": round(held[1], 1),
    }


def main() -> None:
    """Measure, print, and say whether the limit was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=5000, help="ticks a second")
    parser.add_argument("--coins", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = latency(Path(name) / "data", given.rate, given.coins, given.seconds)
        hour = an_hour(Path(name), given.coins, 1200, 600_000)
    kept = "kept" if found["p99 ms"] < LIMIT * 1000 else "MISSED"
    print(f"from a tick to a book, limit {LIMIT * 1000:.0f} ms at the 99th percentile: {kept}")
    for part in (found, hour):
        print("  " + ", ".join(f"{name} {value:,}" for name, value in part.items()))
    if given.json:
        given.json.write_text(json.dumps({"latency": found, "hour": hour}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

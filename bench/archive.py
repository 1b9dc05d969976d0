"""Measure how fast fixings are stored, and how long the rate matrix of 56 years and 200 currencies takes to build."""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
from currency_converter import CURRENCY_FILE

from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.source_history import SourceHistory
from cambist.ingest.filing import Delivery, FilingContext, file_delivery
from cambist.ingest.other_sources import ComparedSources
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.tables import CURRENCIES
from cambist.sources.adapters.ecb import adapter as ecb
from cambist.sources.adapters.fed import adapter as fed
from cambist.storage.sql import SqlStore

TODAY = date(2026, 11, 20)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
CURRENCIES_BUILT = 200
BANKS = ("EUR", "GBP", "JPY", "CHF", "CAD", "NOK", "SEK", "PLN", "CZK", "AUD")


def show_no_progress(_count: int) -> None:
    """Show no progress."""


def fed_csv(series: str, days: int) -> bytes:
    """Return a series in the Federal Reserve's format."""
    chance = random.Random(series)  # noqa: S311  nothing secret
    lines = [f"observation_date,{series}"]
    for number in range(days):
        day = date(1971, 1, 4) + timedelta(days=number)
        if day.weekday() < 5:
            lines.append(f"{day},{100 + chance.random():.4f}")
    return ("\n".join(lines) + "\n").encode()


def deliveries() -> Iterator[tuple[object, Delivery]]:
    """Yield the ECB's file, and six series as the Federal Reserve publishes them."""
    yield ecb, Delivery(Path(CURRENCY_FILE).read_bytes(), "ecb", NOW)
    for series in ("DEXJPUS", "DEXSZUS", "DEXCAUS", "DEXDNUS", "DEXNOUS", "DEXSDUS"):
        yield fed, Delivery(fed_csv(series, 20_000), series, NOW)


def measure_archive(folder: Path) -> tuple[int, float]:
    """Store all deliveries; return how many fixings were stored, and the seconds."""
    store = SqlStore(f"sqlite:///{folder / 'archive.db'}")
    store.migrate()
    files = FilingContext(store.archive, store.quarantine, sources=ComparedSources([ecb.source, fed.source]))
    count, all_deliveries = 0, list(deliveries())
    started = time.perf_counter()
    for adapter, delivery in all_deliveries:
        filed = file_delivery(files, adapter, delivery, show_no_progress)
        count += filed.added + filed.refused if filed else 0
    seconds = time.perf_counter() - started
    store.close()
    return count, seconds


def measure_matrix_build() -> float:
    """Build the rate matrix of ten sources, each with forty currencies on every working day; return the seconds."""
    rows = np.array([row for row in range((TODAY - FIRST_DAY).days + 1) if (row + 3) % 7 < 5], np.int64)
    codes = [code for code in CURRENCIES if code != PIVOT][:CURRENCIES_BUILT]
    chance = np.random.default_rng(1)
    publications = []
    for number, anchor in enumerate(BANKS):
        of_bank = [PIVOT, *codes[number * 20 : number * 20 + 40]]
        lines = [
            PairSeries(Pair(anchor, code), rows, 1 + chance.random(len(rows))) for code in of_bank if code != anchor
        ]
        publications.append(SourceHistory(anchor, lines, anchor.lower()))
    started = time.perf_counter()
    build_rate_matrix(publications, TODAY + timedelta(days=400), "a benchmark")
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        count, seconds = measure_archive(Path(name))
    a_second = f"{count / seconds:,.0f} a second"
    print(f"archive: {count:,} fixings parsed, validated and stored in {seconds:.1f} s: {a_second}")
    seconds = measure_matrix_build()
    size = f"56 years, {CURRENCIES_BUILT} currencies, {len(BANKS)} sources"
    print(f"rate matrix: {size}, built in {seconds:.1f} s, limit 5 s")


if __name__ == "__main__":
    main()

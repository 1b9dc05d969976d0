"""Measure how fast fixings are stored, and how long the rate matrix of 56 years and 200 currencies takes to build."""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median

import numpy as np
from currency_converter import CURRENCY_FILE

from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.judging import Judging
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.rule_set import RuleSet, SourceRule
from cambist.history.source_history import SourceHistory
from cambist.ingest.filing import Delivery, file_delivery
from cambist.ingest.snapshot_builder import judging_of
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.currency_tables import CURRENCIES
from cambist.sources.adapters.ecb import adapter as ecb
from cambist.sources.adapters.fed import adapter as fed
from cambist.storage.sql import SqlStore

TODAY = date(2026, 11, 20)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
CURRENCIES_BUILT = 200
SOURCES_BESIDE, CODES_DELIVERED, DAYS_BEFORE, DELIVERIES = 100, 40, 120, 12
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
    """Store all deliveries and judge them; return how many fixings were stored, and the seconds."""
    store = SqlStore(f"sqlite:///{folder / 'archive.db'}")
    store.migrate()
    count, all_deliveries = 0, list(deliveries())
    started = time.perf_counter()
    for adapter, delivery in all_deliveries:
        filed = file_delivery(store.archive, adapter, delivery, show_no_progress)
        count += filed.added if filed else 0
    judging_of(store, [ecb.source, fed.source]).update()
    seconds = time.perf_counter() - started
    store.close()
    return count, seconds


def measure_delivery(folder: Path, *, jumps: bool) -> tuple[float, float]:
    """Judge deliveries of 40 codes beside 99 other sources; return the seconds of filing and of judging, in the median.

    With `jumps`, each of its rates is far from those of the others.
    """
    store = SqlStore(f"sqlite:///{folder / f'deliveries-{jumps}.db'}")
    store.migrate()
    keys = [f"s{number}" for number in range(SOURCES_BESIDE)]
    codes = [code for code in sorted(CURRENCIES) if code != PIVOT and CURRENCIES[code].lives_on(TODAY)][
        :CODES_DELIVERED
    ]
    chance, deliveries = random.Random(5), 0  # noqa: S311  nothing secret
    levels = {code: 10 ** chance.uniform(-0.5, 3) for code in codes}

    def said(key: str, day: date, codes: list[str], factor: float = 1.0) -> Iterator[Fixing]:
        for code in codes:
            value = round(levels[code] * factor * (1 + chance.gauss(0, 0.0004)), 6)
            yield Fixing(key, Pair(PIVOT, code), day, Decimal(str(value)))

    days = [TODAY - timedelta(days=number) for number in range(DAYS_BEFORE, 0, -1)]
    for key in keys:
        deliveries += 1
        fixings = [fixing for day in days for fixing in said(key, day, codes)]
        store.archive.file(DeliveryRecord(key, NOW, f"{deliveries}", "d"), fixings)
    rules = tuple(SourceRule(key, PIVOT, "", True, "UTC", "12:00:00") for key in keys)
    judging = Judging(store.archive, store.verdicts, RuleSet(1, rules, {}))
    judging.update()
    filing, judged = [], []
    for key in keys[:DELIVERIES]:
        deliveries += 1
        started = time.perf_counter()
        fixings = list(said(key, TODAY, codes, 1.2 if jumps else 1.0))
        filed = store.archive.file(DeliveryRecord(key, NOW, f"{deliveries}", "d"), fixings)
        filing.append(time.perf_counter() - started)
        judging.note_filed(filed.delivery, TODAY, TODAY)
        started = time.perf_counter()
        judging.update()
        judged.append(time.perf_counter() - started)
    store.close()
    return median(filing), median(judged)


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
        agreed, contested = (measure_delivery(Path(name), jumps=jumps) for jumps in (False, True))
    a_second = f"{count / seconds:,.0f} a second"
    print(f"archive: {count:,} fixings parsed, stored and judged in {seconds:.1f} s: {a_second}")
    about = f"{CODES_DELIVERED} codes beside {SOURCES_BESIDE - 1} other sources"
    for name, (filing, judged) in (("agrees", agreed), ("jumps", contested)):
        print(f"delivery that {name}: {about}, filed in {filing * 1000:.1f} ms, judged in {judged * 1000:.1f} ms")
    seconds = measure_matrix_build()
    size = f"56 years, {CURRENCIES_BUILT} currencies, {len(BANKS)} sources"
    print(f"rate matrix: {size}, built in {seconds:.1f} s, limit 5 s")


if __name__ == "__main__":
    main()

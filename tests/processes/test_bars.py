"""Bars from end to end: the ingest process, the file of open bars, the sandbox, the API worker."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.processes.archive_double import ArchiveHere

from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.api.answer.request_context import RequestContext
from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Bar, BarReader, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.processes import archive_worker as archive_worker_module
from cambist.processes.api_worker import ApiWorker
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.ingestor import Ingestor
from cambist.processes.sandbox_market import SandboxMarket
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.registry.archiving.open_bars import read_open_bars, write_open_bars
from cambist.registry.sandbox.sandbox_snapshots import SandboxSnapshots, faults_file
from cambist.registry.wiring.components import bar_reader
from cambist.sandbox.faults import Faults
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday
CLOSES = NOON + timedelta(hours=10)
SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
EURUSD, EURJPY = Pair("EUR", "USD"), Pair("EUR", "JPY")
ALL_MINUTES = EURUSD, Interval.MINUTE, None, None, 9


def tick(price: str, source: str = "kraken") -> Tick:
    return Tick(source, EURUSD, Decimal(price), Decimal(price))


def bar(start: datetime, interval: Interval = Interval.MINUTE, price: str = "1.5") -> PairBar:
    side = Ohlc(*[Decimal(price)] * 4)
    return PairBar(EURUSD, interval, Bar(start, side, side))


def starts(settings: Settings, interval: Interval = Interval.MINUTE, pair: Pair = EURUSD) -> list[datetime]:
    return [each.start for each in page(settings, interval, pair)]


def page(settings: Settings, interval: Interval = Interval.MINUTE, pair: Pair = EURUSD) -> list[Bar]:
    store = SqlStore(settings.database_url)
    bars = store.bars.newest_bars(pair, interval, None, None, 1000)
    store.close()
    return bars[::-1]


# The file of the bars that form


def test_open_bars_are_continued_after_a_restart(tmp_path: Path) -> None:
    folding = BarAggregator()
    folding.add(tick("1.5"), NOON, NOON)
    write_open_bars(tmp_path / "bars.open", folding.to_bytes())
    assert read_open_bars(tmp_path / "bars.open").completed(NOON + MINUTE) == [bar(NOON)]


def test_without_the_file_bars_start_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert read_open_bars(tmp_path / "bars.open").to_bytes() == b"[]"
    assert caplog.records == []


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"{}", b'[["EUR"]]'])
def test_after_a_damaged_file_bars_start_again_with_a_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (tmp_path / "bars.open").write_bytes(content)
    assert read_open_bars(tmp_path / "bars.open").to_bytes() == b"[]"
    assert [(record.levelname, "is damaged" in record.message) for record in caplog.records] == [("ERROR", True)]


def test_after_an_unreadable_file_bars_start_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "bars.open").mkdir()
    assert read_open_bars(tmp_path / "bars.open").to_bytes() == b"[]"
    assert "cannot be read" in caplog.records[0].message


KILLED = """
import asyncio, sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from cambist.registry.wiring.components import bar_reader
from cambist.registry.archiving.open_bars import read_open_bars, write_open_bars
from cambist.ingest.bar_writer import BarWriter
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick

path = Path(sys.argv[1])
folding = read_open_bars(path)

async def none(*_): return 0

def save(content):
    write_open_bars(path, content)
    return True

async def run():
    now = lambda: datetime(2026, 3, 6, 12, tzinfo=UTC)
    task = asyncio.create_task(BarWriter(folding, save, none, none, timedelta(days=1), now).run())
    for count in range(100_000):
        price = Decimal(count + 1)
        folding.add(Tick("a", Pair("EUR", "USD"), price, price), now(), now())
        print(count + 1, flush=True)
        await asyncio.sleep(0.01)

asyncio.run(run())
"""


@pytest.mark.long
def test_a_killed_process_loses_a_second_of_ticks_at_most(tmp_path: Path) -> None:
    path = tmp_path / "bars.open"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(2.5)
    process.send_signal(signal.SIGKILL)
    *_, last = process.stdout.read().split()
    process.wait()
    process.stdout.close()
    (minute, *_) = read_open_bars(path).completed(datetime(2026, 3, 7, 12, tzinfo=UTC))
    assert 1 < int(last) - 130 <= minute.bar.bid.c <= int(last)


# The ingest process


@pytest.fixture
def live(tmp_path: Path) -> Settings:
    settings = Settings(data=tmp_path, minute_bars_for=timedelta(days=30))
    store = SqlStore(settings.database_url)
    store.migrate()
    store.close()
    return settings


def test_the_ingestor_aggregates_ticks_and_saves_archives_and_removes_bars(
    live: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, now = SqlStore(live.database_url), datetime.now(UTC)
    minute = now.replace(second=0, microsecond=0) - 5 * MINUTE
    store.bars.file([bar(minute - timedelta(days=31)), bar(minute - timedelta(days=29))])
    store.close()
    monkeypatch.setattr("cambist.processes.ingestor.is_open", lambda _pair, _now: True)
    ingestor = Ingestor(live, {})
    ingestor._archive.archive_worker.close()
    monkeypatch.setattr(ingestor._archive, "archive_worker", ArchiveHere(live))
    earlier = minute + 30 * SECOND
    ingestor._bar_clock.elapsed = earlier.timestamp
    assert ingestor._pipeline.apply_tick(tick("1.25"), earlier) is None
    ingestor._bar_clock.elapsed = lambda: datetime.now(UTC).timestamp()
    assert ingestor._pipeline.apply_tick(tick("1.26"), now) is None

    async def scene() -> None:
        task = asyncio.create_task(ingestor._write_bars())
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(scene())
    bars = page(live)
    assert [each.start for each in bars][:2] == [minute - timedelta(days=29), minute]
    assert bars[1].bid == Ohlc(*[Decimal("1.25")] * 4)
    following = Ingestor(live, {})
    following._archive.archive_worker.close()
    still = {
        (each.interval, each.bar.start): each.bar.bid.c for each in following._bar_aggregator.completed(now + 48 * HOUR)
    }
    assert still[Interval.MINUTE, now.replace(second=0, microsecond=0)] == Decimal("1.26")
    assert still[Interval.DAY, now.replace(hour=0, minute=0, second=0, microsecond=0)] == Decimal("1.26")


@pytest.mark.long
def test_the_archive_worker_stores_and_removes_bars(live: Settings) -> None:
    archive_worker = ArchiveWorker(live)

    async def scene() -> int:
        await archive_worker.call(ArchiveTasks.file_bars, [bar(NOON), bar(NOON + MINUTE), bar(NOON, Interval.HOUR)])
        return await archive_worker.call(ArchiveTasks.forget_bars, Interval.MINUTE, NOON + MINUTE)

    try:
        assert asyncio.run(scene()) == 1
    finally:
        archive_worker.close()
    assert starts(live) == [NOON + MINUTE]
    assert starts(live, Interval.HOUR) == [NOON]
    assert archive_worker_module._archives == []


# The sandbox


@pytest.fixture(scope="module")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sandbox after its first start on Friday at noon; every test gets a copy."""
    settings = Settings(data=tmp_path_factory.mktemp("first") / "data", sandbox=True)
    bootstrap = Bootstrap(settings, lambda: NOON)
    bootstrap.prepare(lambda _: None)
    bootstrap.create_owner()
    bootstrap.close()
    bootstrap._folder.release()
    return settings.data


@pytest.fixture
def settings(tmp_path: Path, first_start: Path) -> Settings:
    """A sandbox after its first start on Friday at noon."""
    return Settings(data=shutil.copytree(first_start, tmp_path / "data"), sandbox=True)


@pytest.fixture
def snapshots(settings: Settings) -> SandboxSnapshots:
    return SandboxSnapshots(settings)


def simulated(settings: Settings, now: datetime) -> BarReader:
    store = SqlStore(settings.database_url)
    try:
        return bar_reader(settings, store, lambda: now)
    finally:
        store.close()


@pytest.mark.long
def test_a_sandbox_has_bars_of_what_its_books_show(settings: Settings, snapshots: SandboxSnapshots) -> None:
    books, book = [], None
    for tick_number in range(2 * 120):
        # It does not publish exactly at the tick, and one book of a tick is like another.
        book = snapshots.simulate_book(tick_number + 1, NOON + tick_number * SECOND / 2 + SECOND / 7, book)
        books.append((book.quotes["EUR"], book.quotes["JPY"], book.pairs[EURJPY]))
    reader = simulated(settings, NOON + 2 * MINUTE)
    for place, pair in enumerate((EURUSD, Pair("USD", "JPY"), EURJPY)):
        second, first = reader.newest_bars(pair, Interval.MINUTE, NOON, None, 100)
        assert (first.start, second.start) == (NOON, NOON + MINUTE)
        for each, quotes in ((first, books[:120]), (second, books[120:])):
            bids, asks = [quote[place].bid for quote in quotes], [quote[place].ask for quote in quotes]
            assert (each.bid.o, each.bid.h, each.bid.l, each.bid.c) == (bids[0], max(bids), min(bids), bids[-1])
            assert (each.ask.o, each.ask.h, each.ask.l, each.ask.c) == (asks[0], max(asks), min(asks), asks[-1])
            assert max(bids) > bids[0] or min(bids) < bids[0]


@pytest.mark.long
def test_every_published_pair_of_currencies_has_bars_and_no_other(
    settings: Settings, snapshots: SandboxSnapshots
) -> None:
    book = snapshots.simulate_book(1, NOON)
    published = [quote for quote in (*book.quotes.values(), *book.pairs.values()) if not quote.origin.legs]
    pairs = {quote.pair for quote in published if {quote.pair.base, quote.pair.quote} <= CURRENCIES.keys()}
    reader = simulated(settings, NOON)
    with_bars = {
        pair
        for pair in reader.first_starts(Interval.HOUR)
        if reader.newest_bars(pair, Interval.HOUR, NOON - HOUR, None, 9)
    }
    assert with_bars == pairs
    assert {EURUSD, EURJPY, Pair("USD", "JPY")} <= pairs
    assert Pair("USD", "AED") not in pairs  # law fixes it, nobody quotes it
    assert Pair("AED", "USD") not in pairs


@pytest.mark.long
def test_while_the_market_is_closed_a_sandbox_has_no_bars(settings: Settings) -> None:
    reader = simulated(settings, CLOSES + 2 * DAY)
    newest = reader.newest_bars(EURUSD, Interval.MINUTE, CLOSES - 2 * MINUTE, None, 100)
    assert [each.start for each in newest] == [CLOSES - MINUTE, CLOSES - 2 * MINUTE]
    (opening,) = simulated(settings, CLOSES + 2 * DAY + MINUTE).newest_bars(EURUSD, Interval.MINUTE, CLOSES, None, 9)
    assert opening.start == CLOSES + 2 * DAY


@pytest.mark.long
def test_a_bar_appears_when_it_has_ended(settings: Settings) -> None:
    for now, last in ((NOON - SECOND / 100, NOON - 2 * MINUTE), (NOON, NOON - MINUTE)):
        assert simulated(settings, now).newest_bars(EURUSD, Interval.MINUTE, None, None, 1)[0].start == last
    assert simulated(settings, NOON).newest_bars(EURUSD, Interval.DAY, None, None, 1)[0].start.day == NOON.day - 1


@pytest.mark.long
def test_faults_are_not_in_bars_and_a_sandbox_stores_none(settings: Settings) -> None:
    market = SandboxMarket(settings, lambda: NOON)
    usual = simulated(settings, NOON + MINUTE).newest_bars(EURUSD, Interval.MINUTE, NOON, None, 9)
    faults_file(settings).write(Faults(outlier={"EUR": 1.5}))
    market.publish()
    market.close()
    assert simulated(settings, NOON + MINUTE).newest_bars(EURUSD, Interval.MINUTE, NOON, None, 9) == usual
    assert starts(settings) == []
    assert not (settings.data / "bars.open").exists()


def test_a_sandbox_publishes_the_prices_of_ticks(settings: Settings) -> None:
    market = SandboxMarket(settings, lambda: NOON + 0.7 * SECOND)
    market.publish()
    market.close()
    book = RateBookFile(settings.data).current()
    assert book is not None
    assert book.quotes["EUR"].as_of == NOON + SECOND / 2
    assert book.quotes["EUR"].received_at == NOON + 0.7 * SECOND


# The worker


def test_a_request_sees_the_bars_of_a_sandbox(settings: Settings) -> None:
    worker = ApiWorker(settings)
    context = RequestContext(worker._worker_state, worker._book(), NOON.timestamp())
    found = context.bars.newest_bars(EURUSD, Interval.MINUTE, NOON - MINUTE, NOON, 9)
    assert found == simulated(settings, NOON).newest_bars(EURUSD, Interval.MINUTE, NOON - MINUTE, NOON, 9)
    assert [each.start for each in found] == [NOON - MINUTE]
    assert context.bars.first_starts(Interval.DAY)[Pair("USD", "JPY")] == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_request_of_a_live_service_sees_the_stored_bars(live: Settings) -> None:
    store = SqlStore(live.database_url)
    store.bars.file([bar(NOON)])
    assert [each.start for each in bar_reader(live, store, lambda: NOON).newest_bars(*ALL_MINUTES)] == [NOON]
    store.close()

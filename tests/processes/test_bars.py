"""Bars from end to end: the ingest process, the file of open bars, the sandbox, the API worker."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.processes.archive_double import ArchiveHere

from cambist.admin.bootstrap import Bootstrap
from cambist.api.request_context import RequestContext
from cambist.errors import StoreBroken
from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.processes import archive_worker as archive_worker_module
from cambist.processes.api_worker import ApiWorker
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.ingestor import Ingestor
from cambist.processes.sandbox_market import SandboxMarket
from cambist.reference.tables import CURRENCIES
from cambist.registry.archive_tasks import ArchiveTasks
from cambist.registry.open_bars import read_open_bars, write_open_bars
from cambist.registry.sandbox_snapshots import faults_file
from cambist.sandbox.faults import Faults
from cambist.settings import Settings
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday
CLOSES = NOON + timedelta(hours=10)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
EURUSD, EURJPY = Pair("EUR", "USD"), Pair("EUR", "JPY")


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
from cambist.registry.open_bars import read_open_bars, write_open_bars
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
    ingestor._archive_worker.close()
    monkeypatch.setattr(ingestor, "_archive_worker", ArchiveHere(live))
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
    following._archive_worker.close()
    still = {
        (each.interval, each.bar.start): each.bar.bid.c for each in following._bar_aggregator.completed(now + 48 * HOUR)
    }
    assert still[Interval.MINUTE, now.replace(second=0, microsecond=0)] == Decimal("1.26")
    assert still[Interval.DAY, now.replace(hour=0, minute=0, second=0, microsecond=0)] == Decimal("1.26")


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


@dataclass
class Clock:
    """A clock that a test sets."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A sandbox after its first start on Friday at noon."""
    settings = Settings(data=tmp_path / "data", sandbox=True)
    bootstrap = Bootstrap(settings, lambda: NOON)
    bootstrap.prepare(lambda _: None)
    bootstrap.create_owner()
    bootstrap.close()
    bootstrap._folder.release()
    return settings


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def market(settings: Settings, clock: Clock) -> Iterator[SandboxMarket]:
    market = SandboxMarket(settings, clock)
    yield market
    market.close()


def written(market: SandboxMarket) -> None:
    if market._bars._writing is not None:
        market._bars._writing[0].result(20)


def play(market: SandboxMarket, clock: Clock, until: datetime, step: timedelta = 10 * SECOND) -> None:
    while clock.now < until:
        market.publish()
        written(market)
        clock.now += step
    market.publish()
    written(market)


def test_a_sandbox_has_bars_of_what_it_has_quoted(market: SandboxMarket, clock: Clock, settings: Settings) -> None:
    quoted = []
    for second in range(0, 130, 10):
        clock.now = NOON + second * SECOND
        market.publish()
        written(market)
        book = RateBookFile(settings.data).current()
        assert book is not None
        quoted.append((book.quotes["EUR"], book.pairs[EURJPY]))
    store = SqlStore(settings.database_url)
    pairs = store.bars.first_starts(Interval.MINUTE)
    store.close()
    assert {EURUSD, EURJPY, Pair("USD", "JPY")} <= pairs.keys()
    assert all({pair.base, pair.quote} <= CURRENCIES.keys() for pair in pairs)
    assert Pair("USD", "AED") not in pairs  # law fixes it, nobody quotes it
    assert Pair("AED", "USD") not in pairs
    for place, pair in enumerate((EURUSD, EURJPY)):
        first, second = page(settings, pair=pair)
        assert (first.start, second.start) == (NOON, NOON + MINUTE)
        for each, quotes in ((first, quoted[:6]), (second, quoted[6:12])):
            bids, asks = [quote[place].bid for quote in quotes], [quote[place].ask for quote in quotes]
            assert (each.bid.o, each.bid.h, each.bid.l, each.bid.c) == (bids[0], max(bids), min(bids), bids[-1])
            assert (each.ask.o, each.ask.h, each.ask.l, each.ask.c) == (asks[0], max(asks), min(asks), asks[-1])


def test_while_the_market_is_closed_a_sandbox_has_no_bars(
    market: SandboxMarket, clock: Clock, settings: Settings
) -> None:
    clock.now = CLOSES - 2 * MINUTE
    play(market, clock, CLOSES + 5 * MINUTE)
    assert starts(settings) == [CLOSES - 2 * MINUTE, CLOSES - MINUTE]


def test_a_restarted_sandbox_continues_its_bars(settings: Settings, clock: Clock) -> None:
    for _ in range(2):
        market = SandboxMarket(settings, clock)
        play(market, clock, clock.now + 20 * SECOND)
        market.close()
    market = SandboxMarket(settings, clock)
    play(market, clock, NOON + 2 * MINUTE)
    market.close()
    other = Settings(data=settings.data.parent / "other", sandbox=True)
    bootstrap = Bootstrap(other, lambda: NOON)
    bootstrap.prepare(lambda _: None)
    bootstrap.close()
    bootstrap._folder.release()
    clock.now = NOON
    market = SandboxMarket(other, clock)
    play(market, clock, NOON + 2 * MINUTE)
    market.close()
    assert page(settings)[0] == page(other)[0]


def test_a_stopped_sandbox_saves_its_open_bars(settings: Settings, clock: Clock) -> None:
    market = SandboxMarket(settings, clock)
    market.publish()
    clock.now += SECOND / 2
    market.publish()
    market.close()
    book = RateBookFile(settings.data).current()
    assert book is not None
    saved = read_open_bars(settings.data / "bars.open").completed(NOON + MINUTE)
    assert {each.pair: each.bar.bid.c for each in saved}[EURUSD] == book.quotes["EUR"].bid


def test_stale_quotes_make_no_bars(market: SandboxMarket, clock: Clock, settings: Settings) -> None:
    play(market, clock, NOON + 30 * SECOND)
    faults_file(settings).write(Faults(stale=("EUR",), since=clock.now))
    play(market, clock, NOON + 3 * MINUTE, 20 * SECOND)
    assert starts(settings) == [NOON]
    assert len(starts(settings, pair=Pair("USD", "JPY"))) == 3
    assert market._bars._aggregator.late == {}  # it is not said anew either


def test_bars_that_a_sandbox_cannot_store_are_stored_later(
    market: SandboxMarket,
    clock: Clock,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_bars: Any) -> None:
        raise StoreBroken("locked")

    def attempt(until: datetime) -> None:
        while clock.now < until:
            market.publish()
            if market._bars._writing is not None:
                market._bars._writing[0].exception(20)
            clock.now += 10 * SECOND

    attempt(NOON + 30 * SECOND)
    bars = market._bars._store.bars
    with monkeypatch.context() as patched:
        patched.setattr(bars, "file", refuse)
        attempt(NOON + 3 * MINUTE)
    assert starts(settings) == []
    play(market, clock, clock.now + MINUTE)
    assert starts(settings)[:3] == [NOON, NOON + MINUTE, NOON + 2 * MINUTE]
    said = [record.message for record in caplog.records if record.message.startswith("Bars")]
    assert said == ["Bars: they cannot be archived now, and wait: locked"]


def test_a_sandbox_removes_old_minute_bars(market: SandboxMarket, clock: Clock, settings: Settings) -> None:
    old = NOON - timedelta(days=91)
    market._bars._store.bars.file([bar(old), bar(old, Interval.HOUR), bar(NOON - timedelta(days=89))])
    play(market, clock, NOON + 10 * SECOND)
    assert starts(settings) == [NOON - timedelta(days=89)]
    assert starts(settings, Interval.HOUR) == [old]


# The worker


def test_a_request_sees_the_bars(market: SandboxMarket, clock: Clock, settings: Settings) -> None:
    market._bars._store.bars.file([bar(NOON)])
    play(market, clock, NOON)
    worker = ApiWorker(settings)
    view = RequestContext(worker._worker_state, worker._book(), NOON.timestamp())
    assert [each.start for each in view.bars.newest_bars(EURUSD, Interval.MINUTE, None, None, 9)] == [NOON]

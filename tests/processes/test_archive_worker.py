"""The archive worker: it works in a child process, and one that hangs or dies is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Coroutine, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import pytest

from cambist.clock import utc_now
from cambist.errors import SourceBroken, StoreBroken
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.history.fixing import Coverage, DeliveryRecord, FilingResult, Fixing
from cambist.history.typed_series import CLOSES
from cambist.ingest.coin_closes import CoinCloses, build_coin_closes
from cambist.ingest.filing import Delivery
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.processes import archive_worker as module
from cambist.processes.archive_worker import ArchiveWorker, ArchiveWorkerLost
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_matrix_file import open_rate_matrix
from cambist.storage.sql import SqlStore

T = TypeVar("T")
NOW = datetime(2026, 3, 7, 12, 0, tzinfo=UTC)
TODAY = NOW.date()
LATER = b"Date,USD,\n2026-03-06,1.2500,\n"


def delivery(content: bytes, origin: str = "a test") -> Delivery:
    return Delivery(content, origin, NOW)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder with an empty database."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    store.close()
    return Settings(data=tmp_path)


@pytest.fixture
def archive_worker(settings: Settings) -> Iterator[ArchiveWorker]:
    made = ArchiveWorker(settings)
    yield made
    made.close()


def process_of(archive_worker: ArchiveWorker) -> int:
    """Return the one process; there is none before the first call."""
    (process,) = archive_worker._pool._processes
    return process


def has_ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def until_ended(process: int) -> bool:
    end = time.monotonic() + 20
    while not has_ended(process) and time.monotonic() < end:
        time.sleep(0.02)
    return has_ended(process)


def run(scene: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(scene)


@pytest.mark.long
def test_it_stores_fixings_and_builds_the_rate_matrix_in_one_child_process(
    archive_worker: ArchiveWorker, settings: Settings, small_ecb: bytes
) -> None:
    async def scene() -> None:
        # Five days of a dollar, a yen and a pound, a lev on one of them and a krona on another.
        assert await archive_worker.call(ArchiveTasks.file, "ecb", delivery(small_ecb)) == FilingResult(
            added=17, corrected=0, unchanged=0
        )
        first = process_of(archive_worker)
        assert first != os.getpid()
        assert await archive_worker.call(ArchiveTasks.file, "ecb", delivery(small_ecb)) is None
        quotes = await archive_worker.call(ArchiveTasks.daily_quotes, NOW, of_all=True)
        holdings = await archive_worker.call(ArchiveTasks.summarize, "ecb")
        assert holdings.coverage == Coverage(5, date(2025, 12, 31), date(2026, 3, 6))
        assert {"EUR", "JPY", "GBP"} <= {*quotes}
        assert await archive_worker.call(ArchiveTasks.rebuild_matrix, TODAY) is True
        assert await archive_worker.call(ArchiveTasks.rebuild_matrix, TODAY) is False
        assert process_of(archive_worker) == first

    run(scene())
    matrix = open_rate_matrix(settings.data / "rates.image")
    assert matrix.cell(date(2026, 3, 6), "JPY") == pytest.approx(180 / 1.25)


@pytest.mark.long
def test_a_new_rate_matrix_is_announced_once(archive_worker: ArchiveWorker, settings: Settings) -> None:
    async def scene() -> None:
        await archive_worker.call(ArchiveTasks.file, "ecb", delivery(LATER))
        before = changes.version(Topic.MATRIX)
        await archive_worker.call(ArchiveTasks.rebuild_matrix, TODAY)
        built = changes.version(Topic.MATRIX)
        await archive_worker.call(ArchiveTasks.rebuild_matrix, TODAY)
        assert before != built == changes.version(Topic.MATRIX)

    changes = data_changes(settings.data)
    run(scene())


def test_an_error_of_a_source_is_raised_in_the_calling_process(archive_worker: ArchiveWorker) -> None:
    async def scene() -> None:
        with pytest.raises(SourceBroken, match="ECB"):
            await archive_worker.call(ArchiveTasks.file, "ecb", delivery(b"<html>"))
        first = process_of(archive_worker)
        assert await archive_worker.call(ArchiveTasks.file, "ecb", delivery(LATER)) == FilingResult(
            added=1, corrected=0, unchanged=0
        )
        assert process_of(archive_worker) == first

    run(scene())


@pytest.mark.long
def test_concurrent_calls_are_made_one_after_another(archive_worker: ArchiveWorker, settings: Settings) -> None:
    async def scene() -> list[FilingResult | None]:
        contents = [b"Date,USD,\n2026-03-0%d,1.2%d00,\n" % (day, day) for day in range(2, 7)]
        return await asyncio.gather(
            *(archive_worker.call(ArchiveTasks.file, "ecb", delivery(content, content.hex())) for content in contents)
        )

    assert [filed and filed.added for filed in run(scene())] == [1] * 5
    store = SqlStore(settings.database_url)
    assert [fixing.day.day for fixing in store.archive.fixings("ecb")] == [2, 3, 4, 5, 6]
    store.close()


@pytest.mark.long(every=2)
@pytest.mark.parametrize("at", ["while it works", "while it waits for work"])
def test_a_process_that_dies_raises_an_error_and_is_replaced(
    archive_worker: ArchiveWorker, small_ecb: bytes, at: str
) -> None:
    async def scene() -> None:
        await archive_worker.call(ArchiveTasks.summarize, "ecb")
        first = process_of(archive_worker)
        if at == "while it works":
            os.kill(first, signal.SIGSTOP)
            asyncio.get_running_loop().call_later(0.2, os.kill, first, signal.SIGKILL)
        else:
            os.kill(first, signal.SIGKILL)
            assert until_ended(first)
        with pytest.raises(StoreBroken, match="another takes over"):
            await archive_worker.call(ArchiveTasks.file, "ecb", delivery(small_ecb))
        assert await archive_worker.call(ArchiveTasks.file, "ecb", delivery(small_ecb)) == FilingResult(
            added=17, corrected=0, unchanged=0
        )
        assert process_of(archive_worker) != first

    run(scene())


@pytest.mark.long
def test_a_call_that_does_not_end_is_the_sources_fault_and_its_process_is_replaced(
    archive_worker: ArchiveWorker, small_ecb: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        await archive_worker.call(ArchiveTasks.summarize, "ecb")
        first = process_of(archive_worker)
        os.kill(first, signal.SIGSTOP)  # it looks like a call without end
        monkeypatch.setattr(module, "_DEADLINE_SECONDS", 0.3)
        with pytest.raises(ArchiveWorkerLost, match="did not end"):
            await archive_worker.call(ArchiveTasks.file, "ecb", delivery(small_ecb))
        monkeypatch.undo()
        assert until_ended(first)
        assert await archive_worker.call(ArchiveTasks.file, "ecb", delivery(small_ecb)) == FilingResult(
            added=17, corrected=0, unchanged=0
        )

    run(scene())


@pytest.mark.long
def test_close_leaves_no_process_behind(settings: Settings) -> None:
    archive_worker = ArchiveWorker(settings)
    run(archive_worker.call(ArchiveTasks.summarize, "ecb"))
    process = process_of(archive_worker)
    archive_worker.close()
    assert until_ended(process)


def test_close_does_not_wait_long_for_a_process_that_hangs(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CLOSE_SECONDS", 0.2)
    archive_worker = ArchiveWorker(settings)
    run(archive_worker.call(ArchiveTasks.summarize, "ecb"))
    process = process_of(archive_worker)
    os.kill(process, signal.SIGSTOP)
    archive_worker.close()
    assert until_ended(process)


def closes(price: int, *, at: datetime = NOW) -> list[CoinCloses]:
    """Return two coins' closes of yesterday, from different sources."""
    late = datetime(2026, 3, 6, 23, 59, tzinfo=UTC)
    quotes = {
        coin: Quote(
            Pair(coin, "USD"), Fraction(price), Fraction(price), late, late, Origin(Derivation.PUBLISHED, (source,))
        )
        for coin, source in (("BTC", "okx"), ("ETH", "kraken"))
    }
    return build_coin_closes(QuotedBook(1, late, quotes, ()), late.date(), timedelta(minutes=15), at)


@pytest.mark.long
def test_closes_are_stored_once_and_can_be_corrected(archive_worker: ArchiveWorker, settings: Settings) -> None:
    async def scene() -> list[FilingResult]:
        again, corrected = NOW + timedelta(minutes=1), NOW + timedelta(minutes=2)
        deliveries = (closes(7), closes(7), closes(7, at=again), closes(8, at=corrected))
        filed = [await archive_worker.call(ArchiveTasks.file_closes, delivery) for delivery in deliveries]
        assert process_of(archive_worker) != os.getpid()
        return filed

    first, *again, last = run(scene())
    assert first == FilingResult(added=2, corrected=0, unchanged=0)
    assert again == [FilingResult(added=0, corrected=0, unchanged=2)] * 2
    assert last == FilingResult(added=0, corrected=2, unchanged=0)
    store = SqlStore(settings.database_url)
    trail = store.archive.revisions(Pair("BTC", "USD"), date(2026, 3, 6))
    assert [(known.fixing.source, known.fixing.value, known.origin) for known in trail] == [
        (CLOSES, Decimal(7), "okx"),
        (CLOSES, Decimal(8), "okx"),
    ]
    store.close()


def bar(start: datetime) -> PairBar:
    one = Ohlc(*[Decimal("1.25")] * 4)
    return PairBar(Pair("EUR", "USD"), Interval.MINUTE, Bar(start.replace(second=0, microsecond=0), one, one))


def test_bars_that_are_stored_in_time_are_not_notified(settings: Settings) -> None:
    tasks, changes = ArchiveTasks(settings), data_changes(settings.data)
    before = changes.version(Topic.BARS)
    tasks.file_bars([bar(utc_now()), bar(utc_now() - timedelta(minutes=1))])
    assert tasks.forget_bars(Interval.MINUTE, utc_now() - timedelta(days=1)) == 0
    assert changes.version(Topic.BARS) == before


def test_bars_that_are_stored_late_and_bars_that_are_removed_are_notified(settings: Settings) -> None:
    tasks, changes = ArchiveTasks(settings), data_changes(settings.data)
    versions = [changes.version(Topic.BARS)]
    tasks.file_bars([bar(utc_now()), bar(utc_now() - timedelta(minutes=3))])
    versions.append(changes.version(Topic.BARS))
    assert tasks.forget_bars(Interval.MINUTE, utc_now() - timedelta(minutes=1)) == 1
    versions.append(changes.version(Topic.BARS))
    assert len(set(versions)) == 3


def test_corrected_closes_are_notified(settings: Settings) -> None:
    tasks, changes = ArchiveTasks(settings), data_changes(settings.data)

    def filed(price: int) -> tuple[FilingResult, int]:
        delivery = DeliveryRecord(CLOSES, NOW, "okx", str(price))
        closes = [CoinCloses(delivery, [Fixing(CLOSES, Pair("BTC", "USD"), date(2026, 3, 6), Decimal(price))])]
        return tasks.file_closes(closes), changes.version(Topic.ARCHIVE)

    before = changes.version(Topic.ARCHIVE)
    added, after_adding = filed(1)
    corrected, after_correcting = filed(2)
    assert (added.added, corrected.corrected) == (1, 1)
    assert after_adding == before != after_correcting

"""The gatherer heeds the operator's commands: what they change in the archive is taken up while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.processes.archive_double import ArchiveHere

from cambist.admin.quarantine import QuarantineAdmin
from cambist.history.coin_closes import CLOSES
from cambist.history.fixing import Fixing, Receipt, RefusedFixing
from cambist.ingest import coin_closes as closes_module
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.processes import ingestor as module
from cambist.processes.ingestor import Ingestor
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

CAME_AT = datetime(2026, 11, 19, 16, 0, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder in whose quarantine a fixing of the ECB waits."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    one = Fixing("ecb", Pair("EUR", "USD"), CAME_AT.date(), Decimal("1.1500"))
    store.archive.file(Receipt("ecb", CAME_AT, "a test", "d"), [], [RefusedFixing(one, "odd")])
    store.close()
    return Settings(data=tmp_path)


def scene(settings: Settings, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> tuple[Any, Any]:
    """Let the gatherer heed while something is done, until it has had time to look several times."""
    monkeypatch.setattr(module, "_SOURCE_REPORTS_EVERY", 0.01)
    gatherer, archive = Ingestor(settings, {}), ArchiveHere(settings)
    gatherer._archive_worker.close()
    monkeypatch.setattr(gatherer, "_archive_worker", archive)

    async def heeding() -> None:
        task = asyncio.create_task(gatherer._heed())
        await asyncio.sleep(0.05)
        assert archive.calls == 0
        act()
        await asyncio.sleep(0.3)
        task.cancel()

    asyncio.run(heeding())
    return gatherer, archive


def test_a_decision_of_the_operator_is_taken_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def accept() -> None:
        with QuarantineAdmin(settings, lambda: CAME_AT) as admin:
            admin.accept([1])

    gatherer, _ = scene(settings, monkeypatch, accept)
    source_status = gatherer._health.by_source["ecb"]
    assert (source_status.waiting, source_status.coverage.pairs, source_status.newest is not None) == (0, 1, True)
    assert gatherer._has_filed.is_set()


def test_the_same_ring_is_heeded_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    gatherer, archive = scene(settings, monkeypatch, lambda: data_changes(settings.data).notify(Topic.ARCHIVE))
    assert gatherer._has_filed.is_set()
    assert 0 < archive.calls <= len(gatherer._adapters)


def test_other_news_is_not_heeded(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    gatherer, archive = scene(settings, monkeypatch, lambda: data_changes(settings.data).notify(Topic.PLANS))
    assert archive.calls == 0
    assert not gatherer._has_filed.is_set()


@pytest.mark.parametrize("work", ["_heed", "_close"])
def test_the_gatherer_runs_what_heeds_and_what_archives_closes(settings: Settings, work: str) -> None:
    gatherer = Ingestor(settings, {})
    gatherer._archive_worker.close()
    gatherer._asked = {}
    works = gatherer._works(None)  # type: ignore[arg-type]
    assert f"Ingestor.{work}" in [each.__qualname__ for each in works]
    for each in works:
        each.close()


def test_when_a_day_ends_what_coins_were_worth_is_archived(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    midnight = datetime(2026, 11, 22, tzinfo=UTC)
    moments = {"now": midnight - timedelta(minutes=20)}
    monkeypatch.setattr(module, "utc_now", lambda: moments["now"])
    monkeypatch.setattr(closes_module, "_LOOK_EVERY", 0.01)
    gatherer = Ingestor(settings, {})
    gatherer._archive_worker.close()
    monkeypatch.setattr(gatherer, "_archive_worker", ArchiveHere(settings))

    def hear(coin: str, mid: int, moment: datetime) -> None:
        moments["now"] = moment
        gatherer._pipeline.apply_tick(
            Tick("kraken", Pair(coin, "USD"), Decimal(mid - 1), Decimal(mid + 2), moment), moment
        )
        assert gatherer._rate_books.build(moment) is not None

    async def night() -> None:
        task = asyncio.create_task(gatherer._close())
        hear("XMR", 150, midnight - timedelta(minutes=20))
        for mid, seconds in ((60000, -2), (61000, -1), (62000, 1)):
            hear("BTC", mid, midnight + timedelta(seconds=seconds))
            await asyncio.sleep(0.1)
        task.cancel()

    asyncio.run(night())
    store = SqlStore(settings.database_url)
    (known,) = store.archive.fixings_on(CLOSES, midnight.date() - timedelta(days=1))
    assert known.fixing == Fixing(CLOSES, Pair("BTC", "USD"), date(2026, 11, 21), Decimal("61000.5"))
    assert (known.origin, known.received_at) == ("kraken", midnight + timedelta(seconds=1))
    assert store.archive.revisions(Pair("XMR", "USD"), date(2026, 11, 21)) == []
    store.close()


def test_on_a_full_disk_the_last_file_stays_and_that_is_said_once(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    gatherer, full = Ingestor(settings, {}), [True, True, False]
    gatherer._archive_worker.close()

    def write() -> None:
        if full.pop(0):
            raise OSError(28, "No space left on device")

    with caplog.at_level("INFO"):
        assert [gatherer._is_written("book", write) for _ in range(3)] == [False, False, True]
    assert [record.message for record in caplog.records] == [
        "Ingest: the book cannot be written, the last one stays: No space left on device",
        "Ingest: the book is written again",
    ]

"""The gatherer heeds the operator's commands: what they change in the archive is taken up while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cambist.app import gatherer as module
from cambist.app.archivist import Archive, Holdings
from cambist.app.gatherer import Gatherer
from cambist.app.quarantine_office import QuarantineOffice
from cambist.history.fixing import Fixing, Receipt, Refusal
from cambist.market.pair import Pair
from cambist.settings import Settings
from cambist.stores.board import FileBoard, News
from cambist.stores.sql import SqlStore

CAME_AT = datetime(2026, 11, 19, 16, 0, tzinfo=UTC)


class Desk:
    """The archivist without a process of its own."""

    def __init__(self, settings: Settings) -> None:
        self._archive = Archive(settings)
        self.asked = 0

    async def holdings(self, key: str, today: date) -> Holdings:
        self.asked += 1
        return self._archive.holdings(key, today)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder in whose quarantine a fixing of the ECB waits."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    one = Fixing("ecb", Pair("EUR", "USD"), CAME_AT.date(), Decimal("1.1500"))
    store.archive.file(Receipt("ecb", CAME_AT, "a test", "d"), [], [Refusal(one, "odd")])
    store.close()
    return Settings(data=tmp_path)


def scene(settings: Settings, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> tuple[Any, Any]:
    """Let the gatherer heed while something is done, until it has had time to look several times."""
    monkeypatch.setattr(module, "_BULLETIN_EVERY", 0.01)
    gatherer, desk = Gatherer(settings, {}), Desk(settings)
    gatherer._archivist.close()
    monkeypatch.setattr(gatherer, "_archivist", desk)

    async def heeding() -> None:
        task = asyncio.create_task(gatherer._heed())
        await asyncio.sleep(0.05)
        assert desk.asked == 0
        act()
        await asyncio.sleep(0.3)
        task.cancel()

    asyncio.run(heeding())
    return gatherer, desk


def test_a_decision_of_the_operator_is_taken_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def accept() -> None:
        with QuarantineOffice(settings, lambda: CAME_AT) as office:
            office.accept([1])

    gatherer, _ = scene(settings, monkeypatch, accept)
    pulse = gatherer._health.pulses["ecb"]
    assert (pulse.waiting, pulse.coverage.pairs, pulse.newest is not None) == (0, 1, True)
    assert gatherer._has_filed.is_set()


def test_the_same_ring_is_heeded_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    gatherer, desk = scene(settings, monkeypatch, lambda: FileBoard(settings.data).ring(News.ARCHIVE))
    assert gatherer._has_filed.is_set()
    assert 0 < desk.asked <= len(gatherer._feeds)


def test_other_news_is_not_heeded(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    gatherer, desk = scene(settings, monkeypatch, lambda: FileBoard(settings.data).ring(News.PLANS))
    assert desk.asked == 0
    assert not gatherer._has_filed.is_set()


def test_the_gatherer_runs_what_heeds(settings: Settings) -> None:
    gatherer = Gatherer(settings, {})
    gatherer._archivist.close()
    gatherer._asked = {}
    works = gatherer._works(None)  # type: ignore[arg-type]
    assert "Gatherer._heed" in [work.__qualname__ for work in works]
    for work in works:
        work.close()


def test_on_a_full_disk_the_last_file_stays_and_that_is_said_once(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    gatherer, full = Gatherer(settings, {}), [True, True, False]
    gatherer._archivist.close()

    def write() -> None:
        if full.pop(0):
            raise OSError(28, "No space left on device")

    with caplog.at_level("INFO"):
        assert [gatherer._is_written("book", write) for _ in range(3)] == [False, False, True]
    assert [record.message for record in caplog.records] == [
        "Ingest: the book cannot be written, the last one stays: No space left on device",
        "Ingest: the book is written again",
    ]

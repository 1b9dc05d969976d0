"""An outage is logged when it begins and when it ends."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from cambist.errors import StoreBroken
from cambist.ingest.rate_book_builder import RateBookBuilder
from cambist.monitoring.outages import Outages
from cambist.processes.ingestor import Ingestor
from cambist.settings import Settings
from cambist.storage.sql import SqlStore


def test_an_outage_is_logged_when_it_begins_and_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    outages = Outages()
    with caplog.at_level(logging.INFO):
        outages.end("rate matrix", "built")
        for _ in range(5):
            outages.begin("rate matrix", "built", "disk full")
        outages.begin("book", "written", "disk full")
        outages.end("rate matrix", "built")
        outages.end("rate matrix", "built")
    assert [record.getMessage() for record in caplog.records] == [
        "Ingest: the rate matrix cannot be built, the last one stays: disk full",
        "Ingest: the book cannot be written, the last one stays: disk full",
        "Ingest: the rate matrix is built again",
    ]


@pytest.fixture
def ingestor(tmp_path: Path) -> Ingestor:
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    store.close()
    return Ingestor(Settings(data=tmp_path), {})


class Failing:
    """Fails twice, and then returns a result."""

    def __init__(self, error: Exception, result: Any = None) -> None:
        self.error, self.result, self.times = error, result, 0

    def __call__(self, *_: Any) -> Any:
        self.times += 1
        if self.times < 3:
            raise self.error
        return self.result


@pytest.mark.parametrize("error", [StoreBroken("locked"), MemoryError("all"), OSError(28, "No space left on device")])
def test_a_rate_matrix_that_cannot_be_built_is_tried_again_and_logged_once(
    ingestor: Ingestor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    work = Failing(error)

    class Refusing:
        async def call(self, _method: Any, _today: Any) -> bool:
            return bool(work())

    monkeypatch.setattr(ingestor._archive, "archive_worker", Refusing())

    async def run() -> list[bool]:
        return [await ingestor._archive.rebuild_matrix() for _ in range(3)]

    with caplog.at_level(logging.INFO):
        assert asyncio.run(run()) == [False, False, True]
    assert ingestor._archive.is_matrix_due.is_set()
    lines = [record.getMessage() for record in caplog.records if "rate matrix" in record.getMessage()]
    assert lines == [
        f"Ingest: the rate matrix cannot be built, the last one stays: {error}",
        "Ingest: the rate matrix is built again",
    ]


def test_a_rate_book_that_cannot_be_built_leaves_the_last_one_and_is_logged_once(
    ingestor: Ingestor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(RateBookBuilder, "build", Failing(ZeroDivisionError("a fault"), None))
    with caplog.at_level(logging.INFO):
        assert [ingestor._publication.build_book() for _ in range(4)] == [None] * 4
    assert [record.getMessage() for record in caplog.records] == [
        "Ingest: the book cannot be built, the last one stays: a fault",
        "Ingest: the book is built again",
    ]
    assert "ZeroDivisionError" in caplog.text

"""What does not work is logged when it begins and when it ends."""

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


def test_what_goes_on_is_logged_once_and_again_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    outages = Outages()
    with caplog.at_level(logging.INFO):
        outages.end("image", "built")
        for _ in range(5):
            outages.begin("image", "built", "disk full")
        outages.begin("book", "written", "disk full")
        outages.end("image", "built")
        outages.end("image", "built")
    assert [record.getMessage() for record in caplog.records] == [
        "Ingest: the image cannot be built, the last one stays: disk full",
        "Ingest: the book cannot be written, the last one stays: disk full",
        "Ingest: the image is built again",
    ]


@pytest.fixture
def gatherer(tmp_path: Path) -> Ingestor:
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    store.close()
    return Ingestor(Settings(data=tmp_path), {})


class Failing:
    """Does its work only from the third time on."""

    def __init__(self, error: Exception, result: Any = None) -> None:
        self.error, self.result, self.times = error, result, 0

    def __call__(self, *_: Any) -> Any:
        self.times += 1
        if self.times < 3:
            raise self.error
        return self.result


@pytest.mark.parametrize("error", [StoreBroken("locked"), MemoryError("all"), OSError(28, "No space left on device")])
def test_an_image_that_cannot_be_built_is_tried_again_and_logged_once(
    gatherer: Ingestor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    work = Failing(error)

    class Refusing:
        async def call(self, _method: Any, _today: Any) -> bool:
            return bool(work())

    monkeypatch.setattr(gatherer, "_archive_worker", Refusing())

    async def scene() -> list[bool]:
        return [await gatherer._is_built() for _ in range(3)]

    with caplog.at_level(logging.INFO):
        assert asyncio.run(scene()) == [False, False, True]
    assert gatherer._has_filed.is_set()
    lines = [record.getMessage() for record in caplog.records if "image" in record.getMessage()]
    assert lines == [
        f"Ingest: the image cannot be built, the last one stays: {error}",
        "Ingest: the image is built again",
    ]


def test_a_book_that_cannot_be_made_leaves_the_last_one_and_is_logged_once(
    gatherer: Ingestor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(RateBookBuilder, "build", Failing(ZeroDivisionError("a fault"), None))
    with caplog.at_level(logging.INFO):
        assert [gatherer._edition() for _ in range(4)] == [None] * 4
    assert [record.getMessage() for record in caplog.records] == [
        "Ingest: the book cannot be made, the last one stays: a fault",
        "Ingest: the book is made again",
    ]
    assert "ZeroDivisionError" in caplog.text

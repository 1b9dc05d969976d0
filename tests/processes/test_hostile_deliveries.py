"""Deliveries of hostile sources in the real archive worker: the source fails with a reason, and the worker goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.sources.hostile import FAR

from cambist.errors import SourceBroken
from cambist.history.fixing import FilingResult
from cambist.ingest.filing import Delivery
from cambist.processes.archive_worker import ArchiveWorker
from cambist.processes.delivery_attempts import DeliveryAttempts
from cambist.registry.archiving import archive_tasks as module
from cambist.registry.archiving.archive_tasks import ArchiveTasks
from cambist.settings import Settings
from cambist.storage.sql import SqlStore

NOW = datetime(2026, 3, 7, 12, 0, tzinfo=UTC)

WORKBOOK = """
key = "hostile"
name = "A hostile source"
home = "https://hostile.example/"
terms = "https://hostile.example/terms"
licence = "none"
rate_type = "market"
first_day = 2020-01-02
fixed_at = 16:00:00

[request]
url = "https://hostile.example/rates.xlsx?from={first}&to={last}"
span = 365

[schedule]
zone = "Europe/London"
start = 16:05:00
end = 18:00:00

[rates]
anchor = "EUR"
direction = "other_per_anchor"

[day]
of = "record"
at = "Day"

[workbook]
layout = "wide"
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A folder with an empty database and a declared source of workbooks."""
    store = SqlStore(f"sqlite:///{tmp_path / 'cambist.db'}")
    store.migrate()
    store.close()
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "hostile.toml").write_text(WORKBOOK)
    return Settings(data=tmp_path)


@pytest.fixture
def archive_worker(settings: Settings) -> Iterator[ArchiveWorker]:
    made = ArchiveWorker(settings)
    yield made
    made.close()


def process_of(archive_worker: ArchiveWorker) -> int:
    (process,) = archive_worker._pool._processes
    return process


XML_BOMB = b"<gesmes:Envelope>" + b"<Cube>" * 3_000_000


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("key", "content", "reason"),
    [
        ("hostile", FAR, "lines and 16,384 columns"),
        ("ecb", XML_BOMB, "elements deep"),
        ("ecb", b"Date,USD,\n" + b"\n" * 2_000_000, "lines"),
    ],
    ids=["workbook", "XML", "lines"],
)
def test_the_source_fails_and_the_same_process_files_the_next_delivery(
    archive_worker: ArchiveWorker, small_ecb: bytes, key: str, content: bytes, reason: str
) -> None:
    async def scene() -> None:
        with pytest.raises(SourceBroken, match=reason):
            await archive_worker.call(ArchiveTasks.file, key, Delivery(content, "a test", NOW))
        first = process_of(archive_worker)
        filed = await archive_worker.call(ArchiveTasks.file, "ecb", Delivery(small_ecb, "a test", NOW))
        assert filed == FilingResult(added=17, corrected=0, unchanged=0)
        assert process_of(archive_worker) == first

    asyncio.run(scene())


def test_a_delivery_that_needs_too_much_memory_is_the_sources_fault(
    settings: Settings, small_ecb: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhaust(*_: object) -> None:
        raise MemoryError

    tasks = ArchiveTasks(settings)
    with monkeypatch.context() as patches:
        patches.setattr(module, "file_delivery", exhaust)
        with pytest.raises(SourceBroken, match="takes more memory"):
            tasks.file("ecb", Delivery(small_ecb, "a test", NOW))
    assert tasks.file("ecb", Delivery(small_ecb, "a test", NOW)) == FilingResult(added=17, corrected=0, unchanged=0)


@pytest.mark.long
def test_a_delivery_that_ends_the_worker_twice_is_not_handed_to_it_again(
    archive_worker: ArchiveWorker, small_ecb: bytes
) -> None:
    calls: list[str] = []

    async def file(key: str, delivery: Delivery) -> FilingResult | None:
        calls.append(key)
        if delivery.content == b"deadly":
            await archive_worker.call(ArchiveTasks.summarize, "ecb")
            process = process_of(archive_worker)
            os.kill(process, signal.SIGSTOP)
            asyncio.get_running_loop().call_later(0.1, os.kill, process, signal.SIGKILL)
        return await archive_worker.call(ArchiveTasks.file, key, delivery)

    async def scene() -> None:
        attempts = DeliveryAttempts(file)
        for _ in range(2):
            with pytest.raises(SourceBroken, match="the archive worker died"):
                await attempts.file("ecb", Delivery(b"deadly", "a test", NOW))
        for hours in (0, 23):
            with pytest.raises(SourceBroken, match="sent again what the archive worker could not read"):
                await attempts.file("ecb", Delivery(b"deadly", "a test", NOW + timedelta(hours=hours)))
        assert len(calls) == 2
        filed = await attempts.file("ecb", Delivery(small_ecb, "a test", NOW))
        assert filed == FilingResult(added=17, corrected=0, unchanged=0)
        with pytest.raises(SourceBroken, match="the archive worker died"):
            await attempts.file("ecb", Delivery(b"deadly", "a test", NOW + timedelta(days=1)))

    asyncio.run(scene())


def test_other_errors_are_passed_on_and_count_for_nothing() -> None:
    async def file(_key: str, _delivery: Delivery) -> None:
        raise SourceBroken("ecb: another layout")

    async def scene() -> None:
        attempts = DeliveryAttempts(file)
        for _ in range(4):
            with pytest.raises(SourceBroken, match="another layout"):
                await attempts.file("ecb", Delivery(b"x", "a test", NOW))

    asyncio.run(scene())

"""What the stream process applies, while the database does not answer."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from cambist.admin.data_folder import bootstrap as bootstrap_module
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.errors import StoreUnreachable
from cambist.processes.process import running_tasks
from cambist.processes.stream import StreamProcess
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@dataclass
class HangingEditions:
    """Editions in a database that answers with an error, but not before it may."""

    answers: threading.Event
    asked: int = 0

    def newest(self) -> None:
        self.asked += 1
        assert self.answers.wait(PATIENCE)
        raise StoreUnreachable("The database cannot be reached: it is gone")


@pytest.fixture
def process(tmp_path: Path, small_ecb: bytes, monkeypatch: pytest.MonkeyPatch) -> StreamProcess:
    (tmp_path / "package.csv").write_bytes(small_ecb)
    monkeypatch.setattr(bootstrap_module, "CURRENCY_FILE", str(tmp_path / "package.csv"))
    monkeypatch.setattr(bootstrap_module, "import_packaged", lambda *_: None)
    settings = Settings(data=tmp_path / "data", stream_port=0)
    bootstrap = Bootstrap(settings, lambda: NOON)
    bootstrap.prepare(lambda _: None)
    bootstrap.create_owner()
    bootstrap.close()
    bootstrap._folder.release()
    return StreamProcess(settings)


@pytest.fixture
def editions(process: StreamProcess, monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingEditions]:
    hanging = HangingEditions(threading.Event())
    monkeypatch.setattr(process._store, "editions", hanging)
    yield hanging
    hanging.answers.set()
    process._store.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  other threads change it
            await asyncio.sleep(0.01)


def test_books_and_accounts_are_applied_while_the_database_does_not_answer(
    process: StreamProcess, editions: HangingEditions
) -> None:
    applied: list[Topic] = []

    async def scene() -> None:
        async def apply_book() -> None:
            applied.append(Topic.BOOK)

        async def apply_accounts() -> None:
            applied.append(Topic.ACCOUNTS)

        process._apply_book, process._apply_accounts = apply_book, apply_accounts  # type: ignore[method-assign]
        async with running_tasks([process._watch()]):
            await until(lambda: editions.asked == 1)
            changes = process._book_file.changes
            applied.clear()
            changes.notify(Topic.BOOK)
            changes.notify(Topic.ACCOUNTS)
            await until(lambda: {Topic.BOOK, Topic.ACCOUNTS} <= set(applied))
            assert not editions.answers.is_set()
            editions.answers.set()

    asyncio.run(scene())


def test_a_database_that_is_gone_is_logged_once_without_a_traceback_and_asked_again(
    process: StreamProcess, editions: HangingEditions, caplog: pytest.LogCaptureFixture
) -> None:
    editions.answers.set()

    async def scene() -> None:
        async with running_tasks([process._watch()]):
            for asked in (1, 2, 3):
                await until(lambda asked=asked: editions.asked >= asked and Topic.MATRIX in process._failed)
                process._failed.clear()
                process._notify()

    asyncio.run(scene())
    (record,) = [each for each in caplog.records if "cannot be applied" in each.getMessage()]
    assert record.getMessage() == (
        "Stream: a change of matrix cannot be applied, the last state stays: The database cannot be reached: it is gone"
    )
    assert (record.levelno, record.exc_info) == (logging.WARNING, None)

"""The usage writer logs a failure once, and catches up afterwards."""

import logging
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from cambist.accounts.account import Account, NewKey
from cambist.accounts.api_key import Digest
from cambist.errors import StoreBroken, StoreUnreachable
from cambist.monitoring.reserved_space import ReservedSpace
from cambist.processes import usage_writer
from cambist.processes.usage_writer import FAILURES, UsageWriterTasks
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.sql import SqlStore

TODAY = datetime.now(UTC).date()


@pytest.fixture
def store(tmp_path: Path):
    store = SqlStore(f"sqlite:///{tmp_path / 'books.db'}")
    store.migrate()
    store.accounts.create(Account(0, "shop", "one"), NewKey(Digest(b"k" * 32), "cmb_kkkk"))
    yield store
    store.close()


class Full:
    """A usage store on a full disk, until there is room."""

    def __init__(self, usage) -> None:
        self.usage, self.room = usage, False

    def store_totals(self, totals, _node) -> None:
        if not self.room:
            raise StoreBroken("The database cannot be used: database or disk is full")
        self.usage.store_totals(totals)


def test_a_full_disk_is_logged_once_and_no_usage_is_lost(store, tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    ledger = WorkerCounters(tmp_path / "ledger", ["/fetch-one"], 1)
    full = Full(store.usage)
    monkeypatch.setattr(store, "usage", full)
    tasks = UsageWriterTasks(store, UsageWriter(tmp_path / "ledger"))
    failures = FAILURES._value.get()
    for _ in range(3):
        ledger.spend(1, "/fetch-one", 2, TODAY)
        tasks.run()
    assert FAILURES._value.get() == failures + 3
    assert caplog.text.count("cannot be written to the database") == 1
    assert store.usage.usage.by_day(date.min) == {}
    full.room = True
    tasks.run()
    assert store.usage.usage.by_day(date.min) == {1: {TODAY: 6}}
    assert "nothing was lost" in caplog.text
    ledger.close()


def test_the_last_use_of_keys_is_recorded(store, tmp_path, monkeypatch):
    monkeypatch.setattr(usage_writer, "_KEYS_SECONDS", 0)
    ledger = WorkerCounters(tmp_path / "ledger", [], 1)
    ledger.use_key(1, 1_800_000_000)
    UsageWriterTasks(store, UsageWriter(tmp_path / "ledger")).run()
    (key,) = store.accounts.keys(store.accounts.named("shop"))
    assert key.last_used_at == datetime.fromtimestamp(1_800_000_000, UTC)
    ledger.close()


def test_a_database_that_is_gone_is_logged_once_although_only_the_use_of_keys_is_to_be_written(
    store, tmp_path, caplog, monkeypatch
):
    caplog.set_level(logging.INFO, usage_writer.__name__)
    monkeypatch.setattr(usage_writer, "_KEYS_SECONDS", 0.0)
    worker = WorkerCounters(tmp_path / "ledger", [], 1)
    worker.use_key(1, 1_800_000_000)
    tasks = UsageWriterTasks(store, UsageWriter(tmp_path / "ledger"))

    def gone(_last_used):
        raise StoreUnreachable("The database cannot be reached: gone")

    with monkeypatch.context() as context:
        context.setattr(store.accounts, "record_last_use", gone)
        context.setattr(usage_writer, "_KEYS_SECONDS", 1000.0)
        for _ in range(3):
            tasks.run()
    tasks.run()
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    worker.close()


def test_accounts_are_copied_after_usage_was_written_and_a_failure_is_logged_once(store, tmp_path, caplog):
    caplog.set_level(logging.INFO, usage_writer.__name__)
    copied, errors = [], [StoreBroken("The database cannot be used: no space")] * 2

    def copy(today):
        if errors:
            raise errors.pop()
        copied.append(today)

    tasks = UsageWriterTasks(store, UsageWriter(tmp_path / "ledger"), copy=copy)
    for _ in range(4):
        tasks.run()
    assert len(copied) == 2
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert "the last copy stays" in caplog.text


def test_usage_is_written_even_if_no_space_can_be_reserved(store, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    ledger, full = WorkerCounters(tmp_path / "ledger", ["/fetch-one"], 1), [True]

    def keep_room(_today) -> None:
        if full[0]:
            raise StoreBroken("The usage counters in /data/ledger cannot be written: No space left on device")

    tasks = UsageWriterTasks(store, UsageWriter(tmp_path / "ledger"), keep_room)
    failures = FAILURES._value.get()
    ledger.spend(1, "/fetch-one", 2, TODAY)
    for _ in range(3):
        tasks.run()
    assert FAILURES._value.get() == failures + 3
    assert caplog.text.count("no space can be reserved") == 1
    assert store.usage.by_day(date.min) == {1: {TODAY: 2}}
    full[0] = False
    tasks.run()
    assert "space is reserved again" in caplog.text
    ledger.close()


@pytest.mark.long
def test_space_is_reserved_for_every_account_and_key_of_the_database(store, tmp_path):
    settings = Settings(data=tmp_path, workers=2, threads=3, stream_port=8001)
    folder = DataDirectory(tmp_path)
    writer = UsageWriter(folder.ledger)
    room = ReservedSpace(settings, store, writer)
    room.reserve(TODAY)
    for number in range(1100):
        store.accounts.create(Account(0, f"a{number}", "one"), NewKey(Digest(number.to_bytes(32)), "cmb_kkkk"))
    room.reserve(TODAY)
    data_changes(tmp_path).notify(Topic.ACCOUNTS)
    room.reserve(TODAY)
    files = {file.name.stem: file for generations in writer._file_set.files.values() for file in generations}
    assert set(files) == {"admitted", "keys", TODAY.isoformat(), (TODAY + timedelta(days=1)).isoformat()}
    assert {(file.slots, file.capacity) for file in files.values()} == {(13, 2048)}
    assert len(list(folder.ledger.glob("column-*.lock"))) == 13
    assert folder.reserve.exists()

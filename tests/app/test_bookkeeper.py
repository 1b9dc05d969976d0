"""The bookkeeper: what fails is said once, and caught up with."""

import logging
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from cambist.accounts.account import Account, NewKey
from cambist.accounts.api_key import Digest
from cambist.app import bookkeeper
from cambist.app.bookkeeper import FAILED, Books
from cambist.errors import StoreBroken
from cambist.stores.ledger.keeper import LedgerKeeper
from cambist.stores.ledger.worker import WorkerLedger
from cambist.stores.sql import SqlStore

TODAY = datetime.now(UTC).date()


@pytest.fixture
def store(tmp_path: Path):
    store = SqlStore(f"sqlite:///{tmp_path / 'books.db'}")
    store.migrate()
    store.accounts.create(Account(0, "shop", "one"), NewKey(Digest(b"k" * 32), "cmb_kkkk"))
    yield store
    store.close()


class Full:
    """A book of usage on a full disk, until there is room."""

    def __init__(self, usage) -> None:
        self.usage, self.room = usage, False

    def fold(self, totals) -> None:
        if not self.room:
            raise StoreBroken("The database cannot be used: database or disk is full")
        self.usage.fold(totals)


def test_a_full_disk_is_said_once_and_caught_up_with(store, tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    ledger = WorkerLedger(tmp_path / "ledger", ["/fetch-one"], 1)
    full = Full(store.usage)
    monkeypatch.setattr(store, "usage", full)
    books = Books(store, LedgerKeeper(tmp_path / "ledger"))
    failures = FAILED._value.get()
    for _ in range(3):
        ledger.spend(1, "/fetch-one", 2, TODAY)
        books.fold()
    assert FAILED._value.get() == failures + 3
    assert caplog.text.count("cannot be folded") == 1
    assert store.usage.usage.by_day(date.min) == {}
    full.room = True
    books.fold()
    assert store.usage.usage.by_day(date.min) == {1: {TODAY: 6}}
    assert "nothing was lost" in caplog.text
    ledger.close()


def test_keys_are_noted_as_used(store, tmp_path, monkeypatch):
    monkeypatch.setattr(bookkeeper, "_KEYS_EVERY", 0)
    ledger = WorkerLedger(tmp_path / "ledger", [], 1)
    ledger.use_key(1, 1_800_000_000)
    Books(store, LedgerKeeper(tmp_path / "ledger")).fold()
    (key,) = store.accounts.keys(store.accounts.named("shop"))
    assert key.last_used_at == datetime.fromtimestamp(1_800_000_000, UTC)
    ledger.close()

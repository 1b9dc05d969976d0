"""Copies of accounts and usage, and a process that starts from them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from cambist.accounts.account import Account, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.accounts.usage_counters import CounterTotal
from cambist.clock import utc_now
from cambist.errors import StoreUnreachable
from cambist.registry.accounts.keyless_accounts import KeyReader
from cambist.registry.accounts.metering import open_meter
from cambist.registry.node.local_copies import LocalCopies, copied_accounts, copied_past_usage
from cambist.settings import Settings
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore
from cambist.storage.sql.accounts import SqlAccounts
from cambist.storage.sql.usage import SqlUsage

TODAY = utc_now().date()
BEFORE = TODAY - timedelta(days=10)
KEY, OTHER = (mint(lambda alphabet, place=place: alphabet[place]) for place in (3, 4))
NO_FILES: frozenset[tuple[date, int]] = frozenset()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a database that stands for one on a server."""
    (tmp_path / "data").mkdir()
    return Settings(data=tmp_path / "data", database=f"sqlite:///{tmp_path / 'server.db'}")


@pytest.fixture
def store(settings: Settings) -> Iterator[SqlStore]:
    store = SqlStore(settings.database)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def ann(store: SqlStore) -> Account:
    account = store.accounts.create(Account(0, "ann", "one"), NewKey(digest(KEY), shown_prefix(KEY), ""))
    store.usage.store_totals([CounterTotal(BEFORE, 1, account.number, "/fetch-one", 30)])
    store.usage.store_totals([CounterTotal(TODAY, 2, account.number, "/fetch-one", 4)])
    return account


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The server cannot be reached, once `cut` has been called with this."""
    return monkeypatch


def cut(patch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Let the server be gone for whoever reads from its database, but not from a copy."""
    for kind, method in ((SqlAccounts, "last_change"), (SqlUsage, "by_day")):
        real = getattr(kind, method)

        def unreachable(self: object, *given: object, _real: object = real, **named: object) -> object:
            if str(self._engine.url) == settings.database:  # type: ignore[attr-defined]
                raise StoreUnreachable("The database cannot be reached: gone")
            return _real(self, *given, **named)  # type: ignore[operator]

        patch.setattr(kind, method, unreachable)


def test_keys_are_read_from_the_copy_while_the_database_is_gone(
    settings: Settings, store: SqlStore, ann: Account, gone: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    copies = LocalCopies(settings, store, lambda: NO_FILES)
    copies.update(TODAY)
    expected = KeyReader(settings, store.accounts).read_all()
    assert expected[digest(KEY)].account == ann
    with gone.context() as patch:
        cut(patch, settings)
        reader = KeyReader(settings, store.accounts)
        with caplog.at_level(logging.WARNING):
            assert reader.read_all() == expected
        assert reader.are_copied
        assert "read from a copy, of 1 keys" in caplog.text
    store.accounts.change(replace(ann, suspended=True))
    changes = reader.read_changes()
    assert not changes.is_complete
    changed = changes.keys[digest(KEY)]
    assert changed is not None
    assert changed.account.suspended
    reader.mark_applied(changes)
    assert not reader.are_copied


def test_without_a_copy_keys_need_the_database(settings: Settings, store: SqlStore, gone: pytest.MonkeyPatch) -> None:
    cut(gone, settings)
    with pytest.raises(StoreUnreachable):
        KeyReader(settings, store.accounts).read_all()
    with pytest.raises(StoreUnreachable):
        open_meter(settings, store)


def test_a_database_in_the_folder_is_not_copied(store: SqlStore, tmp_path: Path) -> None:
    alone = Settings(data=tmp_path / "data")
    LocalCopies(alone, store, lambda: NO_FILES).update(TODAY)
    assert copied_accounts(alone) is None
    assert copied_past_usage(alone, NO_FILES) is None


def test_accounts_are_copied_when_a_change_is_notified(settings: Settings, store: SqlStore, ann: Account) -> None:
    copies = LocalCopies(settings, store, lambda: NO_FILES)
    copies.update(TODAY)
    store.accounts.add_key(ann, NewKey(digest(OTHER), shown_prefix(OTHER), ""))
    copies.update(TODAY)
    first = copied_accounts(settings)
    assert first is not None
    assert set(first.by_key()) == {digest(KEY)}
    data_changes(settings.data).notify(Topic.ACCOUNTS)
    copies.update(TODAY)
    second = copied_accounts(settings)
    assert second is not None
    assert set(second.by_key()) == {digest(KEY), digest(OTHER)}


def test_usage_counts_from_the_copy_while_the_database_is_gone(
    settings: Settings, store: SqlStore, ann: Account, gone: pytest.MonkeyPatch
) -> None:
    LocalCopies(settings, store, lambda: NO_FILES).update(TODAY)
    cut(gone, settings)
    meter = open_meter(settings, store)
    assert (meter.calls_on(ann.number, BEFORE), meter.calls_on(ann.number, TODAY)) == (30, 4)


def test_a_copy_of_usage_holds_as_long_as_the_counter_files_that_it_leaves_out(
    settings: Settings, store: SqlStore, ann: Account
) -> None:
    files = {(TODAY, 2)}
    copies = LocalCopies(settings, store, lambda: frozenset(files))
    copies.update(TODAY)
    assert copied_past_usage(settings, frozenset({(TODAY, 2)})) == {ann.number: {BEFORE: 30}}
    assert copied_past_usage(settings, frozenset({(TODAY, 2), (TODAY, 3)})) == {ann.number: {BEFORE: 30}}
    assert copied_past_usage(settings, NO_FILES) is None
    files.clear()
    copies.update(TODAY)
    assert copied_past_usage(settings, NO_FILES) == {ann.number: {BEFORE: 30, TODAY: 4}}


def test_a_node_copies_only_its_own_usage(settings: Settings, store: SqlStore, ann: Account) -> None:
    node = Settings(data=settings.data, database=settings.database, redis="redis://x", node="rates-1")
    store.usage.store_totals([CounterTotal(BEFORE, 9, ann.number, "/fetch-one", 7)], "rates-1")
    LocalCopies(node, store, lambda: NO_FILES).update(TODAY)
    assert copied_past_usage(node, NO_FILES) == {ann.number: {BEFORE: 7}}

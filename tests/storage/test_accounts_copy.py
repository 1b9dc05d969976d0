"""A copy of the accounts of a database, which follows its changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.errors import StoreBroken
from cambist.storage.sql import SqlStore, accounts_copy
from cambist.storage.sql.accounts_copy import open_accounts_copy

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'source.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}
KEYS = [mint(lambda alphabet, place=place: alphabet[place]) for place in range(8)]


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    store = STORES[str(request.param)](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "accounts.copy"


def created(store: SqlStore, name: str, place: int) -> Account:
    key = KEYS[place]
    return store.accounts.create(Account(0, name, "one"), NewKey(digest(key), shown_prefix(key), "first"))


def assert_equal(store: SqlStore, path: Path) -> None:
    copy = open_accounts_copy(path)
    assert copy is not None
    assert copy.by_key() == store.accounts.by_key()
    assert copy.all() == store.accounts.all()
    assert copy.last_change() == store.accounts.last_change()


def test_a_copy_has_all_accounts_and_keys_and_follows_every_change(store: SqlStore, path: Path) -> None:
    store.copy_accounts(path)
    assert_equal(store, path)
    ann, bob, eve = (created(store, name, place) for place, name in enumerate(("ann", "bob", "eve")))
    store.accounts.buy(bob, date(2026, 11, 1), 5_000_000_000)
    store.copy_accounts(path)
    assert_equal(store, path)
    assert len(store.accounts.by_key()) == 3
    store.accounts.change(replace(ann, suspended=True))
    store.accounts.delete(eve)
    store.accounts.add_key(bob, NewKey(digest(KEYS[5]), shown_prefix(KEYS[5]), "", datetime(2030, 1, 1, tzinfo=UTC)))
    store.accounts.revoke(store.accounts.keys(ann)[0], datetime(2026, 1, 1, tzinfo=UTC))
    created(store, "new", 6)
    store.copy_accounts(path)
    assert_equal(store, path)
    store.copy_accounts(path)
    assert_equal(store, path)


def test_only_accounts_that_have_changed_are_copied_again(
    store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [created(store, f"account-{place}", place) for place in range(5)]
    store.copy_accounts(path)
    copied: list[list[int]] = []
    copy_some = accounts_copy._copy_some

    def watched(source: object, target: object, numbers: list[int]) -> None:
        copied.append(sorted(numbers))
        copy_some(source, target, numbers)  # type: ignore[arg-type]

    monkeypatch.setattr(accounts_copy, "_copy_some", watched)
    monkeypatch.setattr(accounts_copy, "_copy_all", None)
    monkeypatch.setattr(accounts_copy, "_BATCH", 1)
    store.accounts.change(replace(many[1], plan="extra"))
    store.accounts.change(replace(many[1], plan="premium"))
    store.accounts.change(replace(many[3], suspended=True))
    store.copy_accounts(path)
    assert copied == [[many[1].number, many[3].number]]
    assert_equal(store, path)


def test_a_copy_that_has_more_than_a_restored_database_is_made_anew(
    store: SqlStore, path: Path, tmp_path: Path
) -> None:
    later = SqlStore(f"sqlite:///{tmp_path / 'later.db'}")
    later.migrate()
    for place in range(4):
        created(later, f"later-{place}", place)
    later.copy_accounts(path)
    later.close()
    created(store, "ann", 0)
    store.copy_accounts(path)
    assert_equal(store, path)


def test_a_damaged_copy_is_no_copy_and_is_made_anew(store: SqlStore, path: Path) -> None:
    assert open_accounts_copy(path) is None
    created(store, "ann", 0)
    path.write_bytes(b"this is no database" * 100)
    assert open_accounts_copy(path) is None
    with pytest.raises(StoreBroken):
        store.copy_accounts(path)
    assert open_accounts_copy(path) is None
    store.copy_accounts(path)
    assert_equal(store, path)


def test_a_copy_of_another_schema_is_no_copy_and_is_made_anew(
    store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(store, "ann", 0)
    with monkeypatch.context() as older:
        older.setattr(accounts_copy, "newest_revision", lambda: "0007")
        store.copy_accounts(path)
        assert_equal(store, path)
    assert open_accounts_copy(path) is None
    store.copy_accounts(path)
    assert_equal(store, path)


def test_a_copy_that_was_interrupted_is_as_it_was(store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = created(store, "ann", 0)
    store.copy_accounts(path)
    before = open_accounts_copy(path)
    assert before is not None
    keys = before.by_key()
    store.accounts.change(replace(ann, suspended=True))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(accounts_copy, "_insert", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.copy_accounts(path)
    assert before.by_key() == keys
    store.copy_accounts(path)
    assert_equal(store, path)

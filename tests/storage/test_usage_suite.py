"""Tests for every `UsageStore`. A new store is added in STORES."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account, Accounts
from cambist.accounts.usage_counters import CounterTotal, UsageRow, UsageStore
from cambist.errors import StoreBroken
from cambist.storage import Store
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import WriteLock, writing

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'usage.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}

TODAY = date(2026, 11, 20)
YESTERDAY = TODAY - timedelta(days=1)


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[Store]:
    store = STORES[kind](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def usage_store(store: Store) -> UsageStore:
    return store.usage


@pytest.fixture
def ann(store: Store) -> int:
    return opened(store.accounts, "ann")


@pytest.fixture
def bob(store: Store, ann: int) -> int:
    assert ann
    return opened(store.accounts, "bob")


def opened(accounts: Accounts, name: str) -> int:
    return accounts.create(Account(0, name, "unlimited")).number


def test_a_new_database_has_no_usage(usage_store: UsageStore) -> None:
    assert dict(usage_store.by_day(date.min)) == {}
    assert list(usage_store.rows()) == []


def test_counter_files_and_endpoints_of_a_day_add_up(usage_store: UsageStore, ann: int) -> None:
    usage_store.store_totals(
        [
            CounterTotal(TODAY, 0, ann, "/a", 3),
            CounterTotal(TODAY, 1, ann, "/a", 4),
            CounterTotal(TODAY, 0, ann, "/b", 50),
        ]
    )
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 57}}
    assert list(usage_store.rows()) == [UsageRow(TODAY, ann, "/a", 7), UsageRow(TODAY, ann, "/b", 50)]


def test_accounts_and_days_are_counted_separately(usage_store: UsageStore, ann: int, bob: int) -> None:
    usage_store.store_totals(
        [
            CounterTotal(TODAY, 0, ann, "/a", 1),
            CounterTotal(YESTERDAY, 0, ann, "/a", 2),
            CounterTotal(TODAY, 0, bob, "/a", 3),
        ]
    )
    assert usage_store.by_day(YESTERDAY) == {ann: {YESTERDAY: 2, TODAY: 1}, bob: {TODAY: 3}}


def test_calls_of_all_accounts_add_up_from_a_day_on(usage_store: UsageStore, ann: int, bob: int) -> None:
    assert usage_store.calls_since(date(2026, 11, 1)) == 0
    days = ((ann, date(2026, 11, 1), 5), (ann, date(2026, 11, 2), 7), (bob, date(2026, 11, 2), 11))
    usage_store.store_totals(CounterTotal(day, 1, account, "/fetch-one", calls) for account, day, calls in days)
    assert [usage_store.calls_since(date(2026, 11, day)) for day in (1, 2, 3)] == [23, 18, 0]


def test_storing_the_same_total_again_changes_nothing(usage_store: UsageStore, ann: int) -> None:
    for _ in range(3):
        usage_store.store_totals([CounterTotal(TODAY, 0, ann, "/a", 3)])
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 3}}


def test_a_larger_total_replaces_the_smaller(usage_store: UsageStore, ann: int) -> None:
    for calls in (3, 10):
        usage_store.store_totals([CounterTotal(TODAY, 0, ann, "/a", calls)])
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 10}}


def test_a_smaller_total_changes_nothing(usage_store: UsageStore, ann: int) -> None:
    for calls in (10, 3):
        usage_store.store_totals([CounterTotal(TODAY, 0, ann, "/a", calls)])
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 10}}


def test_of_two_totals_of_one_counter_the_larger_is_stored(usage_store: UsageStore, ann: int) -> None:
    usage_store.store_totals([CounterTotal(TODAY, 0, ann, "/a", calls) for calls in (3, 10, 4)])
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 10}}


def test_usage_is_read_since_a_day_and_of_one_account(usage_store: UsageStore, ann: int, bob: int) -> None:
    usage_store.store_totals(
        [CounterTotal(day, 0, account, "/a", 1) for day in (YESTERDAY, TODAY) for account in (ann, bob)]
    )
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 1}, bob: {TODAY: 1}}
    assert [row.day for row in usage_store.rows(since=TODAY)] == [TODAY, TODAY]
    assert [row.account for row in usage_store.rows(account=bob)] == [bob, bob]
    assert list(usage_store.rows(TODAY, ann)) == [UsageRow(TODAY, ann, "/a", 1)]


def test_counter_files_are_left_out_by_their_day_and_number(usage_store: UsageStore, ann: int) -> None:
    usage_store.store_totals(
        [
            CounterTotal(TODAY, 7, ann, "/a", 1),
            CounterTotal(TODAY, 2**62, ann, "/a", 20),
            CounterTotal(YESTERDAY, 7, ann, "/a", 300),
        ]
    )
    assert usage_store.by_day(YESTERDAY, without=[(TODAY, 7)]) == {ann: {TODAY: 20, YESTERDAY: 300}}
    assert usage_store.by_day(YESTERDAY, without={(TODAY, 2**62), (YESTERDAY, 7)}) == {ann: {TODAY: 1}}


def test_what_a_node_has_counted_is_read_alone(usage_store: UsageStore, ann: int, bob: int) -> None:
    usage_store.store_totals([CounterTotal(TODAY, 1, ann, "/a", 1)], "north")
    usage_store.store_totals([CounterTotal(TODAY, 2, ann, "/a", 20), CounterTotal(TODAY, 2, bob, "/a", 5)], "south")
    usage_store.store_totals([CounterTotal(YESTERDAY, 3, ann, "/b", 300)])
    assert usage_store.by_day(YESTERDAY) == {ann: {YESTERDAY: 300, TODAY: 21}, bob: {TODAY: 5}}
    assert usage_store.by_day(YESTERDAY, node="north") == {ann: {TODAY: 1}}
    assert usage_store.by_day(YESTERDAY, node="") == {ann: {YESTERDAY: 300}}
    assert usage_store.of_others(ann, YESTERDAY, "north") == {YESTERDAY: 300, TODAY: 20}
    assert usage_store.of_others(ann, TODAY, "south") == {TODAY: 1}
    assert usage_store.of_others(bob, YESTERDAY, "south") == {}


def test_a_total_belongs_to_the_node_that_stored_it_last(usage_store: UsageStore, ann: int) -> None:
    usage_store.store_totals([CounterTotal(TODAY, 1, ann, "/a", 7)])
    usage_store.store_totals([CounterTotal(TODAY, 1, ann, "/a", 7)], "north")
    assert usage_store.by_day(TODAY, node="north") == {ann: {TODAY: 7}}
    assert usage_store.by_day(TODAY, node="") == {}


def test_totals_are_returned_as_they_were_stored(usage_store: UsageStore, ann: int) -> None:
    totals = [
        CounterTotal(TODAY, 7, ann, "/a", 1),
        CounterTotal(TODAY, 2**62, ann, "/a", 20),
        CounterTotal(TODAY, 7, ann, "/b", 3),
    ]
    usage_store.store_totals([*totals, CounterTotal(YESTERDAY, 7, ann, "/a", 300)])
    assert set(usage_store.totals(TODAY)) == set(totals)


def test_no_totals_can_be_stored(usage_store: UsageStore) -> None:
    usage_store.store_totals([])
    assert dict(usage_store.by_day(date.min)) == {}


def test_calls_beyond_four_bytes_are_counted(usage_store: UsageStore, ann: int) -> None:
    usage_store.store_totals([CounterTotal(TODAY, 0, ann, "/a", 2**47)])
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 2**47}}


def test_calls_of_an_unknown_account_are_left_out_and_the_others_stored(
    usage_store: UsageStore, ann: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        usage_store.store_totals([CounterTotal(TODAY, 0, 9999, "/a", 1), CounterTotal(TODAY, 0, ann, "/a", 2)])
    assert usage_store.by_day(TODAY) == {ann: {TODAY: 2}}
    assert "9999" in caplog.text


def test_usage_of_a_deleted_account_stays(store: Store, ann: int) -> None:
    account = store.accounts.named("ann")
    assert account is not None
    store.accounts.delete(account)
    store.usage.store_totals([CounterTotal(TODAY, 0, ann, "/a", 2)])
    assert store.usage.by_day(TODAY) == {ann: {TODAY: 2}}


def test_a_locked_database_raises_an_error_and_stores_nothing(
    kind: str, store: Store, ann: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cambist.storage.sql.backends.sqlite._PRAGMAS", ("busy_timeout = 1",))
    monkeypatch.setattr("cambist.storage.sql.backends.postgresql_sessions._LOCK_SECONDS", 0.001)
    impatient = STORES[kind](tmp_path)
    with writing(store._engine, WriteLock.USAGE) as connection:  # type: ignore[attr-defined]
        connection.execute(text("UPDATE usage SET calls = 0"))
        with pytest.raises(StoreBroken, match="lock"):
            impatient.usage.store_totals([CounterTotal(TODAY, 0, ann, "/a", 2)])
    assert dict(store.usage.by_day(TODAY)) == {}
    impatient.close()

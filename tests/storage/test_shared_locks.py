"""A node that is paused or cut off while it writes to PostgreSQL does not keep a lock that other nodes need."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import event
from tests.patience import PATIENCE
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account
from cambist.accounts.quota_leases import LeaseRequest
from cambist.accounts.usage_counters import CounterTotal
from cambist.errors import StoreBroken
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import postgresql_sessions

TODAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ACCOUNTS = (1, 2, 3)


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = postgresql_url(tmp_path)
    store = SqlStore(url)
    store.migrate()
    for number in ACCOUNTS:
        store.accounts.create(Account(0, f"account-{number}", "unlimited"))
    store.close()
    return url


@pytest.fixture
def open_store(url: str) -> Iterator[Callable[[], SqlStore]]:
    stores: list[SqlStore] = []

    def open_one() -> SqlStore:
        stores.append(SqlStore(url))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def totals(calls: int) -> list[CounterTotal]:
    return [CounterTotal(TODAY, 0, number, "/fetch-one", calls) for number in ACCOUNTS]


@pytest.mark.long
def test_a_node_that_is_paused_while_it_stores_usage_loses_its_lock(
    open_store: Callable[[], SqlStore],
) -> None:
    paused, other = open_store(), open_store()
    in_the_middle, goes_on = threading.Event(), threading.Event()

    def pause(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT INTO usage"):
            in_the_middle.set()
            assert goes_on.wait(PATIENCE)

    event.listen(paused.usage._engine, "before_cursor_execute", pause)
    with ThreadPoolExecutor(1) as threads:
        storing = threads.submit(paused.usage.store_totals, totals(7), "paused")
        assert in_the_middle.wait(PATIENCE)
        other.usage.store_totals(totals(5), "other")
        goes_on.set()
        with pytest.raises(StoreBroken):
            storing.result(PATIENCE)
    assert other.usage.by_day(TODAY) == {number: {TODAY: 5} for number in ACCOUNTS}


def test_what_nodes_write_under_shared_locks_is_answered_statement_by_statement(
    open_store: Callable[[], SqlStore],
) -> None:
    store = open_store()
    several: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, _parameters: Any, _context: Any, many: bool) -> None:  # noqa: FBT001
        if many:
            several.append(statement)

    for part in (store.usage, store.quota_leases, store.accounts):
        event.listen(part._engine, "before_cursor_execute", note)
    store.usage.store_totals(totals(7), "node")
    store.quota_leases.grant("node", [LeaseRequest(number, TODAY, 100, 10) for number in ACCOUNTS], 1)
    store.accounts.record_last_use(dict.fromkeys(ACCOUNTS, NOON))
    assert several == []
    assert store.usage.by_day(TODAY) == {number: {TODAY: 7} for number in ACCOUNTS}
    assert len(store.quota_leases.held("node", TODAY)) == len(ACCOUNTS)


def test_many_rows_are_stored_by_one_statement(open_store: Callable[[], SqlStore]) -> None:
    store, inserts = open_store(), []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("INSERT INTO usage"):
            inserts.append(statement)

    event.listen(store.usage._engine, "before_cursor_execute", note)
    store.usage.store_totals((CounterTotal(TODAY, file, 1, "/fetch-one", 1) for file in range(2400)), "node")
    assert store.usage.by_day(TODAY) == {1: {TODAY: 2400}}
    assert len(inserts) == 1


def test_the_server_looks_after_connections_that_are_silent() -> None:
    executed: list[str] = []

    class Connection:
        autocommit, longest_wait, is_pooled, read_only = False, None, False, None
        info = SimpleNamespace(backend_pid=7)

        def execute(self, statement: str) -> Any:
            executed.append(statement)
            return SimpleNamespace(fetchone=lambda: (7,))

    engine = postgresql_sessions.open_writing("postgresql://nobody@127.0.0.1:1/none", None)
    for set_up in engine.pool.dispatch.connect:
        if set_up.__module__ == postgresql_sessions.__name__:
            set_up(Connection(), None)
    for name in ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"):
        assert any(f"SET {name} = " in statement for statement in executed)

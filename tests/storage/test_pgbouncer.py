"""PgBouncer that pools by the transaction: no session of the server is changed, and all that a store does works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path

import psycopg
import pytest
from tests.pgbouncer import Pooler, create_pooler, pooled_url
from tests.postgresql import TestServer, postgresql_server, postgresql_url

from cambist.accounts.account import Account
from cambist.accounts.usage_counters import CounterTotal
from cambist.errors import CannotStart, StoreBroken
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import is_pooled
from cambist.storage.sql.engine import open_engine, open_read_only

DAY = date(2026, 11, 20)
SETTINGS = ("default_transaction_read_only", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
CLIENTS = 6


def settings_of(url: str) -> list[str]:
    """Return the settings of the session that another client gets."""
    with psycopg.connect(url, autocommit=True) as other:
        rows = [other.execute(f"SHOW {name}").fetchone() for name in SETTINGS]  # type: ignore[call-overload]
    return [str(row[0]) for row in rows if row]


def test_a_direct_connection_is_not_taken_for_a_pooled_one(tmp_path: Path) -> None:
    engine = open_engine(postgresql_url(tmp_path))
    with closing(engine.raw_connection()), engine.begin() as connection:
        assert not is_pooled(connection)
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "2min"
    engine.dispose()


def test_each_transaction_has_its_limits_and_other_clients_have_none_of_them(tmp_path: Path) -> None:
    url = pooled_url(tmp_path)
    before = settings_of(url)
    reading, writing = open_read_only(url, 1, 0.7), open_engine(url)
    with reading.begin() as connection:
        assert is_pooled(connection)
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "700ms"
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar_one() == "on"
    with pytest.raises(StoreBroken, match="read-only"), reading.connect() as connection:
        connection.exec_driver_sql("DELETE FROM accounts")
    with writing.begin() as connection:
        assert connection.exec_driver_sql("SHOW statement_timeout").scalar_one() == "2min"
        assert connection.exec_driver_sql("SHOW transaction_read_only").scalar_one() == "off"
    assert settings_of(url) == before
    reading.dispose()
    writing.dispose()


def test_what_is_read_row_by_row_is_read_through_it_too(tmp_path: Path) -> None:
    store = SqlStore(pooled_url(tmp_path))
    store.accounts.create(Account(0, "ann", "one"))
    store.usage.store_totals([CounterTotal(DAY, 0, 1, "/a", 3)], "node")
    assert len(store.accounts.by_key()) == 0
    assert list(store.usage.damaged_rows()) == []
    assert list(store.archive.fixings("ecb")) == []
    store.close()


def test_statements_are_repeated_though_each_transaction_may_have_another_session(tmp_path: Path) -> None:
    url = pooled_url(tmp_path)
    stores = [SqlStore(url) for _ in range(CLIENTS)]
    for number, store in enumerate(stores):
        store.accounts.create(Account(0, f"ann {number}", "one"))
    for times in range(1, 3 * CLIENTS):  # a driver prepares what it has sent some times
        for number, store in enumerate(stores):
            store.usage.store_totals([CounterTotal(DAY, number, number + 1, "/a", times)], f"node {number}")
    rows = stores[0].usage.rows()
    assert [row.calls for row in rows] == [3 * CLIENTS - 1] * CLIENTS
    for store in stores:
        store.close()


def test_a_schema_is_made_through_it(tmp_path: Path) -> None:
    server = postgresql_server()
    pooled_url(tmp_path)
    name = server.new_database()
    pooler = create_pooler(server, sessions=2)
    store = SqlStore(pooler.url(name))
    assert store.is_new()
    with store.hold_start(5, lambda: None) as is_held:
        assert is_held
        store.migrate()
    assert not store.is_new()
    store.close()
    pooler.stop()
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def by_statement() -> Iterator[tuple[TestServer, Pooler]]:
    server = postgresql_server()
    with ExitStack() as stack:
        pooler = create_pooler(server, "statement")
        stack.callback(pooler.stop)
        yield server, pooler


def test_pooling_by_the_statement_is_refused_before_anything_is_written(
    by_statement: tuple[TestServer, Pooler],
) -> None:
    server, pooler = by_statement
    name = server.new_database()
    store = SqlStore(pooler.url(name))
    with pytest.raises(CannotStart, match=r"pools by the statement.*pool_mode"):
        store.is_new()
    store.close()
    assert server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", name) == [(0,)]
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")

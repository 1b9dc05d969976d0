"""Tests for every `ReadOnlyStore`. A new store is added in STORES."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
from sqlalchemy import event
from tests.postgresql import postgresql_url

from cambist.errors import StoreBroken, StoreUnreachable
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.storage import ReadOnlyStore, Store
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'archive.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
EURUSD = Pair("EUR", "USD")
SIDE = Ohlc(*map(Decimal, ("1.1", "1.3", "1.0", "1.2")))
BAR = PairBar(EURUSD, Interval.MINUTE, Bar(NOON, SIDE, SIDE))
FIXING = Fixing("ecb", EURUSD, date(2026, 3, 6), Decimal("1.25"))
DELIVERY = DeliveryRecord("ecb", NOON, "a test", "d")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
DEADLINE = 0.2
END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
SERVING = "SELECT pg_backend_pid()"
STATES_OF_OTHERS = (
    "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state IS NOT NULL "
    "AND pid <> pg_backend_pid() AND application_name = 'cambist'"
)


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
def reading(store: Store) -> Iterator[ReadOnlyStore]:
    reading = store.read_only(2, DEADLINE)
    yield reading
    reading.close()


def newest(reading: ReadOnlyStore) -> list[Bar]:
    return reading.bars.newest_bars(EURUSD, Interval.MINUTE, None, None, 10)


def test_what_is_stored_later_is_read(store: Store, reading: ReadOnlyStore) -> None:
    assert (newest(reading), reading.archive.revisions(EURUSD, FIXING.day)) == ([], [])
    store.bars.file([BAR])
    store.archive.file(DELIVERY, [FIXING])
    assert newest(reading) == [BAR.bar]
    assert [one.fixing for one in reading.archive.revisions(EURUSD, FIXING.day)] == [FIXING]
    assert [one.fixing for one in reading.archive.published_fixings("ecb", "EUR", FIXING.day)] == [FIXING]


def test_nothing_can_be_written(store: Store, reading: ReadOnlyStore) -> None:
    with pytest.raises(StoreBroken):
        reading.archive.file(DELIVERY, [FIXING])
    assert store.archive.sources() == []


def test_reading_leaves_no_transaction_open(store: Store, reading: ReadOnlyStore) -> None:
    """An open one would let the write-ahead log grow for ever, or keep rows that are no longer needed."""
    store.bars.file([BAR])
    assert newest(reading)
    engine = store._engine  # type: ignore[attr-defined]
    with engine.connect() as other:
        if engine.dialect.name == "sqlite":
            assert not other.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
        else:
            assert [row[0] for row in other.exec_driver_sql(STATES_OF_OTHERS)] == ["idle"]


def test_connections_are_kept(reading: ReadOnlyStore) -> None:
    opened: list[Any] = []
    event.listen(reading._engine, "connect", lambda *each: opened.append(each))  # type: ignore[attr-defined]
    for _ in range(5):
        newest(reading)
        reading.archive.revisions(EURUSD, FIXING.day)
    assert len(opened) == 1


def test_after_an_error_connections_are_opened_again(reading: ReadOnlyStore) -> None:
    opened: list[Any] = []
    event.listen(reading._engine, "connect", lambda *each: opened.append(each))  # type: ignore[attr-defined]
    with pytest.raises(StoreBroken):
        reading.archive.file(DELIVERY, [FIXING])
    assert newest(reading) == []
    assert len(opened) == 2


def test_a_query_that_takes_too_long_is_ended(reading: ReadOnlyStore) -> None:
    with reading._engine.connect() as connection, pytest.raises(StoreBroken, match=r"interrupted|statement timeout"):  # type: ignore[attr-defined]
        connection.exec_driver_sql(ENDLESS).all()
    time.sleep(DEADLINE)  # the next read has a deadline of its own
    assert newest(reading) == []


@pytest.fixture
def pause() -> Iterator[Callable[[int], None]]:
    """Stop a process of the server until the end of the test."""
    stopped: list[int] = []

    def pause(process: int) -> None:
        stopped.append(process)
        os.kill(process, signal.SIGSTOP)

    yield pause
    for process in stopped:
        os.kill(process, signal.SIGCONT)


def test_a_server_that_does_not_answer_is_not_waited_for(
    store: Store, kind: str, pause: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "sqlite":
        pytest.skip("SQLite has no server")
    monkeypatch.setattr("cambist.storage.sql.backends.postgresql_sessions._ANSWER_SECONDS", 0.1)
    reading = store.read_only(1, DEADLINE)
    with reading._engine.connect() as connection:  # type: ignore[attr-defined]
        pause(connection.exec_driver_sql(SERVING).scalar_one())
        with pytest.raises(StoreUnreachable, match="has not answered"):
            connection.exec_driver_sql("SELECT 1")
    assert newest(reading) == []
    with reading._engine.connect() as connection:  # type: ignore[attr-defined]
        process = connection.exec_driver_sql(SERVING).scalar_one()
    pause(process)
    assert newest(reading) == []
    reading.close()


def test_connections_that_the_server_has_closed_are_opened_again(store: Store, kind: str) -> None:
    if kind == "sqlite":
        pytest.skip("SQLite has no server")
    reading = store.read_only(1, DEADLINE)
    assert newest(reading) == []
    with store._engine.begin() as other:  # type: ignore[attr-defined]
        other.exec_driver_sql(END_OTHERS)
    assert newest(reading) == []
    reading.close()


def test_a_locked_table_is_not_waited_for(store: Store, kind: str) -> None:
    if kind == "sqlite":
        pytest.skip("SQLite locks no tables")
    reading = store.read_only(1, DEADLINE)
    with store._engine.begin() as other:  # type: ignore[attr-defined]
        other.exec_driver_sql("LOCK TABLE bar_series")
        with pytest.raises(StoreBroken, match="timeout"):
            newest(reading)
    assert newest(reading) == []
    reading.close()


def test_a_locked_database_is_not_waited_for(store: Store, kind: str, tmp_path: Path) -> None:
    if kind != "sqlite":
        pytest.skip("only SQLite locks the whole database")
    store.close()
    with closing(connect(tmp_path / "archive.db", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")  # with its usual log, SQLite never makes readers wait
        other.execute("BEGIN EXCLUSIVE")
        reading = store.read_only(1, DEADLINE)
        with pytest.raises(StoreBroken, match="locked"):
            newest(reading)
        other.execute("ROLLBACK")
        assert newest(reading) == []
        reading.close()

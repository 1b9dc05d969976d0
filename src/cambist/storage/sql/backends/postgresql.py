"""PostgreSQL through psycopg."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from time import monotonic, sleep
from typing import Any

from psycopg import Error as PsycopgError
from sqlalchemy import ARRAY, Connection, Engine, Table, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from cambist.errors import StoreBroken, StoreUnreachable
from cambist.storage.sql.backends import SessionLimits, WriteLock
from cambist.storage.sql.backends import postgresql_sessions as sessions
from cambist.storage.sql.checksum import COLUMNS, StoredRow
from cambist.storage.sql.fencing import leader_epoch
from cambist.storage.sql.schema import accounts, accounts_by_name
from cambist.storage.sql.store_broken import broken

_TRY_SECONDS = 0.2
_LOCKS = 0x63616D6200
"""The first of the numbers of our advisory locks, which others in the database should not use."""

_IDLE_MILLISECONDS = 3000
"""After how long the server ends a transaction of a node that was paused: other nodes wait for its lock."""
_FILING_IDLE_MILLISECONDS = 15_000
"""The same for what the leader files: it computes between two statements, and a takeover ends its session anyway."""

accounts_by_name.dialect_kwargs["postgresql_where"] = accounts.c.deleted_at.is_(None)


class PostgresqlBackend:
    """The `SqlBackend` of PostgreSQL."""

    placeholder = "%s"
    order_of_bytes = "C"
    content = (
        "convert_to(concat(to_char(fixings.day, 'YYYY-MM-DD'), '|', fixings.delivery_id, '|', fixings.nominal, '|', "
        "fixings.value, '|', to_char(fixings.published_at, 'YYYY-MM-DD HH24:MI:SS.US')), 'UTF8')"
    )

    def day_content(self, day: str) -> str:
        """Return the expression for the bytes of a day's text."""
        return f"convert_to(to_char({day}, 'YYYY-MM-DD'), 'UTF8')"

    def open(self, url: str, session: SessionLimits | None = None) -> Engine:
        """Return an engine that keeps few connections, and checks a kept one before it is used."""
        return sessions.open_writing(url, session)

    def open_read_only(self, url: str, connections: int, within: float) -> Engine:
        """Return an engine whose connections cannot write, and whose statements end in time."""
        return sessions.open_reading(url, connections, within)

    def lock(self, connection: Connection, lock: WriteLock) -> None:
        """Wait for an advisory lock. What is read under it was committed before, also while this one waited."""
        if lock is WriteLock.SCHEMA:
            driver: Any = connection.connection.driver_connection
            driver.longest_wait = None
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        is_fenced = leader_epoch(connection.engine) is not None
        if is_fenced or lock is WriteLock.USAGE:
            limit = _FILING_IDLE_MILLISECONDS if is_fenced else _IDLE_MILLISECONDS
            connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = {limit}")
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCKS + lock})")

    @contextmanager
    def hold(self, engine: Engine, lock: WriteLock, seconds: float, waits: Callable[[], None]) -> Iterator[bool]:
        """Hold an advisory lock in a transaction that does nothing else. It ends with the connection at the latest."""
        take, until = f"SELECT pg_try_advisory_xact_lock({_LOCKS + lock})", monotonic() + seconds
        with engine.begin() as connection:
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            if not (is_held := connection.exec_driver_sql(take).scalar_one()):
                waits()
            while not is_held and monotonic() < until:
                sleep(_TRY_SECONDS)
                is_held = connection.exec_driver_sql(take).scalar_one()
            yield bool(is_held)

    def insert(self, table: Table) -> Any:
        """Return an INSERT of this backend."""
        return insert(table)

    def execute_rows(self, connection: Connection, statement: Any, rows: list[dict[str, Any]]) -> None:
        """Execute statements that are answered one by one, an INSERT for all rows at once.

        The driver would send rows without waiting for answers. While the server waits for more of them no limit of
        idle transactions counts, and a node that is paused would keep its locks.
        """
        if not statement.is_insert:
            for row in rows:
                connection.execute(statement, row)
            return
        if rows:
            names, table = list(rows[0]), statement.table
            columns = [func.unnest(bindparam(name, type_=ARRAY(table.c[name].type))) for name in names]
            values = {name: [row[name] for row in rows] for name in names}
            connection.execute(statement.from_select(names, select(*columns)), values)

    def insert_fixings(self, connection: Connection, rows: list[StoredRow]) -> None:
        """Insert rows through COPY, which is several times as fast as INSERT."""
        _copy(connection, f"COPY fixings ({', '.join(COLUMNS)}) FROM STDIN", rows)

    def insert_rows(self, connection: Connection, table: Table, rows: list[tuple[Any, ...]]) -> None:
        """Insert rows through COPY."""
        preparer = connection.dialect.identifier_preparer
        columns = ", ".join(preparer.quote(name) for name in table.c.keys())  # noqa: SIM118  a collection, not a dict
        _copy(connection, f"COPY {preparer.quote(table.name)} ({columns}) FROM STDIN", rows)

    def is_missing(self, engine: Engine) -> bool:
        """Return False: a database is never created here, only its tables."""
        del engine
        return False

    def hold_open(self, engine: Engine) -> None:
        """Return None: the server holds its files open itself."""
        del engine

    def faults(self, engine: Engine, within: float | None) -> list[str]:
        """Return how many damaged pages the server has seen, which it counts if it has checksums of pages."""
        del within
        seen = "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()"
        try:
            with engine.connect() as connection:
                failures = int(connection.exec_driver_sql(seen).scalar_one())
        except StoreUnreachable:
            raise  # no damage
        except StoreBroken as error:
            return [str(error)]
        return [f"PostgreSQL has found {failures} damaged pages in its files"] if failures else []

    def now(self, connection: Connection) -> datetime:
        """Return the time of the server, also within a transaction that has waited."""
        now: datetime = connection.exec_driver_sql("SELECT clock_timestamp() AT TIME ZONE 'UTC'").scalar_one()
        return now

    def end_sessions(self, connection: Connection, name: str) -> None:
        """End sessions of the same user in the same database."""
        ours = "datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()"
        found = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours} AND application_name = %s"  # noqa: S608  no input in it
        connection.exec_driver_sql(found, (name,))

    def advance_numbers(self, connection: Connection, table: Table) -> None:
        """Set the sequence of the column `id` to the highest number."""
        highest = connection.execute(select(func.max(table.c.id))).scalar()
        if highest is not None:
            connection.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), highest)))


BACKEND = PostgresqlBackend()


def _copy(connection: Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    driver: Any = connection.connection.driver_connection
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except PsycopgError as error:
        raise broken(error, is_gone=driver.broken) from error

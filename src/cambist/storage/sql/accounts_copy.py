"""A copy of the accounts and keys of a server in a SQLite file, from which processes start without the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, delete, func, insert, select

from cambist.errors import StoreBroken
from cambist.storage.sql.accounts import SqlAccounts
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.revision import newest_revision
from cambist.storage.sql.schema import account_changes, accounts, api_keys, bought_calls, metadata

_TABLES = (accounts, api_keys, bought_calls)
"""What is copied, in an order in which rows refer only to earlier ones. Of the changes only the last one is."""

_BATCH = 500


def update_accounts_copy(source: Engine, path: Path) -> None:
    """Copy what has changed since the last copy; a copy that is missing, damaged or of another schema is made anew.

    Errors: StoreBroken.
    """
    target = _open(path)
    try:
        with source.connect() as reading:
            try:
                if not _is_usable(target):
                    _create(target, path)
                _update(reading, target)
            except StoreBroken:
                target.dispose()
                _remove(path)  # it may be damaged: the next call makes another
                raise
    finally:
        target.dispose()


def open_accounts_copy(path: Path) -> SqlAccounts | None:
    """Return the accounts of a copy; None if there is none that this version can read."""
    if not path.exists():
        return None
    target = _open(path)
    try:
        return SqlAccounts(target) if _is_usable(target) else None
    except StoreBroken:
        return None


def _open(path: Path) -> Engine:
    return open_engine(f"sqlite:///{path.resolve()}")


def _is_usable(target: Engine) -> bool:
    with target.connect() as connection:
        return str(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) == str(int(newest_revision()))


def _create(target: Engine, path: Path) -> None:
    target.dispose()
    _remove(path)
    with target.begin() as connection:
        metadata.create_all(connection, [*_TABLES, account_changes])


def _remove(path: Path) -> None:
    for name in (path, *(path.with_name(f"{path.name}-{kind}") for kind in ("wal", "shm"))):
        name.unlink(missing_ok=True)


def _update(source: Connection, target: Engine) -> None:
    newest = source.execute(select(account_changes).order_by(account_changes.c.id.desc()).limit(1)).one_or_none()
    with target.begin() as connection:
        last = connection.execute(select(func.max(account_changes.c.id))).scalar()
        connection.execute(delete(account_changes))
        if newest is None or last is None or last > newest.id:
            _copy_all(source, connection)
        else:
            changed = select(account_changes.c.account_id).where(account_changes.c.id > last).distinct()
            _copy_some(source, connection, source.execute(changed).scalars().all())
        if newest is not None:
            connection.execute(insert(account_changes).values(tuple(newest)))
        connection.exec_driver_sql(f"PRAGMA user_version = {int(newest_revision())}")


def _copy_all(source: Connection, target: Connection) -> None:
    for table in reversed(_TABLES):
        target.execute(delete(table))
    for table in _TABLES:
        _insert(target, table, source.execute(select(table)))


def _copy_some(source: Connection, target: Connection, numbers: Sequence[int]) -> None:
    for some in _batches(numbers):
        for table in reversed(_TABLES):
            target.execute(delete(table).where(_account_of(table).in_(some)))
        for table in _TABLES:
            _insert(target, table, source.execute(select(table).where(_account_of(table).in_(some))))


def _account_of(table: Table) -> Any:
    return table.c.id if table is accounts else table.c.account_id


def _insert(target: Connection, table: Table, rows: Iterable[Any]) -> None:
    names = table.c.keys()
    for some in _batches(rows):
        target.execute(insert(table), [dict(zip(names, row, strict=True)) for row in some])


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(items)
    while batch := list(islice(left, _BATCH)):
        yield batch

"""Copy one database into another, table by table in the order of the primary keys, and compare the two."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, String, Table, collate, func, inspect, select

from cambist.errors import CannotCopy, CannotStart
from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.migrate import migrate
from cambist.storage.sql.revision import is_new, newest_revision, revisions
from cambist.storage.sql.schema import metadata, schema_releases

_BATCH = 10_000

Row = tuple[Any, ...]
Advance = Callable[[str, int], None]
"""Takes what is being done, and how many rows more are done."""


class DatabaseCopy:
    """A copy of one database into another. The source must have the newest schema; the target is migrated.

    If the copying is interrupted, another one continues it: what the target has must be the first rows of each table.
    Errors: CannotCopy, StoreBroken, CannotStart if a URL cannot be opened.
    """

    def __init__(self, source: str, target: str) -> None:
        self._source, self._target = open_engine(source), open_engine(target)
        self._tables = [table for table in metadata.sorted_tables if table is not schema_releases]

    def prepare(self) -> int:
        """Check the schemas, and migrate the target. Return how many rows the source has."""
        if is_new(self._source):
            raise CannotCopy("There is nothing to copy: the first database is missing or empty")
        found, newest = revisions(self._source), newest_revision()
        if found != [newest]:
            raise CannotCopy(
                f"The first database has schema {''.join(found)}, this version {newest}: start the service once with it"
            )
        try:
            if is_new(self._target) and inspect(self._target).get_table_names():
                raise CannotCopy("The second database has tables of another program: name an empty one")
            migrate(self._target)
        except CannotStart as error:
            raise CannotCopy(f"The second database cannot be used: {error}") from error
        with self._source.connect() as source:
            return sum(_counts(source, self._tables).values())

    def copy(self, advance: Advance) -> None:
        """Copy what the target does not have yet. Errors: CannotCopy if it has rows that the source has not."""
        with self._source.connect() as source:
            for table in self._tables:
                rows = _rows(source, table)
                with closing(rows), self._target.connect() as target:
                    for batch in _batches(_rows(target, table)):
                        if batch != list(islice(rows, len(batch))):
                            raise CannotCopy(
                                f"The second database has other data in the table {table.name}: name an empty one"
                            )
                        advance(table.name, len(batch))
                    target.rollback()
                    self._insert(table, rows, advance)

    def fill(self, advance: Advance) -> dict[str, int]:
        """Copy the state of one moment into an empty target, all or nothing. Return the number of rows by table.

        Unlike `copy`, it may be called while a service writes to the source. Errors: CannotCopy if the target has rows.
        """
        with self._source.connect() as source, self._target.begin() as target:
            if any(_counts(target, self._tables).values()):
                raise CannotCopy("The second database has rows already: name an empty one")
            copied = {}
            for table in self._tables:
                copied[table.name] = sum(self._fill_table(table, source, target, advance))
            return copied

    def _fill_table(
        self, table: Table, source: Connection, target: Connection, advance: Advance
    ) -> Generator[int, None, None]:
        backend = backend_of(target)
        for batch in _batches(_rows(source, table)):
            backend.insert_rows(target, table, batch)
            advance(table.name, len(batch))
            yield len(batch)
        if "id" in table.c:
            backend.advance_numbers(target, table)

    def _insert(self, table: Table, rows: Iterator[Row], advance: Advance) -> None:
        backend = backend_of(self._target)
        for batch in _batches(rows):
            with self._target.begin() as writing:
                backend.insert_rows(writing, table, batch)
            advance(table.name, len(batch))
        if "id" in table.c:
            with self._target.begin() as writing:
                backend.advance_numbers(writing, table)

    def compare(self, advance: Advance) -> dict[str, int]:
        """Compare all rows, and return their number by table. Errors: CannotCopy if a row differs."""
        compared = {}
        with self._source.connect() as source, self._target.connect() as target:
            for table in self._tables:
                ours, theirs, count = _batches(_rows(source, table)), _batches(_rows(target, table)), 0
                for batch in ours:
                    if batch != next(theirs, []):
                        raise _differ(table)
                    count += len(batch)
                    advance(table.name, len(batch))
                if next(theirs, []):
                    raise _differ(table)
                compared[table.name] = count
        return compared

    def close(self) -> None:
        """Close all connections."""
        self._source.dispose()
        self._target.dispose()


def _differ(table: Table) -> CannotCopy:
    return CannotCopy(
        f"The table {table.name} differs after the copy: was a service writing? Empty the second database"
    )


def _counts(connection: Connection, tables: list[Table]) -> dict[str, int]:
    return {
        table.name: int(connection.execute(select(func.count()).select_from(table)).scalar_one()) for table in tables
    }


def _rows(connection: Connection, table: Table) -> Generator[Row, None, None]:
    """Return the rows of a table by primary key. Errors: CannotCopy for a row that cannot be read."""
    key = [_by_bytes(connection, column) for column in table.primary_key]
    query = select(table).order_by(*key).execution_options(yield_per=_BATCH)
    try:
        with connection.execute(query) as result:
            for row in result:
                yield tuple(row)
    except ValueError as error:
        raise CannotCopy(f"A row of the table {table.name} cannot be read: {error}; run [cambist check]") from error


def _by_bytes(connection: Connection, column: Column[Any]) -> ColumnElement[Any]:
    """Order texts as SQLite does, whatever the language of a server."""
    if not isinstance(column.type, String):
        return column
    return collate(column, backend_of(connection).order_of_bytes)


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch

"""Usage in SQL: the absolute totals of counter files, summed when read."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date

from sqlalchemy import BigInteger, Connection, Engine, case, cast, func, select, tuple_

from cambist.accounts.usage_counters import CounterFileKey, CounterTotal, UsageRow
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.schema import accounts, usage
from cambist.storage.sql.usage_checksum import usage_checksum

_log = logging.getLogger(__name__)

_SUM = cast(func.sum(usage.c.calls), BigInteger)
"""Cast, because PostgreSQL adds up large integers as decimals."""


class SqlUsage:
    """The `UsageStore` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known_accounts: set[int] = set()

    def store_totals(self, totals: Iterable[CounterTotal], node: str = "") -> None:
        """Store totals in one transaction, each unless a larger one is stored, as counted by a node."""
        new = _largest(totals)
        if not new:
            return
        added = backend_of(self._engine).insert(usage)
        larger = case((usage.c.calls > added.excluded.calls, usage.c.calls), else_=added.excluded.calls)
        # The checksum is that of the calls that stay. So a damaged row keeps one that is wrong.
        checksum = case((usage.c.calls > added.excluded.calls, usage.c.checksum), else_=added.excluded.checksum)
        upsert = added.on_conflict_do_update(
            index_elements=list(usage.primary_key), set_={"calls": larger, "checksum": checksum, "node": node}
        )
        with writing(self._engine, WriteLock.USAGE) as connection:
            rows = [_row(total, node) for total in self._of_existing_accounts(connection, new)]
            if rows:
                backend_of(connection).execute_rows(connection, upsert, rows)

    def _of_existing_accounts(self, connection: Connection, totals: list[CounterTotal]) -> list[CounterTotal]:
        """Leave out accounts that the database does not have: after a restore, counter files may have newer ones.

        Rows of accounts are never deleted, so the database is asked only about those that were not found before.
        """
        wanted = {total.account for total in totals}
        if not wanted <= self._known_accounts:
            self._known_accounts = set(connection.execute(select(accounts.c.id)).scalars())
        if unknown := sorted(wanted - self._known_accounts):
            _log.warning("Usage: calls of accounts that are not in the database are left out: %s", unknown)
        return [total for total in totals if total.account in self._known_accounts]

    def by_day(
        self, since: date, without: Collection[CounterFileKey] = (), node: str | None = None
    ) -> Mapping[int, Mapping[date, int]]:
        """Return calls by account and day."""
        query = (
            select(usage.c.account_id, usage.c.day, _SUM)
            .where(usage.c.day >= since, tuple_(usage.c.day, usage.c.page).not_in(list(without)))
            .group_by(usage.c.account_id, usage.c.day)
            .order_by(usage.c.account_id, usage.c.day)
        )
        if node is not None:
            query = query.where(usage.c.node == node)
        found: dict[int, dict[date, int]] = {}
        with self._engine.connect() as connection:
            for account, day, calls in connection.execute(query):
                found.setdefault(account, {})[day] = calls
        return found

    def of_others(self, account: int, since: date, node: str) -> Mapping[date, int]:
        """Return the calls of an account by day that other nodes have counted."""
        theirs = (usage.c.account_id == account) & (usage.c.day >= since) & (usage.c.node != node)
        query = select(usage.c.day, _SUM).where(theirs).group_by(usage.c.day)
        with self._engine.connect() as connection:
            return dict(tuple(row) for row in connection.execute(query))

    def calls_since(self, day: date) -> int:
        """Return the calls of all accounts."""
        with self._engine.connect() as connection:
            return connection.execute(select(_SUM).where(usage.c.day >= day)).scalar() or 0

    def totals(self, since: date) -> Iterator[CounterTotal]:
        """Return the stored totals."""
        query = select(usage.c.day, usage.c.page, usage.c.account_id, usage.c.endpoint, usage.c.calls)
        with self._engine.connect() as connection:
            yield from (CounterTotal(*row) for row in connection.execute(query.where(usage.c.day >= since)))

    def damaged_rows(self) -> Iterator[str]:
        """Yield each row whose checksum is wrong, as text."""
        query = select(usage.c.day, usage.c.page, usage.c.account_id, usage.c.endpoint, usage.c.calls, usage.c.checksum)
        with self._engine.connect() as connection:
            for *values, checksum in connection.execution_options(yield_per=10_000).execute(query):
                if usage_checksum(*values) != checksum:
                    yield " ".join(map(str, values))

    def rows(self, since: date | None = None, account: int | None = None) -> Sequence[UsageRow]:
        """Return usage by day, account and endpoint."""
        key = (usage.c.day, usage.c.account_id, usage.c.endpoint)
        query = select(*key, _SUM).group_by(*key)
        if since is not None:
            query = query.where(usage.c.day >= since)
        if account is not None:
            query = query.where(usage.c.account_id == account)
        with self._engine.connect() as connection:
            # Sorted here: databases order texts differently.
            return [UsageRow(*row) for row in sorted(map(tuple, connection.execute(query)))]


def _largest(totals: Iterable[CounterTotal]) -> list[CounterTotal]:
    """Return the largest total of each account and endpoint in each counter file."""
    largest: dict[tuple[object, ...], CounterTotal] = {}
    for total in totals:
        key = (total.day, total.file, total.account, total.endpoint)
        if key not in largest or largest[key].calls < total.calls:
            largest[key] = total
    return list(largest.values())


def _row(total: CounterTotal, node: str) -> dict[str, object]:
    return {
        "day": total.day,
        "page": total.file,
        "account_id": total.account,
        "endpoint": total.endpoint,
        "calls": total.calls,
        "checksum": usage_checksum(total.day, total.file, total.account, total.endpoint, total.calls),
        "node": node,
    }

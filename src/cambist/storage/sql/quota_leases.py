"""Quota leases in SQL.

Transactions that grant come one after the other, and each sees what those before it granted. What a node has counted
beyond its lease, or without one, is subtracted as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, Connection, Engine, Select, cast, delete, func, select, tuple_, update

from cambist.accounts.quota_leases import LeaseRequest, QuotaLease, share_of
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.schema import quota_leases, usage

_Key = tuple[int, date]
"""An account and the first day of the period."""

_KEYS_AT_ONCE = 5000

_KEY = (quota_leases.c.account_id, quota_leases.c.period_start)


class SqlQuotaLeases:
    """The `QuotaLeases` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def grant(self, node: str, requests: Collection[LeaseRequest], nodes: int) -> Sequence[QuotaLease]:
        """Grant a node more calls of each request, in one transaction."""
        by_key = {
            (request.account, request.period_start): request
            for request in sorted(requests, key=lambda request: request.account)
        }
        if not by_key:
            return []
        with writing(self._engine, WriteLock.LEASES) as connection:
            # The first statement writes: SQLite then sees nothing older than its lock on the file.
            self._add_missing(connection, node, by_key)
            granted, used = _granted(connection, by_key), _used(connection, by_key)
            leases = [_next_lease(node, request, granted[key], used[key], nodes) for key, request in by_key.items()]
            changed = [lease for lease in leases if lease.granted != granted[lease.account, lease.period_start][node]]
            self._write(connection, node, changed)
        return leases

    def _write(self, connection: Connection, node: str, leases: Iterable[QuotaLease]) -> None:
        """Write what a node has been granted, in one statement for all accounts."""
        backend = backend_of(connection)
        insert: Any = backend.insert(quota_leases)
        statement = insert.on_conflict_do_update(
            index_elements=[*_KEY, quota_leases.c.node], set_={"granted": insert.excluded.granted}
        )
        rows = [
            {"account_id": lease.account, "period_start": lease.period_start, "node": node, "granted": lease.granted}
            for lease in leases
        ]
        if rows:
            backend.execute_rows(connection, statement, rows)

    def _add_missing(self, connection: Connection, node: str, keys: Iterable[_Key]) -> None:
        rows = [{"account_id": number, "period_start": start, "node": node, "granted": 0} for number, start in keys]
        backend = backend_of(connection)
        backend.execute_rows(connection, backend.insert(quota_leases).on_conflict_do_nothing(), rows)

    def held(self, node: str, since: date) -> Sequence[QuotaLease]:
        """Return the leases of a node, by account and period."""
        query = select(*_KEY, quota_leases.c.granted).where(
            quota_leases.c.node == node, quota_leases.c.period_start >= since
        )
        with self._engine.connect() as connection:
            return [QuotaLease(*row, free=0) for row in connection.execute(query.order_by(*_KEY))]

    def forget(self, node: str) -> int:
        """Reduce the leases of a node to what it has counted."""
        with writing(self._engine, WriteLock.LEASES) as connection:
            own = quota_leases.c.node == node
            # As above: a write that changes nothing, before anything is read.
            connection.execute(update(quota_leases).where(own).values(granted=quota_leases.c.granted))
            query = select(*_KEY, quota_leases.c.granted).where(own)
            granted = {(number, start): calls for number, start, calls in connection.execute(query)}
            used = _used(connection, granted)
            unused = {key: calls - used[key][node] for key, calls in granted.items() if calls > used[key][node]}
            leases = [QuotaLease(*key, granted=granted[key] - calls, free=0) for key, calls in unused.items()]
            self._write(connection, node, leases)
        return sum(unused.values())

    def remove_before(self, day: date) -> None:
        """Remove the leases of old periods."""
        with writing(self._engine, WriteLock.LEASES) as connection:
            connection.execute(delete(quota_leases).where(quota_leases.c.period_start < day))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _next_lease(node: str, request: LeaseRequest, granted: Counter[str], used: Counter[str], nodes: int) -> QuotaLease:
    """Return the next lease of a node; of each node the larger of what it was granted and has counted is not free."""
    free = max(0, request.quota - sum(max(granted[name], used[name]) for name in granted | used))
    own = max(granted[node], used[node])
    share = share_of(free, granted[node] + request.wanted - own, nodes)
    return QuotaLease(request.account, request.period_start, own + share, free - share)


def _granted(connection: Connection, keys: Collection[_Key]) -> defaultdict[_Key, Counter[str]]:
    """Return what was granted, by node."""
    found: defaultdict[_Key, Counter[str]] = defaultdict(Counter)
    for some in _in_parts(keys):
        query = select(*_KEY, quota_leases.c.node, quota_leases.c.granted).where(tuple_(*_KEY).in_(some))
        _add_by_node(found, connection, query)
    return found


def _used(connection: Connection, keys: Collection[_Key]) -> defaultdict[_Key, Counter[str]]:
    """Return what was counted in periods for which there are leases, by node."""
    found: defaultdict[_Key, Counter[str]] = defaultdict(Counter)
    for some in _in_parts(keys):
        periods = select(*_KEY).where(tuple_(*_KEY).in_(some)).distinct().subquery()
        of_period = (usage.c.account_id == periods.c.account_id) & (usage.c.day >= periods.c.period_start)
        group = (periods.c.account_id, periods.c.period_start, usage.c.node)
        query = select(*group, cast(func.sum(usage.c.calls), BigInteger)).join(periods, of_period).group_by(*group)
        _add_by_node(found, connection, query)
    return found


def _in_parts(keys: Collection[_Key]) -> Iterator[list[_Key]]:
    """Yield the keys in lists that a statement may have as parameters."""
    listed = list(keys)
    for start in range(0, len(listed), _KEYS_AT_ONCE):
        yield listed[start : start + _KEYS_AT_ONCE]


def _add_by_node(
    found: defaultdict[_Key, Counter[str]], connection: Connection, query: Select[int, date, str, int]
) -> None:
    for account, period_start, node, calls in connection.execute(query):
        found[account, period_start][node] = calls

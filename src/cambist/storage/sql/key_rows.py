"""Read all keys with their accounts into columns, some rows at a time, and work out when a key ends."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, select

from cambist.accounts.account import DatetimeFormat
from cambist.accounts.key_table import Bought, KeyColumns, KeyTable
from cambist.storage.sql.schema import accounts, api_keys, bought_calls
from cambist.storage.sql.selects import to_stored

FORMATS = {each.value: each for each in DatetimeFormat}
_AT_ONCE = 5000


def read_key_table(connection: Connection) -> KeyTable:
    """Return the keys of all accounts that are not deleted, as they are now."""
    columns = KeyColumns()
    connection.execution_options(yield_per=_AT_ONCE)
    _read_accounts(connection, columns)
    key, now = api_keys.c, to_stored(datetime.now(UTC))
    query = select(key.digest, key.id, key.account_id, key.expires_at, key.revoked_at).order_by(key.digest)
    for rows in connection.execute(query).partitions():
        columns.add_keys([(*row[:3], *key_end(row[3], row[4], now)) for row in rows])
    return KeyTable(columns)


def _read_accounts(connection: Connection, columns: KeyColumns) -> None:
    one, bought = accounts.c, _bought_calls(connection)
    texts, traits = (one.name, one.email, one.note), (one.plan, one.datetime_format, one.anchor_day, one.suspended)
    query = select(one.id, *texts, *traits).where(one.deleted_at.is_(None)).order_by(one.id)
    for rows in connection.execute(query).partitions():
        columns.add_accounts([(*row[:5], FORMATS[row[5]], *row[6:]) for row in rows], bought)


def _bought_calls(connection: Connection) -> dict[int, Bought]:
    query = select(bought_calls.c.account_id, bought_calls.c.period_start, bought_calls.c.calls)
    bought: dict[int, Bought] = {}
    for account, start, calls in connection.execute(query.order_by(bought_calls.c.id)):
        bought[account] = (*bought.get(account, ()), (start, calls))
    return bought


def key_end(expires_at: datetime | None, revoked_at: datetime | None, now: datetime) -> tuple[datetime | None, bool]:
    """Return the earlier of expiry and revocation, which may both be in the future, and whether it was revoked.

    All times are as they are stored; the end has its time zone.
    """
    if expires_at is revoked_at is None:
        return None, False
    ends = [moment.replace(tzinfo=UTC) for moment in (expires_at, revoked_at) if moment is not None]
    return min(ends), revoked_at is not None and revoked_at <= now

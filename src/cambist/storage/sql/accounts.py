"""Accounts and key digests in SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from cambist.accounts.account import Account, KeyChanges, KeyRecord, NewKey, StoredKey
from cambist.accounts.account_search import AccountSearch, FoundAccounts, ListedAccount
from cambist.accounts.api_key import Digest
from cambist.accounts.key_table import KeyTable
from cambist.errors import NameTaken
from cambist.storage.sql.account_list import calls_and_last_use, find_accounts
from cambist.storage.sql.backends import WriteLock, backend_of, writing
from cambist.storage.sql.key_rows import FORMATS, key_end, read_key_table
from cambist.storage.sql.schema import account_changes, accounts, api_keys, bought_calls
from cambist.storage.sql.selects import to_stored

_ACCOUNT = (
    accounts.c.id,
    accounts.c.name,
    accounts.c.plan,
    accounts.c.datetime_format,
    accounts.c.anchor_day,
    accounts.c.suspended,
    accounts.c.email,
    accounts.c.note,
)


_KEY = (api_keys.c.digest, api_keys.c.id, api_keys.c.account_id, api_keys.c.expires_at, api_keys.c.revoked_at)


def _create(connection: Connection, account: Account, key: NewKey | None) -> Account:
    row = {"name": account.name, "created_at": _now(), **_changeable(account)}
    try:
        number = connection.execute(insert(accounts).values(row).returning(accounts.c.id)).scalar_one()
        _record_change(connection, number)
        if key is not None:
            _add_key(connection, number, key)
    except IntegrityError:
        raise NameTaken(f"There is an account named [{account.name}] already") from None
    return replace(account, number=number, bought=())


class SqlAccounts:
    """The `Accounts` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, account: Account, key: NewKey | None = None) -> Account:
        """Create an account, with a first key if given. Errors: NameTaken."""
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            return _create(connection, account, key)

    def create_all(self, new: Sequence[tuple[Account, NewKey]]) -> Sequence[Account]:
        """Create accounts with a first key each, all or none of them. Errors: NameTaken."""
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            return [_create(connection, account, key) for account, key in new]

    def change(self, account: Account) -> None:
        """Update plan, format, anchor day, address, note and suspension."""
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            connection.execute(update(accounts).where(accounts.c.id == account.number).values(_changeable(account)))
            _record_change(connection, account.number)

    def delete(self, account: Account) -> None:
        """Mark an account as deleted and revoke its keys."""
        theirs = (api_keys.c.account_id == account.number) & api_keys.c.revoked_at.is_(None)
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            connection.execute(
                update(accounts).where(accounts.c.id == account.number).values(deleted_at=_now(), email="", note="")
            )
            connection.execute(update(api_keys).where(theirs).values(revoked_at=_now()))
            _record_change(connection, account.number)

    def buy(self, account: Account, period_start: date, calls: int) -> None:
        """Add extra calls for one period."""
        row = {"account_id": account.number, "period_start": period_start, "calls": calls, "bought_at": _now()}
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            connection.execute(insert(bought_calls).values(row))
            _record_change(connection, account.number)

    def named(self, name: str) -> Account | None:
        """Return the account with this name; None if there is none."""
        with self._engine.connect() as connection:
            found = _accounts(connection, _active().where(accounts.c.name == name))
        return next(iter(found.values()), None)

    def numbered(self, numbers: Collection[int]) -> Sequence[Account]:
        """Return the accounts of these numbers that are not deleted."""
        theirs = select(accounts.c.id).where(accounts.c.id.in_(sorted(numbers)))
        with self._engine.connect() as connection:
            return list(_accounts(connection, _active().where(accounts.c.id.in_(theirs)), theirs).values())

    def all(self) -> Sequence[Account]:
        """Return all accounts that are not deleted, by name."""
        with self._engine.connect() as connection:
            return sorted(_accounts(connection, _active()).values(), key=lambda account: account.name)

    def one_of_each_plan(self) -> Sequence[Account]:
        """Return the first account, by name, of each plan that any account is on."""
        names = select(func.min(accounts.c.name)).where(accounts.c.deleted_at.is_(None)).group_by(accounts.c.plan)
        theirs = select(accounts.c.id).where(accounts.c.name.in_(names), accounts.c.deleted_at.is_(None))
        with self._engine.connect() as connection:
            found = _accounts(connection, _active().where(accounts.c.id.in_(theirs)), theirs)
        return sorted(found.values(), key=lambda account: account.name)

    def find(self, search: AccountSearch, quotas: Mapping[str, int | None], today: date) -> FoundAccounts:
        """Return a page of the accounts that a search finds."""
        with self._engine.connect() as connection:
            numbers, total = find_accounts(connection, search, quotas, today)
            theirs = select(accounts.c.id).where(accounts.c.id.in_(numbers))
            found = _accounts(connection, _active().where(accounts.c.id.in_(numbers)), theirs)
            used, seen = calls_and_last_use(connection, numbers, today)
        rows = (ListedAccount(found[each], used.get(each, 0), seen.get(each)) for each in numbers if each in found)
        return FoundAccounts(tuple(rows), total)

    def add_key(self, account: Account, key: NewKey) -> None:
        """Add a key to an account."""
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            _add_key(connection, account.number, key)
            _record_change(connection, account.number)

    def keys(self, account: Account) -> Sequence[KeyRecord]:
        """Return all keys of an account, oldest first."""
        query = select(api_keys).where(api_keys.c.account_id == account.number).order_by(api_keys.c.id)
        with self._engine.connect() as connection:
            return [_key(row, account.name) for row in connection.execute(query)]

    def revoke(self, key: KeyRecord, at: datetime) -> None:
        """Set when a key ends."""
        revoked = update(api_keys).where(api_keys.c.id == key.number).values(revoked_at=to_stored(at))
        with writing(self._engine, WriteLock.ACCOUNTS) as connection:
            for account_number in connection.execute(revoked.returning(api_keys.c.account_id)).scalars().all():
                _record_change(connection, account_number)

    def record_last_use(self, last_used: Mapping[int, datetime]) -> None:
        """Store the last use of keys."""
        rows = [{"number": number, "at": to_stored(moment)} for number, moment in last_used.items()]
        if rows:
            row = update(api_keys).where(api_keys.c.id == bindparam("number"))
            with writing(self._engine, WriteLock.ACCOUNTS) as connection:
                backend_of(connection).execute_rows(connection, row.values(last_used_at=bindparam("at")), rows)

    def by_key(self) -> KeyTable:
        """Return all keys of accounts that are not deleted."""
        with self._engine.connect() as connection:
            return read_key_table(connection)

    def last_change(self) -> int:
        """Return the number of the last change; 0 if there was none."""
        with self._engine.connect() as connection:
            return _last_change(connection)

    def changes_since(self, change: int) -> KeyChanges:
        """Return the keys of the accounts that have changed after the change of that number.

        If there was no such change, as after a restored backup, these are all keys.
        """
        theirs = select(account_changes.c.account_id).where(account_changes.c.id > change)
        with self._engine.connect() as connection:
            # Read first: what changes meanwhile is then read again the next time.
            last = _last_change(connection)
            if last >= change:
                active = _accounts(connection, _active().where(accounts.c.id.in_(theirs)), theirs)
                rows = connection.execute(select(*_KEY).where(api_keys.c.account_id.in_(theirs))).all()
                keys = {Digest(row[0]): _stored_key(row, active[row[2]]) if row[2] in active else None for row in rows}
                return KeyChanges(last, keys)
        return KeyChanges(last, self.by_key(), is_complete=True)

    def highest_numbers(self) -> tuple[int, int]:
        """Return the highest number of an account, and of a key; 0 if there is none."""
        with self._engine.connect() as connection:
            account, key = (
                connection.execute(select(func.max(table.c.id))).scalar() or 0 for table in (accounts, api_keys)
            )
            return account, key


def _changeable(account: Account) -> dict[str, object]:
    return {
        "plan": account.plan,
        "datetime_format": account.datetime_format.value,
        "anchor_day": account.anchor_day,
        "suspended": account.suspended,
        "email": account.email,
        "note": account.note,
    }


def _add_key(connection: Connection, account_number: int, key: NewKey) -> None:
    row = {
        "digest": key.digest,
        "account_id": account_number,
        "name": key.name,
        "prefix": key.prefix,
        "created_at": _now(),
        "expires_at": to_stored(key.expires_at) if key.expires_at else None,
    }
    connection.execute(insert(api_keys).values(row))


def _active() -> Select[int, str, str, str, int, bool, str, str]:
    return select(*_ACCOUNT).where(accounts.c.deleted_at.is_(None))


def _accounts(
    connection: Connection, query: Select[int, str, str, str, int, bool, str, str], only: Select[int] | None = None
) -> dict[int, Account]:
    """Return accounts by their numbers. `only` selects the numbers of accounts whose extra calls are read."""
    calls = select(bought_calls.c.account_id, bought_calls.c.period_start, bought_calls.c.calls)
    calls = calls if only is None else calls.where(bought_calls.c.account_id.in_(only))
    bought: dict[int, list[tuple[date, int]]] = {}
    for number, *period in connection.execute(calls.order_by(bought_calls.c.id)):
        bought.setdefault(number, []).append((period[0], period[1]))
    return {
        number: Account(
            number, name, plan, FORMATS[form], anchor_day, suspended, tuple(bought.get(number, ())), email, note
        )
        for number, name, plan, form, anchor_day, suspended, email, note in connection.execute(query)
    }


def _last_change(connection: Connection) -> int:
    return connection.execute(select(func.max(account_changes.c.id))).scalar() or 0


def _record_change(connection: Connection, account_number: int) -> None:
    connection.execute(insert(account_changes).values(account_id=account_number))


def _key(row: Any, account_name: str) -> KeyRecord:
    return KeyRecord(
        number=row.id,
        account=account_name,
        name=row.name,
        prefix=row.prefix,
        created_at=row.created_at.replace(tzinfo=UTC),
        expires_at=_moment(row.expires_at),
        revoked_at=_moment(row.revoked_at),
        last_used_at=_moment(row.last_used_at),
    )


def _stored_key(row: Any, account: Account) -> StoredKey:
    """Return a key with its end: the earlier of expiry and revocation, which may both be in the future."""
    _, number, _, expires_at, revoked_at = row
    return StoredKey(number, account, *key_end(expires_at, revoked_at, _now()))


def _moment(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


def _now() -> datetime:
    return to_stored(datetime.now(UTC))

"""Accounts and key digests in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Select, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from cambist.accounts.account import Account, DatetimeFormat, KeyRecord, NewKey, StoredKey
from cambist.accounts.api_key import Digest
from cambist.errors import NameTaken
from cambist.storage.sql.schema import accounts, api_keys, bought_calls
from cambist.storage.sql.selects import to_stored

_ACCOUNT = (
    accounts.c.id,
    accounts.c.name,
    accounts.c.plan,
    accounts.c.datetime_format,
    accounts.c.anchor_day,
    accounts.c.suspended,
)


class SqlAccounts:
    """The `Accounts` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, account: Account, key: NewKey | None = None) -> Account:
        """Create an account, with a first key if given. Errors: NameTaken."""
        row = {"name": account.name, "created_at": _now(), **_changeable(account)}
        try:
            with self._engine.begin() as connection:
                number = connection.execute(insert(accounts).values(row).returning(accounts.c.id)).scalar_one()
                if key is not None:
                    _add_key(connection, number, key)
        except IntegrityError:
            raise NameTaken(f"There is an account named [{account.name}] already") from None
        return Account(number, account.name, account.plan, account.datetime_format, account.anchor_day)

    def change(self, account: Account) -> None:
        """Update plan, format, anchor day and suspension."""
        with self._engine.begin() as connection:
            connection.execute(update(accounts).where(accounts.c.id == account.number).values(_changeable(account)))

    def delete(self, account: Account) -> None:
        """Mark an account as deleted and revoke its keys."""
        theirs = (api_keys.c.account_id == account.number) & api_keys.c.revoked_at.is_(None)
        with self._engine.begin() as connection:
            connection.execute(update(accounts).where(accounts.c.id == account.number).values(deleted_at=_now()))
            connection.execute(update(api_keys).where(theirs).values(revoked_at=_now()))

    def buy(self, account: Account, period_start: date, calls: int) -> None:
        """Add extra calls for one period."""
        row = {"account_id": account.number, "period_start": period_start, "calls": calls, "bought_at": _now()}
        with self._engine.begin() as connection:
            connection.execute(insert(bought_calls).values(row))

    def named(self, name: str) -> Account | None:
        """Return the account with this name; None if there is none."""
        with self._engine.connect() as connection:
            found = _accounts(connection, _active().where(accounts.c.name == name))
        return next(iter(found.values()), None)

    def all(self) -> Sequence[Account]:
        """Return all accounts that are not deleted, by name."""
        with self._engine.connect() as connection:
            return sorted(_accounts(connection, _active()).values(), key=lambda account: account.name)

    def add_key(self, account: Account, key: NewKey) -> None:
        """Add a key to an account."""
        with self._engine.begin() as connection:
            _add_key(connection, account.number, key)

    def keys(self, account: Account) -> Sequence[KeyRecord]:
        """Return all keys of an account, oldest first."""
        query = select(api_keys).where(api_keys.c.account_id == account.number).order_by(api_keys.c.id)
        with self._engine.connect() as connection:
            return [_key(row, account.name) for row in connection.execute(query)]

    def revoke(self, key: KeyRecord, at: datetime) -> None:
        """Set when a key ends."""
        with self._engine.begin() as connection:
            connection.execute(update(api_keys).where(api_keys.c.id == key.number).values(revoked_at=to_stored(at)))

    def record_last_use(self, last_used: Mapping[int, datetime]) -> None:
        """Store the last use of keys."""
        rows = [{"number": number, "at": to_stored(moment)} for number, moment in last_used.items()]
        if rows:
            row = update(api_keys).where(api_keys.c.id == bindparam("number"))
            with self._engine.begin() as connection:
                connection.execute(row.values(last_used_at=bindparam("at")), rows)

    def by_key(self) -> Mapping[Digest, StoredKey]:
        """Return all keys of accounts that are not deleted."""
        columns = (
            api_keys.c.id,
            api_keys.c.digest,
            api_keys.c.account_id,
            api_keys.c.expires_at,
            api_keys.c.revoked_at,
        )
        with self._engine.connect() as connection:
            active = _accounts(connection, _active())
            rows = connection.execute(select(*columns)).all()
        return {
            Digest(row.digest): _stored_key(row, active[row.account_id]) for row in rows if row.account_id in active
        }


def _changeable(account: Account) -> dict[str, object]:
    return {
        "plan": account.plan,
        "datetime_format": account.datetime_format.value,
        "anchor_day": account.anchor_day,
        "suspended": account.suspended,
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


def _active() -> Select[int, str, str, str, int, bool]:
    return select(*_ACCOUNT).where(accounts.c.deleted_at.is_(None))


def _accounts(connection: Connection, query: Select[int, str, str, str, int, bool]) -> dict[int, Account]:
    bought: dict[int, list[tuple[date, int]]] = {}
    for row in connection.execute(select(bought_calls).order_by(bought_calls.c.id)):
        bought.setdefault(row.account_id, []).append((row.period_start, row.calls))
    return {row.id: _account(row, tuple(bought.get(row.id, ()))) for row in connection.execute(query)}


def _account(row: Any, bought: tuple[tuple[date, int], ...]) -> Account:
    return Account(
        number=row.id,
        name=row.name,
        plan=row.plan,
        datetime_format=DatetimeFormat(row.datetime_format),
        anchor_day=row.anchor_day,
        suspended=row.suspended,
        bought=bought,
    )


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
    ends = [moment for moment in (_moment(row.expires_at), _moment(row.revoked_at)) if moment is not None]
    revoked = row.revoked_at is not None and row.revoked_at <= _now()
    return StoredKey(row.id, account, min(ends, default=None), revoked)


def _moment(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


def _now() -> datetime:
    return to_stored(datetime.now(UTC))

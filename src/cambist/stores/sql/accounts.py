"""Accounts and key digests in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine, Row, insert, select

from cambist.accounts.account import Account
from cambist.accounts.api_key import Digest
from cambist.stores.sql.schema import accounts, api_keys

_ACCOUNT = (accounts.c.id, accounts.c.name, accounts.c.plan)


class SqlAccounts:
    """The `Accounts` protocol over one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, name: str, plan: str, key: Digest, key_prefix: str) -> Account:
        """Create an account with its first key, both or none."""
        now = datetime.now(UTC).replace(tzinfo=None)
        with self._engine.begin() as connection:
            added = insert(accounts).values(name=name, plan=plan, created_at=now).returning(accounts.c.id)
            number = connection.execute(added).scalar_one()
            connection.execute(
                insert(api_keys).values(digest=key, account_id=number, prefix=key_prefix, created_at=now)
            )
        return Account(number, name, plan)

    def named(self, name: str) -> Account | None:
        """Give the account of that name, if there is one."""
        with self._engine.connect() as connection:
            row = connection.execute(select(*_ACCOUNT).where(accounts.c.name == name)).one_or_none()
        return None if row is None else _account(row)

    def by_key(self) -> Mapping[Digest, Account]:
        """Give every key that opens something, with its account."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(*_ACCOUNT, api_keys.c.digest).join(api_keys)).all()
        return {Digest(row.digest): _account(row) for row in rows}


def _account(row: Row[Any, Any, Any] | Row[Any, Any, Any, Any]) -> Account:
    return Account(row.id, row.name, row.plan)

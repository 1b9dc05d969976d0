"""An account: who pays, on which plan. It may hold several keys."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from cambist.accounts.api_key import Digest

OWNER = "owner"
"""The account that the first start creates."""

UNLIMITED = "unlimited"
"""The plan that it gets."""


class DatetimeFormat(StrEnum):
    """The format of times in an account's answers."""

    ISO = "iso"
    SPACED = "spaced"
    UNIX_MS = "unix-ms"


@dataclass(frozen=True, slots=True)
class Account:
    """One account.

    `anchor_day` is the day of the month on which its periods begin (in shorter months the last day). `bought` has
    extra calls by the first day of the period that they are for. `email` is where its owner is told of the quota; empty
    if nowhere. `note` is the operator's own; nobody else sees it.
    """

    number: int
    name: str
    plan: str
    datetime_format: DatetimeFormat = DatetimeFormat.ISO
    anchor_day: int = 1
    suspended: bool = False
    bought: tuple[tuple[date, int], ...] = ()
    email: str = ""
    note: str = ""

    def bought_for(self, period_start: date) -> int:
        """Return the extra calls of one period."""
        return sum(calls for start, calls in self.bought if start == period_start)


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key as it is listed: everything but the key itself. Times are UTC."""

    number: int
    account: str
    name: str
    prefix: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key as it is stored: its number and its account, when it expires (UTC), and whether it was revoked."""

    key: int
    account: Account
    expires_at: datetime | None = None
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class NewKey:
    """What is stored of a new key."""

    digest: Digest
    prefix: str
    name: str = ""
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyChanges:
    """Keys that may have changed since some moment; None for a key of an account that was deleted.

    `last` is the number of the last change. If `is_complete`, these are all keys that there are.
    """

    last: int
    keys: Mapping[Digest, StoredKey | None]
    is_complete: bool = False


class KnownAccounts(Protocol):
    """What a server knows of accounts and the digests of their keys. Deleted accounts are left out."""

    def named(self, name: str) -> Account | None:
        """Return the account of that name, if there is one."""

    def numbered(self, numbers: Collection[int]) -> Sequence[Account]:
        """Return the accounts of these numbers."""

    def all(self) -> Sequence[Account]:
        """Return all accounts, by name."""

    def one_of_each_plan(self) -> Sequence[Account]:
        """Return the first account, by name, of each plan that any account is on."""

    def by_key(self) -> Mapping[Digest, StoredKey]:
        """Return every key of every account; a server keeps them in memory."""

    def last_change(self) -> int:
        """Return the number of the last change of any account, key or extra calls; 0 if there was none."""

    def changes_since(self, change: int) -> KeyChanges:
        """Return the keys of the accounts that have changed after the change of that number."""

    def highest_numbers(self) -> tuple[int, int]:
        """Return the highest number of an account, and of a key, also of deleted ones; 0 if there is none."""


class AccountKeys(Protocol):
    """The store of keys."""

    def add_key(self, account: Account, key: NewKey) -> None:
        """Add a key to an account."""

    def keys(self, account: Account) -> Sequence[KeyRecord]:
        """Return an account's keys, oldest first, with revoked ones."""

    def revoke(self, key: KeyRecord, at: datetime) -> None:
        """Revoke a key now, or later if it overlaps with its successor."""

    def record_last_use(self, last_used: Mapping[int, datetime]) -> None:
        """Record when keys were last used, by their numbers."""


class Accounts(KnownAccounts, AccountKeys, Protocol):
    """The store of accounts and their keys. Names are unique among accounts that are not deleted."""

    def create(self, account: Account, key: NewKey | None = None) -> Account:
        """Create an account, with a first key if there is one, both or neither; return it with its `number`.

        Errors: NameTaken.
        """

    def create_all(self, new: Sequence[tuple[Account, NewKey]]) -> Sequence[Account]:
        """Create accounts with a first key each, all or none of them; return them with their `number`.

        Errors: NameTaken.
        """

    def change(self, account: Account) -> None:
        """Store another plan, format, anchor day, address, note or suspension under the account's number."""

    def delete(self, account: Account) -> None:
        """Delete an account and revoke its keys. Its row and usage remain, for invoices, without address and note."""

    def buy(self, account: Account, period_start: date, calls: int) -> None:
        """Add extra calls for one period."""

"""A search of accounts: which are listed, in which order, and what a list shows of each. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol

from cambist.accounts.account import Account, Accounts

NEAR_PERCENT = 80
"""From this share of its quota on an account is near it."""


class AccountOrder(StrEnum):
    """By what accounts are ordered: the share of the quota that is used, the calls of the period, the last use."""

    NAME = "name"
    QUOTA = "quota"
    CALLS = "calls"
    SEEN = "seen"


class AccountState(StrEnum):
    """Which accounts are wanted: `near` have used at least 80 % of their quota and less than all, `over` all of it."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    NEAR = "near"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class AccountSearch:
    """What is wanted.

    Each word of `text` is a part of an account's name, plan, address, note or of the prefix of one of its keys, or its
    state; the letters A to Z are found in either case. Names run from the first on, numbers from the highest and times
    from the latest; `reverse` turns that round. `limit` bounds the rows of one page, and `plan` is that of all rows.
    """

    text: str = ""
    state: AccountState | None = None
    order: AccountOrder = AccountOrder.NAME
    plan: str = ""
    reverse: bool = False
    offset: int = 0
    limit: int = 500


@dataclass(frozen=True, slots=True)
class ListedAccount:
    """An account, its calls in its current period, and when one of its keys was last used (UTC)."""

    account: Account
    used: int
    last_seen: datetime | None


@dataclass(frozen=True, slots=True)
class FoundAccounts:
    """One page of the accounts that a search has found, and how many it has found in all."""

    rows: tuple[ListedAccount, ...]
    total: int


class SearchableAccounts(Accounts, Protocol):
    """The store of accounts and their keys, with searches."""

    def find(self, search: AccountSearch, quotas: Mapping[str, int | None], today: date) -> FoundAccounts:
        """Return a page of the accounts that a search finds; `quotas` are the calls a month by plan, None without."""

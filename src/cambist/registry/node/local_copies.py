"""Copies of accounts and usage in the data folder, from which processes start while the database's server is gone.

The usage writer makes them. A SQLite database is in the folder itself, and needs none.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import msgspec

from cambist.accounts.account import KnownAccounts
from cambist.accounts.meter import PastUsage
from cambist.accounts.usage_counters import CounterFileKey
from cambist.clock import utc_now
from cambist.registry.node.nodes import node_name
from cambist.settings import Settings
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file, write_json_file
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql.accounts_copy import open_accounts_copy

USAGE_DAYS = timedelta(days=62)
"""How many days of usage are kept in memory: two periods."""


class UsageCopy(msgspec.Struct, frozen=True):
    """Calls by account number and day that were in the database, without those of counter files that were there."""

    files: tuple[tuple[date, int], ...]
    past: dict[int, dict[date, int]]


class LocalCopies:
    """Copies accounts when they have changed, and usage when a day has begun or counter files have come or gone."""

    def __init__(self, settings: Settings, store: AccountStore, files: Callable[[], frozenset[CounterFileKey]]) -> None:
        self._folder = DataDirectory(settings.data)
        self._is_needed = bool(settings.database)
        self._node = node_name(settings) if settings.is_node else None
        self._store = store
        self._files = files
        self._changes = data_changes(self._folder.path)
        self._accounts_seen: int | None = None
        self._usage_seen: tuple[date, frozenset[CounterFileKey]] | None = None

    def update(self, today: date) -> None:
        """Copy what has changed. Errors: StoreBroken, Unwritable."""
        if not self._is_needed:
            return
        version = self._changes.version(Topic.ACCOUNTS)
        if version != self._accounts_seen:
            self._store.copy_accounts(self._folder.accounts_copy)
            self._accounts_seen = version
        files = self._files()
        if self._usage_seen != (today, files):
            past = self._store.usage.by_day(today - USAGE_DAYS, without=files, node=self._node)
            copied = {account: dict(days) for account, days in past.items()}
            write_json_file(self._folder.usage_copy, UsageCopy(tuple(sorted(files)), copied))
            self._usage_seen = today, files


def copied_accounts(settings: Settings) -> KnownAccounts | None:
    """Return the accounts as they were copied last; None if they were not, and for a database without a server."""
    return open_accounts_copy(DataDirectory(settings.data).accounts_copy) if settings.database else None


def copied_past_usage(settings: Settings, files: frozenset[CounterFileKey]) -> PastUsage | None:
    """Return the usage in the database that is in none of these counter files, as it was copied last.

    None if there is no copy, or if a counter file was removed since it was made.
    """
    copy = read_json_file(DataDirectory(settings.data).usage_copy, UsageCopy) if settings.database else None
    if copy is None or not set(copy.files) <= files:
        return None
    since = utc_now().date() - USAGE_DAYS
    return {account: {day: calls for day, calls in days.items() if day >= since} for account, days in copy.past.items()}

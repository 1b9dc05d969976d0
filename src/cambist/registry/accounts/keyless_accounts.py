"""The accounts that pay for calls without a key, on an open page and in dialects: found by their names."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace

from cambist.accounts.account import KeyChanges, KnownAccounts, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.key_table import KeyTable
from cambist.accounts.keyless_access import DIALECTS, PAGE, with_account
from cambist.errors import CannotStart, StoreUnreachable
from cambist.registry.node.local_copies import copied_accounts
from cambist.settings import Settings

log = logging.getLogger(__name__)
_MOST_CHANGED = 10_000
"""When so many keys have changed since all were read, all are read again."""


def stored_keys(settings: Settings, accounts: KnownAccounts) -> Mapping[Digest, StoredKey]:
    """Return all keys, with the accounts that pay for calls without one."""
    return _with_named(accounts.by_key(), settings, accounts)


def _with_named(
    keys: Mapping[Digest, StoredKey], settings: Settings, accounts: KnownAccounts
) -> Mapping[Digest, StoredKey]:
    for digest, name in _named(settings).items():
        keys = with_account(keys, digest, accounts.named(name))
    return keys


def _named(settings: Settings) -> dict[Digest, str]:
    """Return the names of the accounts that pay for calls without a key."""
    named = {PAGE: settings.page_account} if settings.page == "open" else {}
    if settings.dialects and settings.dialect_account:
        named[DIALECTS] = settings.dialect_account
    return named


class KeyReader:
    """Reads the keys that a process keeps in memory: all of them once, and then those of accounts that have changed.

    Keys that were read from a copy, because the database could not be reached, `are_copied`: they may be outdated.
    """

    def __init__(self, settings: Settings, accounts: KnownAccounts) -> None:
        self._settings = settings
        self._accounts = accounts
        self._last = -1
        self._changed = 0
        self.are_copied = False

    def read_all(self) -> Mapping[Digest, StoredKey]:
        """Return all keys, and the accounts that pay for calls without one.

        Errors: StoreBroken; StoreUnreachable only if there is no copy.
        """
        try:
            return self._read_all(self._accounts)
        except StoreUnreachable as error:
            copy = copied_accounts(self._settings)
            if copy is None:
                raise
            keys = self._read_all(copy)
            self.are_copied = True
            log.warning("Accounts: they are read from a copy, of %d keys: %s", len(keys), error)
            return keys

    def _read_all(self, accounts: KnownAccounts) -> Mapping[Digest, StoredKey]:
        # Read first: what changes meanwhile is then read again.
        self._last = accounts.last_change()
        return stored_keys(self._settings, accounts)

    def read_changes(self) -> KeyChanges:
        """Return the keys that may have changed since the last changes that were applied."""
        changes = self._accounts.changes_since(self._last)
        if self._changed + len(changes.keys) > _MOST_CHANGED:  # in columns they take a tenth of the memory
            changes = replace(changes, keys=self._accounts.by_key(), is_complete=True)
        named = _named(self._settings)
        if not named:
            return changes
        if changes.is_complete:
            return replace(changes, keys=_with_named(KeyTable.of(changes.keys), self._settings, self._accounts))
        found = _with_named({}, self._settings, self._accounts)
        return replace(changes, keys={**changes.keys, **dict.fromkeys(named), **found})

    def mark_applied(self, changes: KeyChanges) -> None:
        """Do not return these changes again."""
        self._last = changes.last
        self._changed = 0 if changes.is_complete else self._changed + len(changes.keys)
        self.are_copied = False


def check_page_account(settings: Settings) -> None:
    """Check that an open page names who pays for it. Errors: CannotStart."""
    if settings.page == "open" and not settings.page_account:
        raise CannotStart("The page is open, but nobody pays for its calls: name an account in [page_account]")


def missing_accounts(settings: Settings, accounts: KnownAccounts) -> Iterator[str]:
    """Yield a sentence for each account that should pay for calls without a key, but does not exist or is suspended.

    A service starts without it, because only a started service has accounts; it is found as soon as it is created.
    """
    settings_by_digest = {PAGE: "page_account", DIALECTS: "dialect_account"}
    for digest, name in _named(settings).items():
        account = accounts.named(name)
        named = f"The setting [{settings_by_digest[digest]}] names [{name}]"
        if account is None:
            create = f"cambist account create {name} --plan …"
            yield f"{named}, which does not exist: calls without a key are refused until you create it ({create})"
        elif account.suspended:
            resume = f"cambist account resume {name}"
            yield f"{named}, which is suspended: calls without a key are refused until you resume it ({resume})"

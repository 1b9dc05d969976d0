"""The accounts that pay for calls without a key, on an open page and in dialects: found by their names."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from cambist.accounts.account import KeyChanges, KnownAccounts, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.keyless_access import DIALECTS, PAGE, with_account
from cambist.errors import CannotStart, StoreUnreachable
from cambist.registry.node.local_copies import copied_accounts
from cambist.settings import Settings

log = logging.getLogger(__name__)


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
        named = _named(self._settings)
        if not named:
            return changes
        found = _with_named({}, self._settings, self._accounts)
        return replace(changes, keys={**changes.keys, **dict.fromkeys(named), **found})

    def mark_applied(self, changes: KeyChanges) -> None:
        """Do not return these changes again."""
        self._last = changes.last
        self.are_copied = False


def check_page_account(settings: Settings, accounts: KnownAccounts) -> None:
    """Check that somebody pays for an open page. Errors: CannotStart."""
    if settings.page != "open":
        return
    if not settings.page_account:
        raise CannotStart("The page is open, but nobody pays for its calls: name an account in [page_account]")
    _check_account("page_account", settings.page_account, accounts)


def check_dialect_account(settings: Settings, accounts: KnownAccounts) -> None:
    """Check the account that pays for calls in a dialect without a key, if one is named. Errors: CannotStart."""
    if settings.dialects and settings.dialect_account:
        _check_account("dialect_account", settings.dialect_account, accounts)


def _check_account(setting: str, name: str, accounts: KnownAccounts) -> None:
    account = accounts.named(name)
    if account is None:
        create = f"cambist account create {name} --plan …"
        raise CannotStart(f"The setting [{setting}] names [{name}], which does not exist: create it ({create})")
    if account.suspended:
        raise CannotStart(
            f"The setting [{setting}] names [{name}], which is suspended: resume it (cambist account resume {name})"
        )

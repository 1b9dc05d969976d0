"""The accounts that pay for calls without a key, on an open page and in dialects: found by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cambist.accounts.account import Accounts, KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.page_access import DIALECTS, PAGE, with_account
from cambist.errors import CannotStart
from cambist.settings import Settings


def stored_keys(settings: Settings, accounts: Accounts) -> Mapping[Digest, StoredKey]:
    """Return all keys, with the accounts that pay for calls without one."""
    return _with_named(accounts.by_key(), settings, accounts)


def _with_named(keys: Mapping[Digest, StoredKey], settings: Settings, accounts: Accounts) -> Mapping[Digest, StoredKey]:
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
    """Reads the keys that a process keeps in memory: all of them once, and then those of accounts that have changed."""

    def __init__(self, settings: Settings, accounts: Accounts) -> None:
        self._settings = settings
        self._accounts = accounts
        self._last = accounts.last_change()

    def read_all(self) -> Mapping[Digest, StoredKey]:
        """Return all keys, and the accounts that pay for calls without one."""
        return stored_keys(self._settings, self._accounts)

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


def check_page_account(settings: Settings, accounts: Accounts) -> None:
    """Check that somebody pays for an open page. Errors: CannotStart."""
    if settings.page != "open":
        return
    if not settings.page_account:
        raise CannotStart("The page is open, but nobody pays for its calls: name an account in [page_account]")
    _check_account("page_account", settings.page_account, accounts)


def check_dialect_account(settings: Settings, accounts: Accounts) -> None:
    """Check the account that pays for calls in a dialect without a key, if one is named. Errors: CannotStart."""
    if settings.dialects and settings.dialect_account:
        _check_account("dialect_account", settings.dialect_account, accounts)


def _check_account(setting: str, name: str, accounts: Accounts) -> None:
    account = accounts.named(name)
    if account is None:
        create = f"cambist account create {name} --plan …"
        raise CannotStart(f"The setting [{setting}] names [{name}], which does not exist: create it ({create})")
    if account.suspended:
        raise CannotStart(
            f"The setting [{setting}] names [{name}], which is suspended: resume it (cambist account resume {name})"
        )

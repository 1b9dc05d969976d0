"""The account of an open page: found by its name in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cambist.accounts.account import Accounts, KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.page_access import PAGE, with_page_account
from cambist.errors import CannotStart
from cambist.settings import Settings


def stored_keys(settings: Settings, accounts: Accounts) -> Mapping[Digest, StoredKey]:
    """Return all keys, with the account that pays for visitors without one if the page is open."""
    account = accounts.named(settings.page_account) if settings.page == "open" else None
    return with_page_account(accounts.by_key(), account)


class KeyReader:
    """Reads the keys that a process keeps in memory: all of them once, and then those of accounts that have changed."""

    def __init__(self, settings: Settings, accounts: Accounts) -> None:
        self._settings = settings
        self._accounts = accounts
        self._last = accounts.last_change()

    def read_all(self) -> Mapping[Digest, StoredKey]:
        """Return all keys, and the account of an open page."""
        return stored_keys(self._settings, self._accounts)

    def read_changes(self) -> KeyChanges:
        """Return the keys that may have changed since the last changes that were applied."""
        changes = self._accounts.changes_since(self._last)
        if self._settings.page != "open":
            return changes
        of_page = with_page_account({}, self._accounts.named(self._settings.page_account))
        return replace(changes, keys={**changes.keys, PAGE: None, **of_page})

    def mark_applied(self, changes: KeyChanges) -> None:
        """Do not return these changes again."""
        self._last = changes.last


def check_page_account(settings: Settings, accounts: Accounts) -> None:
    """Check that somebody pays for an open page. Errors: CannotStart."""
    name = settings.page_account
    if settings.page != "open":
        return
    if not name:
        raise CannotStart("The page is open, but nobody pays for its calls: name an account in [page_account]")
    account = accounts.named(name)
    if account is None:
        create = f"cambist account create {name} --plan …"
        raise CannotStart(f"The setting [page_account] names [{name}], which does not exist: create it ({create})")
    if account.suspended:
        raise CannotStart(
            f"The setting [page_account] names [{name}], which is suspended: resume it (cambist account resume {name})"
        )

"""The account of an open page: found by its name in the settings."""

from __future__ import annotations

from collections.abc import Mapping

from cambist.accounts.account import Accounts, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.page_access import with_page_account
from cambist.errors import CannotStart
from cambist.settings import Settings


def stored_keys(settings: Settings, accounts: Accounts) -> Mapping[Digest, StoredKey]:
    """Return all keys, with the account that pays for visitors without one if the page is open."""
    account = accounts.named(settings.page_account) if settings.page == "open" else None
    return with_page_account(accounts.by_key(), account)


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

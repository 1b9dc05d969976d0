"""Access without a key: the account that the operator names pays for the page's visitors, or for dialects. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.key_table import KeyTable

PAGE = Digest(b"page")
"""Where the account of an open page is among the principals. It is shorter than any digest of a key."""

DIALECTS = Digest(b"dialects")
"""Where the account of calls in a dialect without a key is among the principals; also shorter than any digest."""

NO_KEY = 0
"""The number of a key that is none; numbers of keys begin at 1."""


def with_page_account(stored_keys: Mapping[Digest, StoredKey], account: Account | None) -> Mapping[Digest, StoredKey]:
    """Return the stored keys and, unless it is None, the account that pays for visitors without a key."""
    return with_account(stored_keys, PAGE, account)


def with_account(
    stored_keys: Mapping[Digest, StoredKey], digest: Digest, account: Account | None
) -> Mapping[Digest, StoredKey]:
    """Return the stored keys and, unless it is None, an account that pays for calls without a key."""
    added = {} if account is None else {digest: StoredKey(NO_KEY, account)}
    return KeyTable.of(stored_keys).with_changes(added) if added else stored_keys


def is_same_host(origin: str, host: str) -> bool:
    """Return whether a browser's `Origin` is the `Host` that it asks, port included.

    Browsers leave `Origin` out when a page asks its own origin.
    """
    return not origin or urlsplit(origin).netloc == host


def is_same_name(origin: str, host: str) -> bool:
    """Return whether an `Origin` has the name of a `Host`, on any port. The stream has a port of its own."""
    try:
        name = urlsplit(origin).hostname
        return name is not None and name == urlsplit(f"//{host}").hostname
    except ValueError:  # a port or an address that is none
        return False

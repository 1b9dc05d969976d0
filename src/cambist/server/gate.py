"""The gate: which key a request brings, by any of four ways, and whose it is.

Query `api_key`, header `X-API-Key`, `Authorization: Bearer`, `Authorization: Basic` (as user name or password).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cambist.accounts.account import Account
from cambist.accounts.api_key import PREFIX, Digest, digest, is_well_formed
from cambist.errors import KeyMalformed, KeyMissing, KeysDiffer, KeyUnknown

Environ = Mapping[str, Any]
QUERY_NAME = "api_key"
_FORM = f"keys look like {PREFIX} and 38 letters and digits"


class Gate:
    """Lets in who brings a key that opens something."""

    def __init__(self, by_key: Callable[[], Mapping[Digest, Account]]) -> None:
        self._by_key = by_key

    def admit(self, environ: Environ, query_key: str) -> Account:
        """Give the account whose key the request brings; `query_key` is its `api_key`, decoded.

        Errors: KeyMissing, KeyMalformed, KeyUnknown, KeysDiffer. None repeats the key.
        """
        keys = set(brought(environ, query_key))
        if len(keys) > 1:
            raise KeysDiffer("The request brings two different keys; bring one")
        if not keys:
            raise KeyMissing(
                f"No API key: bring it as query parameter [{QUERY_NAME}], as header [X-API-Key], or as [Authorization]"
            )
        return self._account(keys.pop())

    def _account(self, key: str) -> Account:
        account = self._by_key().get(digest(key))
        if account is not None:
            return account
        if not is_well_formed(key):
            raise KeyMalformed(f"The API key is mistyped or cut off: {_FORM}")
        raise KeyUnknown("The API key is unknown here")


def brought(environ: Environ, query_key: str) -> Iterator[str]:
    """Give every key that the request brings, empty ones left out."""
    if query_key:
        yield query_key
    if header := environ.get("HTTP_X_API_KEY", "").strip():
        yield header
    if authorization := environ.get("HTTP_AUTHORIZATION"):
        yield from _authorized(authorization)


def _authorized(authorization: str) -> Iterator[str]:
    scheme, _, credentials = authorization.strip().partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        yield credentials.strip()
    elif scheme.lower() == "basic":
        yield from _basic(credentials.strip())


def _basic(credentials: str) -> Iterator[str]:
    """Take the half that looks like a key; without one, whatever half is filled, to be refused by name."""
    try:
        text = base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        raise KeyMalformed("The [Authorization] header holds no Base64 of user:password") from None
    user, _, password = text.partition(":")
    halves = [half for half in (user, password) if half]
    yield from [half for half in halves if half.startswith(PREFIX)] or halves[:1]

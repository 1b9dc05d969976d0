"""The gate: which key a request brings, by any of four ways, and whose it is.

Query `api_key`, header `X-API-Key`, `Authorization: Bearer`, `Authorization: Basic` (as user name or password).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

from cambist.accounts.api_key import PREFIX, digest, is_well_formed
from cambist.api.failed_keys import FailedKeyLimit
from cambist.api.principals import ApiPrincipal, ApiPrincipals
from cambist.errors import AccountSuspended, KeyEnded, KeyMalformed, KeyMissing, KeysDiffer, KeyUnknown

Environ = dict[str, Any]
QUERY_NAME = "api_key"
_FORM = f"keys look like {PREFIX} and 38 letters and digits"


class Authenticator:
    """Lets in who brings a key that opens something."""

    def __init__(self, principals: Callable[[], ApiPrincipals], failures: FailedKeyLimit) -> None:
        self._subscribers = principals
        self._failures = failures

    def admit(self, environ: Environ, query_key: str, now: float) -> ApiPrincipal:
        """Give whose key the request brings; `query_key` is its `api_key`, decoded, `now` seconds since 1970.

        Errors: KeyRefused in all its kinds, TooManyFailedKeys. None repeats the key.
        """
        return self._subscriber(environ, _one_key(set(brought(environ, query_key))), now)

    def recognise(self, environ: Environ, now: float) -> ApiPrincipal | None:
        """Give whose key is in the header `X-API-Key` alone, if it opens the gate; None leaves the rest to `admit`."""
        key = environ.get("HTTP_X_API_KEY")
        if not key or "HTTP_AUTHORIZATION" in environ:
            return None
        hashed = digest(key.strip())
        principal = self._subscribers().get(hashed)
        if principal is None or not principal.is_open or now >= principal.ends:
            return None
        self._failures.check(environ, hashed, now)
        self._failures.succeeded(environ, hashed)
        return principal

    def _subscriber(self, environ: Environ, key: str, now: float) -> ApiPrincipal:
        hashed = digest(key)
        self._failures.check(environ, hashed, now)
        principal = self._subscribers().get(hashed)
        if principal is None:
            self._failures.failed(environ, now)
            raise _no_such_key(key)
        if principal.revoked or now >= principal.ends:
            self._failures.failed(environ, now)
            raise KeyEnded("The API key was revoked or has expired")
        if principal.account.suspended:
            raise AccountSuspended("The account is suspended; its operator can say why")
        self._failures.succeeded(environ, hashed)
        return principal


def _no_such_key(key: str) -> KeyMalformed | KeyUnknown:
    if is_well_formed(key):
        return KeyUnknown("The API key is unknown here")
    return KeyMalformed(f"The API key is mistyped or cut off: {_FORM}")


def _one_key(brought: set[str]) -> str:
    """Choose the key among all credentials of a request: beside one of ours, what cannot be a key is for others."""
    ours = {credential for credential in brought if credential.startswith(PREFIX)}
    if len(ours) > 1:
        raise KeysDiffer("The request brings two different keys; bring one")
    if not brought:
        raise KeyMissing(
            f"No API key: bring it as query parameter [{QUERY_NAME}], as header [X-API-Key], or as [Authorization]"
        )
    return min(ours or brought)


def brought(environ: Environ, query_key: str) -> Iterator[str]:
    """Give every credential that the request brings, empty ones left out.

    Several lines of a header arrive as one, joined by commas; no key has one in it.
    """
    if query_key:
        yield query_key
    for header in environ.get("HTTP_X_API_KEY", "").split(","):
        if key := header.strip():
            yield key
    for authorization in environ.get("HTTP_AUTHORIZATION", "").split(","):
        yield from _authorized(authorization)


def _authorized(authorization: str) -> Iterator[str]:
    scheme, _, credentials = authorization.strip().partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        yield credentials.strip()
    elif scheme.lower() == "basic":
        yield from _basic(credentials.strip())


def _basic(credentials: str) -> Iterator[str]:
    """Take the halves that look like a key; without one whatever is there, to be refused by name."""
    try:
        text = base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        yield credentials
        return
    user, _, password = text.partition(":")
    halves = [half for half in (user, password) if half]
    yield from [half for half in halves if half.startswith(PREFIX)] or halves[:1]

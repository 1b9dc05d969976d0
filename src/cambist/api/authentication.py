"""Authentication and entitlements: whose API key a request carries, and what its plan includes.

A key is read from the query parameter `api_key`, the header `X-API-Key`, `Authorization: Bearer`, or
`Authorization: Basic` (as user name or password).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import date
from typing import Any

from cambist.accounts.addresses import Networks, client_address, neighbourhood
from cambist.accounts.api_key import PREFIX, digest, is_well_formed
from cambist.accounts.failed_keys import FailedKeys
from cambist.accounts.page_access import PAGE, is_same_host
from cambist.accounts.principal import Principal, Principals
from cambist.errors import (
    AccountSuspended,
    CambistError,
    KeyEnded,
    KeyMalformed,
    KeyMissing,
    KeysDiffer,
    KeyUnknown,
    NotInPlan,
    TooManyFailedKeys,
)

Environ = dict[str, Any]
QUERY_NAME = "api_key"
_PAGE_HEADER = "HTTP_CAMBIST_PAGE"
"""Set to 1 by the page of this service, in requests without a key."""

_FORM = f"keys look like {PREFIX} and 38 letters and digits"


class Authenticator:
    """Finds the principal of a request; `proxies` are the networks whose `X-Forwarded-For` is believed."""

    def __init__(self, principals: Principals, proxies: Networks = ()) -> None:
        self.principals = principals
        self.failed_keys = FailedKeys()
        self._proxies = proxies

    def authenticate(self, environ: Environ, query_key: str, now: float) -> Principal:
        """Return the principal of a request with the decoded `query_key`. Errors: KeyRefused, TooManyFailedKeys."""
        found = set(credentials(environ, query_key))
        if not found and environ.get(_PAGE_HEADER) == "1":
            return self._visitor(environ)
        return self.principal_of(found, environ, now)

    def would_admit(self, environ: Environ, query_key: str, now: float) -> bool:
        """Return whether `authenticate` would return a principal; a failure is not counted."""
        found = set(credentials(environ, query_key))
        try:
            if not found and environ.get(_PAGE_HEADER) == "1":
                return bool(self._visitor(environ))
            principal = self.principals.by_digest.get(digest(_choose_key(found)))
        except CambistError:
            return False
        return principal is not None and principal.is_open and now < principal.ends

    def principal_of(self, found: set[str], environ: Environ, now: float) -> Principal:
        """Return the principal of a request that brings these credentials. Errors: KeyRefused, TooManyFailedKeys."""
        key = _choose_key(found)
        principal = self.principals.by_digest.get(digest(key))
        if principal is None:
            raise self._failed(environ, now) or _no_such_key(key)
        if principal.revoked or now >= principal.ends:
            raise self._failed(environ, now) or KeyEnded("The API key was revoked or has expired")
        if principal.account.suspended:
            raise AccountSuspended("The account is suspended; its operator can say why")
        return principal

    def _visitor(self, environ: Environ) -> Principal:
        """Return who pays for a visitor of an open page. Errors: KeyMissing, AccountSuspended."""
        principal = self.principals.by_digest.get(PAGE)
        if principal is None or not is_same_host(environ.get("HTTP_ORIGIN", ""), environ.get("HTTP_HOST", "")):
            raise KeyMissing("No API key: this page is not open to visitors without one")
        if principal.account.suspended:
            raise AccountSuspended("The account of this page is suspended; its operator can say why")
        return principal

    def _failed(self, environ: Environ, now: float) -> TooManyFailedKeys | None:
        """Count a key that failed; return the error for it if too many have failed from its address before."""
        address = self.address_of(environ)
        wait = self.failed_keys.retry_after(address, now)
        if wait:
            return TooManyFailedKeys("Too many failed API keys from this address; try again later", wait)
        self.failed_keys.record_failure(address, now)
        return None

    def address_of(self, environ: Environ) -> str:
        """Return the network of the client of a request."""
        peer = str(environ.get("REMOTE_ADDR", ""))
        forwarded = environ.get("HTTP_X_FORWARDED_FOR")
        return neighbourhood(client_address(peer, forwarded or "", self._proxies))


def check_tag(principal: Principal, tag: str) -> None:
    """Refuse a group of endpoints that the plan does not include. Errors: NotInPlan."""
    if tag not in principal.tags:
        raise NotInPlan(f"The plan [{principal.plan.name}] does not include the group [{tag}]")


def first_day_of(principal: Principal, today: date) -> date:
    """Return the first day of history that the plan includes."""
    return principal.plan.first_day(today)


def check_history(principal: Principal, earliest_day: date, today: date) -> None:
    """Refuse an answer about days before those that the plan includes. Errors: NotInPlan."""
    days = principal.plan.history_days
    if days is not None and earliest_day < first_day_of(principal, today):
        raise NotInPlan(
            f"History on the plan [{principal.plan.name}] is limited to {days} days: [{earliest_day}] is older"
        )


def credentials(environ: Environ, query_key: str) -> Iterator[str]:
    """Yield every credential of a request, without empty ones.

    Several lines of a header arrive as one, joined by commas; no key contains a comma.
    """
    if query_key:
        yield query_key
    for header in environ.get("HTTP_X_API_KEY", "").split(","):
        if key := header.strip():
            yield key
    for authorization in environ.get("HTTP_AUTHORIZATION", "").split(","):
        yield from _authorization(authorization)


def _authorization(authorization: str) -> Iterator[str]:
    scheme, _, text = authorization.strip().partition(" ")
    if scheme.lower() == "bearer" and text.strip():
        yield text.strip()
    elif scheme.lower() == "basic":
        yield from _basic(text.strip())


def _basic(encoded: str) -> Iterator[str]:
    """Yield the halves that look like a key; if none does, the first one, so that the error can name the problem."""
    try:
        text = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        yield encoded
        return
    user, _, password = text.partition(":")
    halves = [half for half in (user, password) if half]
    yield from [half for half in halves if half.startswith(PREFIX)] or halves[:1]


def _choose_key(found: set[str]) -> str:
    """Choose the key among the credentials of a request; beside a key of ours the others are meant for someone else."""
    ours = {credential for credential in found if credential.startswith(PREFIX)}
    if len(ours) > 1:
        raise KeysDiffer("The request brings two different keys; bring one")
    if not found:
        raise KeyMissing(
            f"No API key: bring it as query parameter [{QUERY_NAME}], as header [X-API-Key], or as [Authorization]"
        )
    return min(ours or found)


def _no_such_key(key: str) -> KeyMalformed | KeyUnknown:
    if is_well_formed(key):
        return KeyUnknown("The API key is unknown here")
    return KeyMalformed(f"The API key is mistyped or cut off: {_FORM}")

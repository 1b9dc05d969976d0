"""Credentials: whose API key a request carries.

A key is read from the query parameter `api_key`, the header `X-API-Key`, `Authorization: Bearer`, or
`Authorization: Basic` (as user name or password).
"""

from __future__ import annotations

import base64
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from cambist.accounts.addresses import Networks, client_address, neighbourhood
from cambist.accounts.api_key import PREFIX, Digest, digest, is_well_formed
from cambist.accounts.failed_keys import FailedKeys
from cambist.accounts.keyless_access import DIALECTS, PAGE, is_same_host
from cambist.accounts.principal import Principal, Principals
from cambist.api.call.call import QUERY_NAME
from cambist.errors import (
    AccountSuspended,
    CambistError,
    KeyEnded,
    KeyMalformed,
    KeyMissing,
    KeysDiffer,
    KeyUnknown,
    TooManyFailedKeys,
)
from cambist.http.request_parser import Environ

_PAGE_HEADER = "HTTP_CAMBIST_PAGE"
"""Set to 1 by the page of this service, in requests without a key."""

_FORM = f"keys look like {PREFIX} and 38 letters and digits"


_MAX_RECOGNISED = 20_000


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """Where the requests of a face may bring their key beside the usual places, and what happens without one.

    `parameters` are names of query parameters, `schemes` those of the header `Authorization` in lower case. Without a
    key a call of an `is_public` face is free, and one of an `is_open` face is paid by the account for dialects, if the
    operator has named one.
    """

    parameters: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    is_open: bool = False
    is_public: bool = False


USUAL = KeyPlaces()


class Authenticator:
    """Finds the principal of a request; `proxies` are the networks whose `X-Forwarded-For` is believed."""

    def __init__(self, principals: Principals, proxies: Networks = ()) -> None:
        self.principals = principals
        self.failed_keys = FailedKeys()
        self._proxies = proxies
        self._recognised: tuple[Mapping[Digest, Principal], dict[str, Principal]] = ({}, {})

    def authenticate(
        self, environ: Environ, query: Mapping[str, str], now: float, places: KeyPlaces = USUAL
    ) -> Principal | None:
        """Return the principal of a request with a parsed query; None if it brings no key and is public.

        Errors: KeyRefused, AccountSuspended, TooManyFailedKeys.
        """
        found = _all_credentials(environ, query, places)
        return self._principal_of(found, environ, now) if found else self._without_key(environ, places)

    def would_admit(self, environ: Environ, query: Mapping[str, str], now: float) -> bool:
        """Return whether `authenticate` would return a principal; a failure is not counted."""
        found = _all_credentials(environ, query, USUAL)
        try:
            if not found:
                return self._without_key(environ, USUAL) is not None
            principal = self._recognise(_choose_key(found))
        except CambistError:
            return False
        return principal is not None and principal.is_open and now < principal.ends

    def account_of(self, environ: Environ, query: Mapping[str, str], places: KeyPlaces) -> int | None:
        """Return the number of the account whose key a request brings, however it stands; None without a known key."""
        for key in _all_credentials(environ, query, places):
            principal = self.principals.by_digest.get(digest(key))
            if principal is not None:
                return principal.account.number
        return None

    def _principal_of(self, found: set[str], environ: Environ, now: float) -> Principal:
        key = _choose_key(found)
        principal = self._recognise(key)
        if principal is None:
            raise self._failed(environ, now) or _no_such_key(key)
        if principal.revoked or now >= principal.ends:
            raise self._failed(environ, now) or KeyEnded("The API key was revoked or has expired")
        if principal.account.suspended:
            raise AccountSuspended("The account is suspended; its operator can say why")
        return principal

    def _recognise(self, key: str) -> Principal | None:
        """Return the principal of a key. Those in use are remembered, so that they are not hashed for each request."""
        by_digest: Mapping[Digest, Principal] = self.principals.by_digest
        if self._recognised[0] is not by_digest:
            self._recognised = (by_digest, {})
        # Another thread may have replaced it; what is read here belongs together all the same.
        by_digest, recognised = self._recognised
        found = recognised.get(key)
        if found is None:
            found = by_digest.get(digest(key))
            if found is None:
                return None
            if len(recognised) >= _MAX_RECOGNISED:
                recognised.clear()
            recognised[key] = found
        return found

    def _without_key(self, environ: Environ, places: KeyPlaces) -> Principal | None:
        """Return who pays for a request without a key, None for nobody. Errors: KeyMissing, AccountSuspended."""
        if places.is_public:
            return None
        if places.is_open and (principal := self.principals.by_digest.get(DIALECTS)) is not None:
            if principal.account.suspended:
                raise AccountSuspended("The account of calls without a key is suspended; its operator can say why")
            return principal
        if not places.is_open and environ.get(_PAGE_HEADER) == "1":
            return self._visitor(environ)
        raise KeyMissing(
            f"No API key: bring it as query parameter [{QUERY_NAME}], as header [X-API-Key], or as [Authorization]"
        )

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


def _all_credentials(environ: Environ, query: Mapping[str, str], places: KeyPlaces) -> set[str]:
    """Return every credential of a request, without empty ones.

    Several lines of a header arrive as one, joined by commas; no key contains a comma.
    """
    brought = [query.get(name, "") for name in (QUERY_NAME, *places.parameters)]
    brought += environ.get("HTTP_X_API_KEY", "").split(",")
    found = {key for text in brought if (key := text.strip())}
    for authorization in environ.get("HTTP_AUTHORIZATION", "").split(","):
        found |= set(_authorization(authorization, places.schemes))
    return found


def _authorization(authorization: str, schemes: Container[str]) -> Iterator[str]:
    scheme, _, text = authorization.strip().partition(" ")
    if (scheme.lower() == "bearer" or scheme.lower() in schemes) and text.strip():
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
    return min(ours or found)


def _no_such_key(key: str) -> KeyMalformed | KeyUnknown:
    if is_well_formed(key):
        return KeyUnknown("The API key is unknown here")
    return KeyMalformed(f"The API key is mistyped or cut off: {_FORM}")

"""Admission: which API keys may use the stream, and how many connections an account or an address may have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol, TypeVar

from cambist.accounts.addresses import neighbourhood
from cambist.accounts.api_key import Digest
from cambist.accounts.failed_keys import FailedKeys
from cambist.accounts.principal import Principal, Principals
from cambist.stream.billing import Billing
from cambist.stream.rejection import Rejection

T = TypeVar("T")


class Connections(Protocol):
    """Counts the connections of each account, over all stream processes."""

    def add(self, account: int) -> int:
        """Count a connection, and return how many the account has now."""

    def remove(self, account: int) -> None:
        """Stop counting a connection that was added."""


class OwnConnections:
    """Counts the connections of each account to the only stream process."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, account: int) -> int:
        """Count a connection, and return how many the account has now."""
        self._counts[account] += 1
        return self._counts[account]

    def remove(self, account: int) -> None:
        """Stop counting a connection that was added."""
        _decrement(self._counts, account)


TAG = "stream"
"""The tag that a plan must include."""

MAX_UNAUTHENTICATED = 1000
"""How many connections of one address may be open before they have sent an API key."""

_UNKNOWN_KEY = Rejection(401, "The API key is unknown here, was revoked or has expired")


@dataclass(frozen=True, slots=True)
class Admitted:
    """Who was admitted, and until when its connection is paid, in seconds since 1970."""

    principal: Principal
    charged_until: float


class StreamAdmission:
    """Admits connections by API key, and counts them by account; those without a key are counted by address."""

    def __init__(self, principals: Principals, billing: Billing, connections: Connections | None = None) -> None:
        self.principals = principals
        self._billing = billing
        self._connections = connections or OwnConnections()
        self._unauthenticated: Counter[str] = Counter()
        self._failed_keys = FailedKeys()

    def add_unauthenticated(self, address: str) -> bool:
        """Count a connection without a key; return whether its address may have that many."""
        network = neighbourhood(address)
        self._unauthenticated[network] += 1
        return self._unauthenticated[network] <= MAX_UNAUTHENTICATED

    def remove_unauthenticated(self, address: str) -> None:
        """Stop counting a connection without a key: it has authenticated or closed."""
        _decrement(self._unauthenticated, neighbourhood(address))

    def admit(self, digest: Digest, address: str, now: float) -> Admitted | Rejection:
        """Admit a connection by its key, and charge its first minute. `now` is in seconds since 1970.

        The connection counts towards its account's limit until `release` is called.
        """
        network = neighbourhood(address)
        found = self.lookup(digest, now)
        if isinstance(found, Rejection):
            return self._failed(network, now) if found is _UNKNOWN_KEY else found
        charged_until = self._add_connection(found) or self._charge_minute(found, now)
        if isinstance(charged_until, Rejection):
            return charged_until
        self.remove_unauthenticated(address)
        return Admitted(found, charged_until)

    def _failed(self, network: str, now: float) -> Rejection:
        """Count a key that failed; return what to answer."""
        wait = self._failed_keys.retry_after(network, now)
        if wait:
            return Rejection(429, f"Too many failed API keys from this address; try again in {wait} s")
        self._failed_keys.record_failure(network, now)
        return _UNKNOWN_KEY

    def lookup(self, digest: Digest, now: float) -> Principal | Rejection:
        """Return the owner of a key, or why the key may not use the stream."""
        found = self.principals.by_digest.get(digest)
        if found is None or found.revoked or now >= found.ends:
            return _UNKNOWN_KEY
        if found.account.suspended:
            return Rejection(401, "The account is suspended; its operator can say why")
        if TAG not in found.tags:
            return Rejection(403, f"The plan [{found.plan.name}] does not include the stream")
        return found

    def release(self, principal: Principal) -> None:
        """Stop counting a connection of an account: it has closed."""
        self._connections.remove(principal.account.number)

    def _charge_minute(self, principal: Principal, now: float) -> float | Rejection:
        """Charge the first minute of a connection that is counted; if it cannot be charged, it is not counted."""
        charged_until = self._billing.charge_minute(principal, now, now)
        if isinstance(charged_until, Rejection):
            self.release(principal)
        return charged_until

    def _add_connection(self, principal: Principal) -> Rejection | None:
        plan = principal.plan
        if self._connections.add(principal.account.number) <= plan.stream_connections:
            return None
        self.release(principal)
        return Rejection(
            429, f"The plan [{plan.name}] allows {plan.stream_connections} connections at once, and all are open"
        )


def _decrement(counter: Counter[T], key: T) -> None:
    """Subtract one, and remove keys whose count is zero."""
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]

"""Admission: which API keys may use the stream, and how many connections an account or an address may have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from cambist.accounts.account import StoredKey
from cambist.accounts.addresses import neighbourhood
from cambist.accounts.api_key import Digest
from cambist.accounts.failed_keys import FailedKeys
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal, Principals
from cambist.stream.billing import Billing
from cambist.stream.rejection import Rejection

T = TypeVar("T")

TAG = "stream"
"""The tag that a plan must include."""

MAX_UNAUTHENTICATED = 1000
"""How many connections of one address may be open before they have sent an API key."""

_UNKNOWN_KEY = Rejection(401, "The API key is unknown here, was revoked or has expired")


class Admission:
    """Admits connections by API key, and counts them by account; those without a key are counted by address."""

    def __init__(self, stored_keys: Mapping[Digest, StoredKey], plans: Mapping[str, Plan], billing: Billing) -> None:
        self._stored_keys = stored_keys
        self._plans = plans
        self._billing = billing
        self._connections: Counter[int] = Counter()
        self._unauthenticated: Counter[str] = Counter()
        self._failed_keys = FailedKeys()
        self.principals: Principals = {}
        """The owner of each key, by the key's digest."""
        self.update()

    def update(
        self, stored_keys: Mapping[Digest, StoredKey] | None = None, plans: Mapping[str, Plan] | None = None
    ) -> None:
        """Replace the keys, or the plans, or both."""
        self._stored_keys = self._stored_keys if stored_keys is None else stored_keys
        self._plans = self._plans if plans is None else plans
        self.principals = {
            digest: Principal.of(stored_key, self._plans) for digest, stored_key in self._stored_keys.items()
        }

    def add_unauthenticated(self, address: str) -> bool:
        """Count a connection without a key; return whether its address may have that many."""
        network = neighbourhood(address)
        self._unauthenticated[network] += 1
        return self._unauthenticated[network] <= MAX_UNAUTHENTICATED

    def remove_unauthenticated(self, address: str) -> None:
        """Stop counting a connection without a key: it has authenticated or closed."""
        _decrement(self._unauthenticated, neighbourhood(address))

    def admit(self, digest: Digest, address: str, now: float) -> Principal | Rejection:
        """Admit a connection by its key, and charge its first minute. `now` is in seconds since 1970.

        The connection counts towards its account's limit until `release` is called.
        """
        network = neighbourhood(address)
        wait = self._failed_keys.wait(network, network, digest, now)
        if wait:
            return Rejection(429, f"Too many failed API keys from this address; try again in {wait} s")
        found = self.lookup(digest, now)
        if isinstance(found, Rejection):
            if found.status == 401:
                self._failed_keys.failed(network, now)
            return found
        rejection = self._check_connections(found) or self._billing.charge_minute(found, now)
        if rejection:
            return rejection
        self._connections[found.account.number] += 1
        self._failed_keys.opened(network, digest)
        self.remove_unauthenticated(address)
        return found

    def lookup(self, digest: Digest, now: float) -> Principal | Rejection:
        """Return the owner of a key, or why the key may not use the stream."""
        found = self.principals.get(digest)
        if found is None or found.revoked or now >= found.ends:
            return _UNKNOWN_KEY
        if found.account.suspended:
            return Rejection(401, "The account is suspended; its operator can say why")
        if TAG not in found.tags:
            return Rejection(403, f"The plan [{found.plan.name}] does not include the stream")
        return found

    def release(self, principal: Principal) -> None:
        """Stop counting a connection of an account: it has closed."""
        _decrement(self._connections, principal.account.number)

    def _check_connections(self, principal: Principal) -> Rejection | None:
        plan = principal.plan
        if self._connections[principal.account.number] < plan.stream_connections:
            return None
        return Rejection(
            429, f"The plan [{plan.name}] allows {plan.stream_connections} connections at once, and all are open"
        )


def _decrement(counter: Counter[T], key: T) -> None:
    """Subtract one, and remove keys whose count is zero."""
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]

"""The door: whose key opens the stream, how many connections an account has, what they cost, who knocks too often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from cambist.accounts.account import Holder
from cambist.accounts.addresses import neighbourhood
from cambist.accounts.api_key import Digest
from cambist.accounts.bearer import Bearer, Bearers
from cambist.accounts.failed_keys import FailedKeys
from cambist.accounts.plan import Plan
from cambist.errors import QuotaSpent

TAG = "stream"
CHARGED_AS = "stream"
"""What the usage of connections is called, where that of the API has an endpoint's path."""

MOST_STRANGERS = 1000
"""How many connections of one address may be open before they have brought a key."""


class Till(Protocol):
    """Where connections are charged."""

    def afford(self, bearer: Bearer, cost: int, now: float, what: str = ...) -> None:
        """Make sure that the account has the calls left that `what` costs. Errors: QuotaSpent."""

    def spend(self, bearer: Bearer, endpoint: str, cost: int, now: float) -> None:
        """Count calls, and that the key was used."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why somebody does not come in: a status in the manner of HTTP, and a sentence that never repeats the key."""

    status: int
    sentence: str


_UNKNOWN = Refused(401, "The API key is unknown here, was revoked or has expired")


class Door:
    """Lets in who has a key that opens the stream; keys and plans are replaced whole when there is news."""

    def __init__(self, holders: Mapping[Digest, Holder], plans: Mapping[str, Plan], till: Till) -> None:
        self._holders = holders
        self._plans = plans
        self._till = till
        self._open: Counter[int] = Counter()
        self._strangers: Counter[str] = Counter()
        self._failed = FailedKeys()
        self.bearers: Bearers = {}
        """Everybody who has a key, by its digest."""
        self.take()

    def take(self, holders: Mapping[Digest, Holder] | None = None, plans: Mapping[str, Plan] | None = None) -> None:
        """Let in by other keys, or measure by other plans, from now on."""
        self._holders = self._holders if holders is None else holders
        self._plans = self._plans if plans is None else plans
        self.bearers = {digest: Bearer.of(holder, self._plans) for digest, holder in self._holders.items()}

    def knock(self, address: str) -> bool:
        """Count somebody who has brought no key yet; say whether there may be one more from there."""
        home = neighbourhood(address)
        self._strangers[home] += 1
        return self._strangers[home] <= MOST_STRANGERS

    def gone(self, address: str) -> None:
        """Count one less of those who have brought no key: one came in or went away."""
        home = neighbourhood(address)
        self._strangers[home] -= 1
        if self._strangers[home] <= 0:
            del self._strangers[home]

    def admit(self, digest: Digest, address: str, now: float) -> Bearer | Refused:
        """Let in by a key, `now` seconds since 1970, and charge the first minute; count who came in until he leaves."""
        home = neighbourhood(address)
        wait = self._failed.wait(home, home, digest, now)
        if wait:
            return Refused(429, f"Too many failed API keys from this address; try again in {wait} s")
        found = self.look(digest, now)
        if isinstance(found, Refused):
            if found.status == 401:
                self._failed.failed(home, now)
            return found
        plan, number = found.plan, found.account.number
        if self._open[number] >= plan.stream_connections:
            most = plan.stream_connections
            return Refused(429, f"The plan [{plan.name}] has {most} connections at once, and all are open")
        refused = self.charge(found, now)
        if refused:
            return refused
        self._open[number] += 1
        self._failed.opened(home, digest)
        return found

    def look(self, digest: Digest, now: float) -> Bearer | Refused:
        """Say who brings a key, or why it opens nothing (any more)."""
        found = self.bearers.get(digest)
        if found is None or found.revoked or now >= found.ends:
            return _UNKNOWN
        if found.account.suspended:
            return Refused(401, "The account is suspended; its operator can say why")
        if TAG not in found.tags:
            return Refused(403, f"The plan [{found.plan.name}] does not include the stream")
        return found

    def charge(self, bearer: Bearer, now: float) -> Refused | None:
        """Charge a connection for the minute that it begins, if the account has the calls left; else say so."""
        cost = bearer.plan.stream_calls_a_minute
        try:
            if cost:
                self._till.afford(bearer, cost, now, "a minute of the stream")
        except QuotaSpent as spent:
            return Refused(429, str(spent))
        self._till.spend(bearer, CHARGED_AS, cost, now)
        return None

    def leave(self, bearer: Bearer) -> None:
        """Count one connection less of an account."""
        number = bearer.account.number
        self._open[number] -= 1
        if self._open[number] <= 0:
            del self._open[number]

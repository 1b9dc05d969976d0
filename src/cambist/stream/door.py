"""The door: whose key opens the stream, how many connections an account has, and who knocks too often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf

from cambist.accounts.account import Holder
from cambist.accounts.addresses import neighbourhood
from cambist.accounts.api_key import Digest, digest
from cambist.accounts.plan import Plan
from cambist.accounts.rate_limit import Bucket

TAG = "stream"
FAILURES_AT_ONCE = 20
FAILURES_A_SECOND = 0.5
MOST_STRANGERS = 200
"""How many connections of one address may be open before they have brought a key."""

_MOST_REMEMBERED = 50_000


@dataclass(frozen=True, slots=True)
class Guest:
    """Who came in: by which key, of which account, on which plan."""

    digest: Digest
    account: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Refused:
    """Why somebody does not come in: a status in the manner of HTTP, and a sentence that never repeats the key."""

    status: int
    sentence: str


_UNKNOWN = Refused(401, "The API key is unknown here, was revoked or has expired")


class Door:
    """Lets in who has a key that opens the stream; keys and plans are replaced whole when there is news."""

    def __init__(self, holders: Mapping[Digest, Holder], plans: Mapping[str, Plan]) -> None:
        self._holders = holders
        self._plans = plans
        self._open: Counter[int] = Counter()
        self._strangers: Counter[str] = Counter()
        self._failures: dict[str, Bucket] = {}
        self._known: set[tuple[str, Digest]] = set()

    def take(self, holders: Mapping[Digest, Holder] | None = None, plans: Mapping[str, Plan] | None = None) -> None:
        """Let in by other keys, or measure by other plans, from now on."""
        self._holders = self._holders if holders is None else holders
        self._plans = self._plans if plans is None else plans

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

    def admit(self, key: str, address: str, now: float) -> Guest | Refused:
        """Let in by a key, `now` seconds since 1970; whoever came in is counted until he leaves."""
        hashed, home = digest(key.strip()), neighbourhood(address)
        wait = self._wait(home, hashed, now)
        if wait:
            return Refused(429, f"Too many failed API keys from this address; try again in {wait} s")
        found = self.look(hashed, now)
        if isinstance(found, Refused):
            if found.status == 401:
                self._fail(home, now)
            return found
        if self._open[found.account] >= found.plan.stream_connections:
            most = found.plan.stream_connections
            return Refused(429, f"The plan [{found.plan.name}] has {most} connections at once, and all are open")
        self._open[found.account] += 1
        self._remember(home, hashed)
        return found

    def look(self, hashed: Digest, now: float) -> Guest | Refused:
        """Say who a key's holder is now, or why it opens nothing (any more)."""
        holder = self._holders.get(hashed)
        if holder is None or holder.revoked or now >= _ends(holder):
            return _UNKNOWN
        if holder.account.suspended:
            return Refused(401, "The account is suspended; its operator can say why")
        plan = self._plans.get(holder.account.plan)
        if plan is None or TAG not in plan.tags:
            return Refused(403, f"The plan [{holder.account.plan}] does not include the stream")
        return Guest(hashed, holder.account.number, plan)

    def leave(self, guest: Guest) -> None:
        """Count one connection less of an account."""
        self._open[guest.account] -= 1
        if self._open[guest.account] <= 0:
            del self._open[guest.account]

    def _wait(self, home: str, hashed: Digest, now: float) -> int:
        """Give the seconds for which keys are refused unseen, right or wrong, so that a guess learns nothing."""
        last = self._failures.get(home)
        if last is None or (home, hashed) in self._known:
            return 0
        bucket = self._failures[home] = last.read(last.counted, now, FAILURES_A_SECOND, FAILURES_AT_ONCE)
        return 0 if bucket.level >= 1 else max(1, ceil((1 - bucket.level) / FAILURES_A_SECOND))

    def _fail(self, home: str, now: float) -> None:
        if len(self._failures) > _MOST_REMEMBERED:
            self._failures.clear()
        last = self._failures.get(home) or Bucket(FAILURES_AT_ONCE, 0, now)
        self._failures[home] = last.read(last.counted + 1, now, FAILURES_A_SECOND, FAILURES_AT_ONCE)

    def _remember(self, home: str, hashed: Digest) -> None:
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        self._known.add((home, hashed))


def _ends(holder: Holder) -> float:
    return holder.expires_at.timestamp() if holder.expires_at else inf

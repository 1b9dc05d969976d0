"""A principal is who sends a request: an API key with its account and its plan. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from cambist.accounts.account import Account, KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.keyless_access import NO_KEY
from cambist.accounts.plan import Plan

BookView = tuple[float, str]
"""The seconds between two rate books that a plan shows, and the account's datetime format: principals with the same
see the same prices in the same form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """An API key with all that a request needs to know of its account; built once per change, not per request.

    `ends` is when the key expires, in seconds since 1970. `is_open` is false if the key was revoked or the account is
    suspended. `is_limited` is false if the plan has neither a quota nor a rate limit.
    """

    key: int
    account: Account
    plan: Plan
    ends: float
    revoked: bool
    tags: frozenset[str]
    is_limited: bool
    is_open: bool
    book_view: BookView

    @property
    def is_visitor(self) -> bool:
        """Whether it has no key: another account pays for it, and it may not change or see what is that one's."""
        return self.key == NO_KEY

    @classmethod
    def build(cls, stored: StoredKey, plans: Mapping[str, Plan]) -> Principal:
        """Return the principal of a stored key; an account whose plan no longer exists may do nothing."""
        account = stored.account
        plan = plans.get(account.plan) or Plan(name=account.plan, calls_a_month=0, tags=())
        return cls(
            key=stored.key,
            account=account,
            plan=plan,
            ends=stored.expires_at.timestamp() if stored.expires_at else inf,
            revoked=stored.revoked,
            tags=_tags(tuple(plan.tags)),
            is_limited=plan.calls_a_month is not None or plan.rate is not None,
            is_open=not (stored.revoked or account.suspended),
            # A plain text: the hash of an enumeration's member is slow, and this one is taken on every request.
            book_view=(plan.book_refresh, str(account.datetime_format.value)),
        )


@lru_cache(maxsize=256)
def _tags(names: tuple[str, ...]) -> frozenset[str]:
    """Return the tags of a plan: one set for all its principals."""
    return frozenset(names)


class Principals:
    """All principals of one process, by the digests of their keys.

    `by_digest` is replaced whole, so a thread that reads it needs no lock.
    """

    def __init__(self, stored_keys: Mapping[Digest, StoredKey], plans: Mapping[str, Plan]) -> None:
        self._stored_keys = dict(stored_keys)
        self._plans = plans
        self.by_digest: Mapping[Digest, Principal] = {}
        self.update()

    def update(
        self, stored_keys: Mapping[Digest, StoredKey] | None = None, plans: Mapping[str, Plan] | None = None
    ) -> None:
        """Replace the keys, or the plans, or both. The principals of keys that have not changed stay the same."""
        before = self._stored_keys if self.by_digest else {}
        if plans is not None and plans != self._plans:
            self._plans, before = plans, {}
        self._stored_keys = self._stored_keys if stored_keys is None else dict(stored_keys)
        self.by_digest = {
            digest: self.by_digest[digest] if before.get(digest) == stored else Principal.build(stored, self._plans)
            for digest, stored in self._stored_keys.items()
        }

    def apply(self, changes: KeyChanges) -> list[Principal]:
        """Replace the keys that have changed, and return their principals. The others are not looked at."""
        if changes.is_complete:
            self.update({digest: stored for digest, stored in changes.keys.items() if stored is not None})
            return list(self.by_digest.values())
        principals = dict(self.by_digest)
        changed = []
        for digest, stored in changes.keys.items():
            if stored is None:
                self._stored_keys.pop(digest, None)
                principals.pop(digest, None)
            elif self._stored_keys.get(digest) != stored:
                self._stored_keys[digest] = stored
                principals[digest] = Principal.build(stored, self._plans)
                changed.append(principals[digest])
        self.by_digest = principals
        return changed

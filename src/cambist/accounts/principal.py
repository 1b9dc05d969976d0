"""A principal is who sends a request: an API key with its account and its plan. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from cambist.accounts.account import Account, DatetimeFormat, KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.key_table import KeyTable
from cambist.accounts.keyless_access import NO_KEY
from cambist.accounts.plan import Plan

_MOST_KEPT = 20_000

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
        plan = _plan_named(account.plan, plans)
        return cls(
            key=stored.key,
            account=account,
            plan=plan,
            ends=stored.expires_at.timestamp() if stored.expires_at else inf,
            revoked=stored.revoked,
            tags=_tags(tuple(plan.tags)),
            is_limited=plan.calls_a_month is not None or plan.rate is not None,
            is_open=not (stored.revoked or account.suspended),
            book_view=_book_view(plan, account.datetime_format),
        )


def _plan_named(name: str, plans: Mapping[str, Plan]) -> Plan:
    return plans.get(name) or Plan(name=name, calls_a_month=0, tags=())


def _book_view(plan: Plan, form: DatetimeFormat) -> BookView:
    # A plain text: the hash of an enumeration's member is slow, and this one is taken on every request.
    return plan.book_refresh, str(form.value)


@lru_cache(maxsize=256)
def _tags(names: tuple[str, ...]) -> frozenset[str]:
    """Return the tags of a plan: one set for all its principals."""
    return frozenset(names)


class PrincipalTable(Mapping[Digest, Principal]):
    """The principals of all keys, on the plans of one moment; those in use are built once and `kept`."""

    def __init__(self, keys: KeyTable, plans: Mapping[str, Plan], kept: dict[Digest, Principal]) -> None:
        self.keys_of_all = keys
        self.kept = kept
        self._plans = plans

    def __getitem__(self, digest: Digest) -> Principal:
        found = self.kept.get(digest)
        if found is None:
            built = Principal.build(self.keys_of_all[digest], self._plans)
            if len(self.kept) >= _MOST_KEPT:
                self.kept.clear()
            found = self.kept.setdefault(digest, built)  # another thread may have built it meanwhile
        return found

    def __contains__(self, digest: object) -> bool:
        return digest in self.keys_of_all

    def __iter__(self) -> Iterator[Digest]:
        return iter(self.keys_of_all)

    def __len__(self) -> int:
        return len(self.keys_of_all)

    def plan_of(self, account: int) -> Plan | None:
        """Return the plan of the account of a number; None if it or the plan is unknown."""
        found = self.keys_of_all.account(account)
        return None if found is None else self._plans.get(found.plan)

    def book_views(self) -> set[BookView]:
        """Return how the accounts see the prices."""
        pairs = self.keys_of_all.plans_and_formats()
        return {_book_view(_plan_named(name, self._plans), form) for name, form in pairs}


class Principals:
    """All principals of one process, by the digests of their keys.

    `by_digest` is replaced whole, so a thread that reads it needs no lock.
    """

    def __init__(self, stored_keys: Mapping[Digest, StoredKey], plans: Mapping[str, Plan]) -> None:
        self._plans = plans
        self.by_digest = PrincipalTable(KeyTable.of(stored_keys), plans, {})

    def update(
        self, stored_keys: Mapping[Digest, StoredKey] | None = None, plans: Mapping[str, Plan] | None = None
    ) -> None:
        """Replace the keys, or the plans, or both. The principals of keys that have not changed stay the same."""
        before, kept = self.by_digest.keys_of_all, dict(self.by_digest.kept)
        if plans is not None and plans != self._plans:
            self._plans, kept = plans, {}
        keys = before if stored_keys is None else KeyTable.of(stored_keys)
        if keys is not before:
            kept = {digest: each for digest, each in kept.items() if keys.get(digest) == before.get(digest)}
            keys.keep(each.account for each in kept.values())
        self.by_digest = PrincipalTable(keys, self._plans, kept)

    def apply(self, changes: KeyChanges) -> None:
        """Replace the keys that have changed. The others are not looked at."""
        if changes.is_complete:
            self.update(KeyTable.of(changes.keys).with_changes({}))
            return
        before = self.by_digest.keys_of_all
        changed = {digest: stored for digest, stored in changes.keys.items() if before.get(digest) != stored}
        kept = {digest: each for digest, each in dict(self.by_digest.kept).items() if digest not in changed}
        self.by_digest = PrincipalTable(before.with_changes(changed), self._plans, kept)

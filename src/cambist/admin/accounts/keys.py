"""The API keys of an account: create, list, revoke, rotate."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from cambist.accounts.account import Account, AccountKeys, KeyRecord, NewKey
from cambist.accounts.api_key import PREFIX, digest, mint, shown_prefix
from cambist.accounts.names import check_key_name, echo
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter

_SHOWN = len(shown_prefix("0" * 99))


class KeyState(StrEnum):
    """Whether a key is valid. An ending key was rotated and is valid until its overlap is over."""

    ACTIVE = "active"
    ENDING = "ending"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """A new key. Its text is known only now: the database has its digest."""

    text: str
    new: NewKey


def _call(change: Callable[[], None]) -> None:
    change()


class KeyAdmin:
    """Creates and revokes keys.

    Each change is recorded in `audit`, and `notify` is called after it. `revoke_access` makes a change that must
    succeed even on a full disk.
    """

    def __init__(
        self,
        accounts: AccountKeys,
        clock: Callable[[], datetime],
        audit: AuditRecorder,
        notify: Callable[[], None],
        revoke_access: Callable[[Callable[[], None]], None] = _call,
    ) -> None:
        self._accounts = accounts
        self._audit = audit
        self._revoke_access = revoke_access
        self._clock = clock
        self._notify = notify

    def create(self, account: Account, name: str = "", expires_at: datetime | None = None) -> CreatedKey:
        """Create a key for an account. Errors: BadParameter for an invalid name or expiry."""
        with self._audit.action("key.create", account.name) as action:
            created = self._generate(account, name, expires_at)
            action.detail = _described(created, "key")
            self._accounts.add_key(account, created.new)
        self._notify()
        return created

    def keys_of(self, account: Account) -> Sequence[KeyRecord]:
        """Return an account's keys, oldest first, with revoked and expired ones."""
        return self._accounts.keys(account)

    def revoke(self, account: Account, prefix: str) -> KeyRecord:
        """Revoke a key. Errors: BadParameter if `prefix` is not that of exactly one key, or the key has ended."""
        now = self._clock()
        with self._audit.action("key.revoke", account.name) as action:
            key = self._valid_key(account, prefix)
            action.detail = f"key {key.prefix}"
            self._revoke_access(lambda: self._accounts.revoke(key, now))
        self._notify()
        return replace(key, revoked_at=now)

    def expire(self, account: Account, prefix: str, at: datetime) -> KeyRecord:
        """Let a key end at a moment. Errors: BadParameter as in `revoke`, or if the moment is past or does not help."""
        with self._audit.action("key.expire", account.name) as action:
            key = self._valid_key(account, prefix)
            action.detail = f"key {key.prefix} at {_utc_text(at)}"
            if at <= self._clock():
                raise BadParameter(f"Invalid time: [{_utc_text(at)}] has passed: revoke the key instead")
            if key.expires_at is not None and key.expires_at <= at:
                raise BadParameter(f"The key [{key.prefix}] expires earlier, at {_utc_text(key.expires_at)}")
            self._accounts.revoke(key, at)
        self._notify()
        return replace(key, revoked_at=at)

    def rotate(self, account: Account, prefix: str, overlap: timedelta) -> tuple[CreatedKey, KeyRecord]:
        """Replace a key: the new one is valid at once, the old one ends after `overlap` or at its expiry.

        The new key gets the old one's name and, from now on, its lifetime. Errors: BadParameter.
        """
        with self._audit.action("key.rotate", account.name) as action:
            old, now = self._valid_key(account, prefix), self._clock()
            action.detail = f"key {old.prefix}"
            ends, expires_at = _ends_after(old, now, overlap)
            created = self._generate(account, old.name, expires_at)
            action.detail = f"{_described(created, f'key {old.prefix} by')}; the old one ends at {_utc_text(ends)}"
            # In this order, an interruption between the two leaves the old key valid and a new one that nobody has.
            self._accounts.add_key(account, created.new)
            self._accounts.revoke(old, ends)
        self._notify()
        return created, replace(old, revoked_at=ends)

    def state(self, key: KeyRecord) -> KeyState:
        """Return whether a key is valid now, and if not, why."""
        now = self._clock()
        if key.revoked_at is not None and key.revoked_at <= now:
            return KeyState.REVOKED
        if key.expires_at is not None and key.expires_at <= now:
            return KeyState.EXPIRED
        return KeyState.ACTIVE if key.revoked_at is None else KeyState.ENDING

    def _generate(self, account: Account, name: str, expires_at: datetime | None) -> CreatedKey:
        check_key_name(name)
        if expires_at is not None and expires_at <= self._clock():
            raise BadParameter(f"Invalid expiry: [{_utc_text(expires_at)}] has passed")
        created = generate_key(name, expires_at)
        # An operator names a key by its prefix, which must therefore be unique in the account.
        prefixes = {key.prefix for key in self._accounts.keys(account)}
        while created.new.prefix in prefixes:
            created = generate_key(name, expires_at)
        return created

    def _valid_key(self, account: Account, prefix: str) -> KeyRecord:
        key = _find_key(self._accounts.keys(account), account, prefix)
        state = self.state(key)
        if state in {KeyState.REVOKED, KeyState.EXPIRED}:
            ended = key.revoked_at if state is KeyState.REVOKED else key.expires_at
            raise BadParameter(f"The key [{key.prefix}] has ended already, it is {state} since {_utc_text(ended)}")
        return key


def generate_key(name: str = "", expires_at: datetime | None = None) -> CreatedKey:
    """Return a new random key."""
    text = mint(secrets.choice)
    return CreatedKey(text, NewKey(digest(text), shown_prefix(text), name, expires_at))


def _ends_after(old: KeyRecord, now: datetime, overlap: timedelta) -> tuple[datetime, datetime | None]:
    """Return when a replaced key ends, and when its successor expires. Errors: BadParameter."""
    if old.revoked_at is not None:
        raise BadParameter(f"The key [{old.prefix}] is being replaced already, it ends at {_utc_text(old.revoked_at)}")
    try:
        ends = now + overlap
        expires_at = now + (old.expires_at - old.created_at) if old.expires_at else None
    except OverflowError:
        raise BadParameter("The overlap ends beyond the calendar") from None
    if overlap < timedelta():
        raise BadParameter("The overlap is below nothing: it takes a duration such as PT24H")
    return ends, expires_at


def _described(created: CreatedKey, what: str) -> str:
    """Return a new key as the audit log names it: by its prefix."""
    new = created.new
    name = f" [{new.name}]" if new.name else ""
    return f"{what} {new.prefix}{name}{f', expires at {_utc_text(new.expires_at)}' if new.expires_at else ''}"


def _find_key(keys: Sequence[KeyRecord], account: Account, typed: str) -> KeyRecord:
    prefix = typed.rstrip("…")  # as lists of keys abbreviate them
    if len(prefix) > _SHOWN:  # perhaps a whole key, which the message must not repeat
        raise BadParameter(f"A key is named by its first {_SHOWN} characters, as [cambist key list] shows them")
    if PREFIX.startswith(prefix):  # it fits every key
        raise BadParameter(
            f"Every key begins with [{PREFIX}]: name yours by its first {_SHOWN} characters, "
            f"as [cambist key list {account.name}] shows them"
        )
    found = [key for key in keys if key.prefix.startswith(prefix)]
    if not found:
        raise BadParameter(f"The account [{account.name}] has no key that begins with [{echo(prefix)}]")
    if len(found) > 1:
        begin = ", ".join(key.prefix for key in found)
        raise BadParameter(f"The account [{account.name}] has several keys that begin with [{echo(prefix)}]: {begin}")
    return found[0]


def _utc_text(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"

"""An account's keys, as the operator handles them: made, listed, ended, replaced."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from cambist.accounts.account import Account, Accounts, KeyRecord, NewKey
from cambist.accounts.api_key import PREFIX, digest, mint, shown_prefix
from cambist.accounts.names import check_key_name, echo
from cambist.errors import BadParameter

_SHOWN = len(shown_prefix("0" * 99))


class KeyState(StrEnum):
    """Whether a key opens anything."""

    ACTIVE = "active"
    ENDING = "ending"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """A key that was just made: the only moment at which its text is known."""

    text: str
    new: NewKey


def _at_once(change: Callable[[], None]) -> None:
    change()


class KeyAdmin:
    """Makes and ends keys; `changed` is called after each change, `end` makes one that must be possible always."""

    def __init__(
        self,
        accounts: Accounts,
        clock: Callable[[], datetime],
        changed: Callable[[], None],
        end: Callable[[Callable[[], None]], None] = _at_once,
    ) -> None:
        self._accounts = accounts
        self._end = end
        self._clock = clock
        self._changed = changed

    def create(self, account: Account, name: str = "", expires_at: datetime | None = None) -> CreatedKey:
        """Add a key to an account. Errors: BadParameter for a name or an expiry that cannot be."""
        minted = self._mint(account, name, expires_at)
        self._accounts.add_key(account, minted.new)
        self._changed()
        return minted

    def of(self, account: Account) -> Sequence[KeyRecord]:
        """Give an account's keys, oldest first, ended ones included."""
        return self._accounts.keys(account)

    def revoke(self, account: Account, prefix: str) -> KeyRecord:
        """End a key now. Errors: BadParameter when no key or several begin so, or it has ended already."""
        key, now = self._living(account, prefix), self._clock()
        self._end(lambda: self._accounts.revoke(key, now))
        self._changed()
        return replace(key, revoked_at=now)

    def rotate(self, account: Account, prefix: str, overlap: timedelta) -> tuple[CreatedKey, KeyRecord]:
        """Replace a key: a new one opens at once, the old one ends after `overlap`, or when it would expire.

        The new one takes over its name and, counted from now, its lifetime. Errors: BadParameter.
        """
        old, now = self._living(account, prefix), self._clock()
        if old.revoked_at is not None:
            raise BadParameter(
                f"The key [{old.prefix}] is being replaced already, it ends at {_written(old.revoked_at)}"
            )
        try:
            ends = now + overlap
            expires_at = now + (old.expires_at - old.created_at) if old.expires_at else None
        except OverflowError:
            raise BadParameter("The overlap ends beyond the calendar") from None
        if overlap < timedelta():
            raise BadParameter("The overlap is below nothing: it takes a duration such as PT24H")
        minted = self._mint(account, old.name, expires_at)
        # In this order a break between the two leaves the old key as it was, and a new one that nobody knows.
        self._accounts.add_key(account, minted.new)
        self._accounts.revoke(old, ends)
        self._changed()
        return minted, replace(old, revoked_at=ends)

    def state(self, key: KeyRecord) -> KeyState:
        """Say whether a key opens anything now."""
        now = self._clock()
        if key.revoked_at is not None and key.revoked_at <= now:
            return KeyState.REVOKED
        if key.expires_at is not None and key.expires_at <= now:
            return KeyState.EXPIRED
        return KeyState.ACTIVE if key.revoked_at is None else KeyState.ENDING

    def _mint(self, account: Account, name: str, expires_at: datetime | None) -> CreatedKey:
        check_key_name(name)
        if expires_at is not None and expires_at <= self._clock():
            raise BadParameter(f"Invalid expiry: [{_written(expires_at)}] has passed")
        minted = generate_key(name, expires_at)
        # Keys of one account are told apart by their prefix: one in millions must be drawn again.
        taken = {key.prefix for key in self._accounts.keys(account)}
        while minted.new.prefix in taken:
            minted = generate_key(name, expires_at)
        return minted

    def _living(self, account: Account, prefix: str) -> KeyRecord:
        key = _named(self._accounts.keys(account), account, prefix)
        state = self.state(key)
        if state in {KeyState.REVOKED, KeyState.EXPIRED}:
            ended = key.revoked_at if state is KeyState.REVOKED else key.expires_at
            raise BadParameter(f"The key [{key.prefix}] has ended already, it is {state} since {_written(ended)}")
        return key


def generate_key(name: str = "", expires_at: datetime | None = None) -> CreatedKey:
    """Make a key that nobody has."""
    text = mint(secrets.choice)
    return CreatedKey(text, NewKey(digest(text), shown_prefix(text), name, expires_at))


def _named(keys: Sequence[KeyRecord], account: Account, typed: str) -> KeyRecord:
    prefix = typed.rstrip("…")  # as documents cut keys off
    if len(prefix) > _SHOWN:  # perhaps a whole key: the sentence must not repeat it
        raise BadParameter(f"A key is named by its first {_SHOWN} characters, as [cambist key list] shows them")
    if PREFIX.startswith(prefix):  # it names none of them, even where there is only one
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


def _written(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"

"""The keys of all accounts in columns: a tenth of the memory of objects, which are made when a key is used. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import accumulate, islice, pairwise

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import Digest

Bought = tuple[tuple[date, int], ...]
Traits = tuple[str, DatetimeFormat, int, bool]
"""What many accounts have in common: plan, format of times, anchor day, suspension."""

AccountRow = tuple[int, str, str, str, str, DatetimeFormat, int, bool]
"""Number, name, address, note, and the traits."""

KeyRow = tuple[bytes, int, int, datetime | None, bool]
"""Digest, number, number of the account, end, and whether it was revoked."""

_DIGEST = 32
_NO_END = (None, False)
_MOST_KEPT = 20_000


class _Texts:
    """A column of texts: their bytes one after another, and where each ends."""

    def __init__(self) -> None:
        self._content = bytearray()
        self._ends = array("Q")

    def extend(self, texts: Iterable[str]) -> None:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = accumulate(map(len, encoded), initial=len(self._content))
        self._ends.extend(islice(ends, 1, None))
        self._content += b"".join(encoded)

    def __getitem__(self, row: int) -> str:
        start = self._ends[row - 1] if row else 0
        return self._content[start : self._ends[row]].decode("utf-8", "surrogatepass")


class KeyColumns:
    """Accounts in the order of their numbers, and keys in that of their digests; filled once, in these orders.

    What few accounts and keys have is in dictionaries: extra calls, and the end of a key.
    """

    def __init__(self) -> None:
        self._numbers = array("q")
        self._names, self._emails, self._notes = _Texts(), _Texts(), _Texts()
        self._traits = array("I")
        self._known_traits: dict[Traits, int] = {}
        self._traits_by_number: tuple[Traits, ...] = ()
        self._bought: dict[int, Bought] = {}
        self._digests = bytearray()
        self._first_rows = array("I", [0])
        self._keys = array("q")
        self._account_rows = array("I")
        self._ends: dict[int, tuple[datetime | None, bool]] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def add_accounts(self, rows: Sequence[AccountRow], bought: Mapping[int, Bought]) -> None:
        """Add accounts, and the extra calls of some of them by their numbers."""
        numbers, names, emails, notes, *traits = zip(*rows, strict=True)
        first, known = len(self._numbers), self._known_traits
        self._numbers.extend(numbers)
        self._names.extend(names)
        self._emails.extend(emails)
        self._notes.extend(notes)
        self._traits.extend([known.setdefault(each, len(known)) for each in zip(*traits, strict=True)])
        self._traits_by_number = tuple(known)
        self._bought |= {row: bought[number] for row, number in enumerate(numbers, first) if number in bought}

    def add_keys(self, rows: Sequence[KeyRow]) -> None:
        """Add keys. Those of accounts that were not added are left out. Errors: ValueError if they are not in order."""
        known = [(*row, at) for row in rows if (at := self.row_of_account(row[2])) is not None]
        if not known:
            return
        digests, keys, _, ends, revoked, accounts = zip(*known, strict=True)
        before = bytes(self._digests[-_DIGEST:])
        if {*map(len, digests)} != {_DIGEST} or any(one >= two for one, two in pairwise((before, *digests))):
            raise ValueError("Digests have to be added in ascending order")
        firsts = self._first_rows
        for row, digest in enumerate(digests, len(self._keys)):
            first = digest[0] << 8 | digest[1]
            while len(firsts) <= first:
                firsts.append(row)
        self._ends |= {
            row: end for row, end in enumerate(zip(ends, revoked, strict=True), len(self._keys)) if end != _NO_END
        }
        self._digests += b"".join(digests)
        self._keys.extend(keys)
        self._account_rows.extend(accounts)

    def row_of_account(self, number: int) -> int | None:
        """Return where the account of a number is."""
        row = bisect_left(self._numbers, number)
        return row if row < len(self._numbers) and self._numbers[row] == number else None

    def row_of(self, digest: bytes) -> int | None:
        """Return where the key of a digest is. Digests are random: two bytes leave a row or two to compare."""
        if len(digest) != _DIGEST:
            return None
        first, rows = int.from_bytes(digest[:2]), self._first_rows
        if first >= len(rows):
            return None
        end = rows[first + 1] if first + 1 < len(rows) else len(self._keys)
        at = self._digests.find(digest, rows[first] * _DIGEST, end * _DIGEST)
        while at % _DIGEST:  # found across two digests, or -1
            if at < 0:
                return None
            at = self._digests.find(digest, at + 1, end * _DIGEST)
        return at // _DIGEST

    def digests(self) -> Iterator[Digest]:
        """Return all digests in ascending order."""
        for at in range(0, len(self._digests), _DIGEST):
            yield Digest(bytes(self._digests[at : at + _DIGEST]))

    def account(self, row: int) -> Account:
        """Return the account of a row."""
        plan, form, anchor_day, suspended = self._traits_by_number[self._traits[row]]
        return Account(
            number=self._numbers[row],
            name=self._names[row],
            plan=plan,
            datetime_format=form,
            anchor_day=anchor_day,
            suspended=suspended,
            bought=self._bought.get(row, ()),
            email=self._emails[row],
            note=self._notes[row],
        )

    def account_row(self, row: int) -> int:
        """Return the row of the account of a key."""
        return self._account_rows[row]

    def stored_key(self, row: int, account: Account) -> StoredKey:
        """Return the key of a row."""
        return StoredKey(self._keys[row], account, *self._ends.get(row, _NO_END))

    def plans_and_formats(self) -> set[tuple[str, DatetimeFormat]]:
        """Return which plans the accounts have, with which formats of times."""
        return {(plan, form) for plan, form, _, _ in self._known_traits}


class KeyTable(Mapping[Digest, StoredKey]):
    """All keys by their digests: those of columns, and what has `changed` since; None for one that is gone.

    A table never changes: a change makes another one. All keys of an account share one object for it.
    """

    def __init__(self, columns: KeyColumns, changed: Mapping[Digest, StoredKey | None] | None = None) -> None:
        self._columns = columns
        self._changed = dict(changed or {})
        self._changed_accounts = {one.account.number: one.account for one in self._changed.values() if one is not None}
        self._accounts: dict[int, Account] = {}

    @classmethod
    def of(cls, keys: Mapping[Digest, StoredKey] | Mapping[Digest, StoredKey | None]) -> KeyTable:
        """Return keys as a table."""
        return keys if isinstance(keys, KeyTable) else cls(KeyColumns(), keys)

    def with_changes(self, changes: Mapping[Digest, StoredKey | None]) -> KeyTable:
        """Return a table with other keys, and without those that are None. What is in columns is shared."""
        table = KeyTable(self._columns, {**self._changed, **changes})
        table._accounts = self._accounts
        return table

    def keep(self, accounts: Iterable[Account]) -> None:
        """Return these very objects for accounts of the columns that are equal to them."""
        for account in accounts:
            row = self._columns.row_of_account(account.number)
            if row is not None and self._columns.account(row) == account:
                self._accounts[row] = account

    def __getitem__(self, digest: Digest) -> StoredKey:
        if digest in self._changed:
            changed = self._changed[digest]
            if changed is None:
                raise KeyError(digest)
            return changed
        row = self._columns.row_of(digest)
        if row is None:
            raise KeyError(digest)
        return self._columns.stored_key(row, self._account(self._columns.account_row(row)))

    def __contains__(self, digest: object) -> bool:
        if digest in self._changed:
            return self._changed[digest] is not None  # type: ignore[index]  # it is one of its keys
        return isinstance(digest, bytes) and self._columns.row_of(digest) is not None

    def __iter__(self) -> Iterator[Digest]:
        changed = self._changed
        yield from (digest for digest in self._columns.digests() if changed.get(digest, _NOT_CHANGED) is not None)
        yield from (
            digest for digest, one in changed.items() if one is not None and self._columns.row_of(digest) is None
        )

    def __len__(self) -> int:
        if not self._changed:
            return len(self._columns)
        return sum(1 for _ in self)

    def account(self, number: int) -> Account | None:
        """Return the account of a number, if it has keys or had some when all were read."""
        changed = self._changed_accounts.get(number)
        if changed is not None:
            return changed
        row = self._columns.row_of_account(number)
        return None if row is None else self._account(row)

    def _account(self, row: int) -> Account:
        found = self._accounts.get(row)
        if found is None:
            if len(self._accounts) >= _MOST_KEPT:
                self._accounts.clear()
            found = self._accounts.setdefault(row, self._columns.account(row))
        return found

    def plans_and_formats(self) -> set[tuple[str, DatetimeFormat]]:
        """Return which plans the accounts have, with which formats of times."""
        changed = {(account.plan, account.datetime_format) for account in self._changed_accounts.values()}
        return self._columns.plans_and_formats() | changed


_NOT_CHANGED = StoredKey(0, Account(0, "", ""))

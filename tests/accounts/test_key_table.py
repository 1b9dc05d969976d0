"""The table of keys: what it has is what was added, and only what is used becomes an object."""

from __future__ import annotations

import hashlib
import tracemalloc
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.key_table import KeyColumns, KeyTable

END = datetime(2026, 3, 6, 12, 30, 0, 250_000, tzinfo=UTC)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
ACCOUNTS = st.builds(
    Account,
    number=st.integers(1, 40),
    name=TEXTS,
    plan=st.sampled_from(["one", "two"]),
    datetime_format=st.sampled_from(DatetimeFormat),
    anchor_day=st.integers(1, 31),
    suspended=st.booleans(),
    bought=st.just(()) | st.just(((date(2026, 3, 1), 500), (date(2026, 3, 1), 20))),
    email=TEXTS,
    note=TEXTS,
)


def digest_of(number: int) -> Digest:
    return Digest(hashlib.sha256(str(number).encode()).digest())


def table_of(accounts: list[Account], keys: dict[Digest, StoredKey]) -> KeyTable:
    columns = KeyColumns()
    in_order = sorted(accounts, key=lambda account: account.number)
    for some in (in_order[:2], in_order[2:]):
        rows = [
            (one.number, one.name, one.email, one.note, one.plan, one.datetime_format, one.anchor_day, one.suspended)
            for one in some
        ]
        if rows:
            columns.add_accounts(rows, {one.number: one.bought for one in some if one.bought})
    rows = [(digest, key.key, key.account.number, key.expires_at, key.revoked) for digest, key in sorted(keys.items())]
    columns.add_keys(rows[:2])
    columns.add_keys(rows[2:])
    return KeyTable(columns)


@pytest.mark.long
@given(st.lists(ACCOUNTS, min_size=1, unique_by=lambda account: account.number), st.data())
def test_a_table_has_what_was_added_and_what_has_changed(accounts: list[Account], data: st.DataObject) -> None:
    stored = st.builds(
        StoredKey, st.integers(1, 99), st.sampled_from(accounts), st.none() | st.just(END), st.booleans()
    )
    digests = st.integers(0, 60).map(digest_of) | st.binary(min_size=31, max_size=31).map(lambda end: b"\0" + end)
    keys = data.draw(st.dictionaries(digests.map(Digest), stored))
    changes = data.draw(st.dictionaries(digests.map(Digest), st.none() | stored))
    table = table_of(accounts, keys)
    assert (dict(table), len(table)) == (keys, len(keys))
    changed = table.with_changes(changes)
    expected = {digest: one for digest, one in {**keys, **changes}.items() if one is not None}
    assert (dict(changed), len(changed)) == (expected, len(expected))
    assert all((digest in changed) == (digest in expected) for digest in {**keys, **changes})
    assert dict(table) == keys
    assert {(one.plan, one.datetime_format) for one in accounts} <= changed.plans_and_formats()
    assert all(table.account(one.number) == one for one in accounts)


def test_a_digest_is_not_found_across_two_others() -> None:
    account = Account(1, "a", "one")
    digests = [Digest(b"\0" * 31 + b"\1"), Digest(b"\0" * 30 + b"\1\0")]
    table = table_of([account], {each: StoredKey(number, account) for number, each in enumerate(digests, 1)})
    assert [table.get(each) for each in digests] == [StoredKey(1, account), StoredKey(2, account)]
    across = Digest((digests[0] + digests[1])[8:40])
    assert across not in table
    assert table.get(across) is None


def test_keys_of_one_account_have_one_object_of_it() -> None:
    account = Account(1, "a", "one")
    table = table_of([account], {digest_of(number): StoredKey(number, account) for number in (1, 2)})
    assert table[digest_of(1)].account is table[digest_of(2)].account is table.account(1)
    assert table.with_changes({})[digest_of(2)].account is table.account(1)
    table.keep([account, Account(2, "b", "one")])
    assert table[digest_of(1)].account is account


def test_keys_are_added_in_the_order_of_their_digests() -> None:
    columns = KeyColumns()
    columns.add_accounts([(1, "a", "", "", "one", DatetimeFormat.ISO, 1, False)], {})
    columns.add_keys([(b"\2" * 32, 1, 1, None, False)])
    for digest in (b"\1" * 32, b"\2" * 32, b"\3"):
        with pytest.raises(ValueError, match="ascending"):
            columns.add_keys([(digest, 2, 1, None, False)])
    columns.add_keys([(b"\3" * 32, 2, 7, None, False)])  # of an account that was deleted
    assert list(KeyTable(columns)) == [b"\2" * 32]


def test_an_account_that_does_not_call_takes_less_than_150_bytes() -> None:
    accounts = [Account(number, f"account-{number}", "one") for number in range(1, 20_001)]
    keys = {digest_of(one.number): StoredKey(one.number, one) for one in accounts}
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        table = table_of(accounts, keys)
        size = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    starts_of_digests = 4 << 16
    assert table[digest_of(7)].account == accounts[6]
    assert size - starts_of_digests < 150 * 20_000

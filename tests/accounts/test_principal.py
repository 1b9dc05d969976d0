"""Principals: changed keys are replaced, and all others stay the same objects."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from cambist.accounts.account import Account, KeyChanges, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principals

PLANS = read_plans(default_plans(), "plans.toml")
ONE, TWO, THREE = (Digest(bytes([number]) * 32) for number in (1, 2, 3))
STORED = {ONE: StoredKey(1, Account(1, "one", "unlimited")), TWO: StoredKey(2, Account(2, "two", "unlimited"))}
ACCOUNTS = st.builds(Account, st.integers(1, 3), st.just("a"), st.sampled_from(sorted(PLANS)), suspended=st.booleans())
CHANGES = st.dictionaries(st.sampled_from([ONE, TWO, THREE]), st.none() | st.builds(StoredKey, st.just(7), ACCOUNTS))


def test_only_changed_keys_are_built_again() -> None:
    principals = Principals(STORED, PLANS)
    before = principals.by_digest
    assert before[ONE].is_open  # it is in use
    suspended = replace(STORED[TWO], account=replace(STORED[TWO].account, suspended=True))
    principals.apply(KeyChanges(1, {ONE: STORED[ONE], TWO: suspended, THREE: STORED[ONE]}))
    assert principals.by_digest[ONE] is before[ONE]
    assert not principals.by_digest[TWO].is_open
    assert principals.by_digest[THREE].account == STORED[ONE].account
    assert principals.by_digest.plan_of(2) == PLANS["unlimited"]
    assert before[TWO].is_open  # whoever reads the mapping of before still does
    assert THREE not in before


@given(st.lists(CHANGES))
def test_many_changes_are_as_reading_all_keys(rounds: list[dict[Digest, StoredKey | None]]) -> None:
    principals, stored = Principals(STORED, PLANS), dict(STORED)
    for number, keys in enumerate(rounds):
        principals.apply(KeyChanges(number, keys))
        stored = {key: each for key, each in {**stored, **keys}.items() if each is not None}
        assert principals.by_digest == Principals(stored, PLANS).by_digest
    principals.update(plans={})
    assert principals.by_digest == Principals(stored, {}).by_digest


def test_a_complete_list_removes_what_is_not_in_it() -> None:
    principals = Principals(STORED, PLANS)
    kept = principals.by_digest[TWO]
    principals.apply(KeyChanges(1, {TWO: STORED[TWO]}, is_complete=True))
    assert list(principals.by_digest) == [TWO]
    assert principals.by_digest[TWO] is kept


def test_principals_of_one_plan_share_its_tags() -> None:
    principals = Principals(STORED, PLANS).by_digest
    assert principals[ONE].tags is principals[TWO].tags

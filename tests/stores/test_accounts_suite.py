"""What every keeper of accounts must do. A further store joins with one line of STORES."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from cambist.accounts.account import Account, Accounts
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.stores import Store
from cambist.stores.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'accounts.db'}"),
}
TAKEN = (IntegrityError,)
"""What a store may raise for a name or a key that is there already."""

KEY, OTHER = mint(lambda alphabet: alphabet[11]), mint(lambda alphabet: alphabet[12])


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[Store]:
    store = STORES[kind](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def accounts(store: Store) -> Accounts:
    return store.accounts


def created(accounts: Accounts, name: str, key: str = KEY) -> Account:
    return accounts.create(name, "unlimited", digest(key), shown_prefix(key))


def test_nobody_is_there_at_first(accounts: Accounts) -> None:
    assert accounts.named("owner") is None
    assert dict(accounts.by_key()) == {}


def test_an_account_is_found_by_its_name(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    assert (account.name, account.plan) == ("owner", "unlimited")
    assert accounts.named("owner") == account
    assert accounts.named("Owner") is None


def test_an_account_is_found_by_its_key(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    assert dict(accounts.by_key()) == {digest(KEY): account}


def test_each_key_opens_its_own_account(accounts: Accounts) -> None:
    first, second = created(accounts, "owner"), created(accounts, "guest", OTHER)
    assert first.number != second.number
    assert dict(accounts.by_key()) == {digest(KEY): first, digest(OTHER): second}


def test_a_name_that_is_taken_leaves_nothing_behind(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    with pytest.raises(TAKEN):
        created(accounts, "owner", OTHER)
    assert dict(accounts.by_key()) == {digest(KEY): account}


def test_a_key_that_is_taken_leaves_no_account_behind(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    with pytest.raises(TAKEN):
        created(accounts, "guest")
    assert accounts.named("guest") is None
    assert dict(accounts.by_key()) == {digest(KEY): account}


def test_a_name_may_hold_any_letters(accounts: Accounts) -> None:
    name = "Bäckerei 'O''Brien'; drop table accounts --"
    account = created(accounts, name)
    assert accounts.named(name) == account


def test_accounts_outlive_the_process(kind: str, accounts: Accounts, tmp_path: Path) -> None:
    account = created(accounts, "owner")
    again = STORES[kind](tmp_path)
    assert dict(again.accounts.by_key()) == {digest(KEY): account}
    again.close()


def test_the_text_of_a_key_is_nowhere_in_the_files(store: Store, tmp_path: Path) -> None:
    created(store.accounts, "owner")
    store.close()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert digest(KEY) in content
    assert KEY.encode() not in content
    assert KEY[len(shown_prefix(KEY)) :][:12].encode() not in content

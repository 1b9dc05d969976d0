"""Tests for every `Accounts`. A new store is added in STORES."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account, Accounts, DatetimeFormat, KeyRecord, NewKey
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.errors import NameTaken
from cambist.storage import Store
from cambist.storage.sql import SqlStore
from cambist.storage.sql.schema import accounts as accounts_table

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'accounts.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}

KEY, OTHER, THIRD = (mint(lambda alphabet, place=place: alphabet[place]) for place in (11, 12, 13))
LONG_AGO, FAR_AHEAD = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC), datetime(2999, 2, 3, 4, 5, 6, tzinfo=UTC)


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


def new_key(key: str = KEY, name: str = "", expires_at: datetime | None = None) -> NewKey:
    return NewKey(digest(key), shown_prefix(key), name, expires_at)


def created(accounts: Accounts, name: str, key: str | None = KEY) -> Account:
    return accounts.create(Account(0, name, "unlimited"), new_key(key) if key else None)


def only_key(accounts: Accounts, account: Account) -> KeyRecord:
    (key,) = accounts.keys(account)
    return key


def test_a_new_database_has_no_accounts(accounts: Accounts) -> None:
    assert accounts.named("owner") is None
    assert dict(accounts.by_key()) == {}
    assert list(accounts.all()) == []


def test_an_account_is_found_by_its_name(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    assert (account.name, account.plan) == ("owner", "unlimited")
    assert accounts.named("owner") == account
    assert accounts.named("Owner") is None


def test_an_account_is_stored_with_all_its_fields(accounts: Accounts) -> None:
    asked = Account(0, "acme", "gold", DatetimeFormat.UNIX_MS, 31, email="shop@example.org")
    account = accounts.create(asked)
    assert account == replace(asked, number=account.number) == accounts.named("acme")
    assert account.number > 0


def test_all_accounts_are_ordered_by_name(accounts: Accounts) -> None:
    for name in ("zeta", "acme", "owner"):
        created(accounts, name, None)
    assert [account.name for account in accounts.all()] == ["acme", "owner", "zeta"]


def test_accounts_are_found_by_their_numbers(accounts: Accounts) -> None:
    acme, owner, gone = (created(accounts, name, None) for name in ("acme", "owner", "gone"))
    accounts.buy(acme, date(2026, 11, 1), 500)
    accounts.buy(owner, date(2026, 11, 1), 900)
    accounts.delete(gone)
    found = {account.number: account for account in accounts.numbered([acme.number, gone.number, 9999])}
    assert found == {acme.number: replace(acme, bought=((date(2026, 11, 1), 500),))}
    assert list(accounts.numbered([])) == []


def test_an_account_is_found_by_its_key(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    (stored_key,) = accounts.by_key().values()
    assert list(accounts.by_key()) == [digest(KEY)]
    assert (stored_key.account, stored_key.expires_at, stored_key.revoked) == (account, None, False)
    assert stored_key.key == only_key(accounts, account).number


def test_each_key_belongs_to_its_own_account(accounts: Accounts) -> None:
    first, second = created(accounts, "owner"), created(accounts, "guest", OTHER)
    assert first.number != second.number
    stored_keys = {key: stored_key.account for key, stored_key in accounts.by_key().items()}
    assert stored_keys == {digest(KEY): first, digest(OTHER): second}


def test_an_account_may_have_no_key(accounts: Accounts) -> None:
    account = created(accounts, "owner", None)
    assert dict(accounts.by_key()) == {}
    assert list(accounts.keys(account)) == []


def test_a_duplicate_name_is_refused_and_stores_nothing(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    with pytest.raises(NameTaken, match=r"\[owner\]"):
        created(accounts, "owner", OTHER)
    assert list(accounts.by_key()) == [digest(KEY)]
    assert list(accounts.all()) == [account]


def test_a_duplicate_key_is_refused_and_stores_no_account(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    with pytest.raises(NameTaken):
        created(accounts, "guest")
    assert accounts.named("guest") is None
    assert list(accounts.all()) == [account]
    assert list(accounts.by_key()) == [digest(KEY)]


def test_a_name_may_contain_any_letters(accounts: Accounts) -> None:
    name = "Bäckerei 'O''Brien'; drop table accounts --"
    account = created(accounts, name)
    assert accounts.named(name) == account


def test_changing_an_account_changes_no_other(accounts: Accounts) -> None:
    account, guest = created(accounts, "owner"), created(accounts, "guest", OTHER)
    changed = replace(account, plan="gold", datetime_format=DatetimeFormat.SPACED, anchor_day=29, suspended=True)
    accounts.change(changed)
    assert accounts.named("owner") == changed == accounts.by_key()[digest(KEY)].account
    assert accounts.named("guest") == guest


def test_the_first_account_of_each_plan_is_found_and_no_deleted_one(accounts: Accounts) -> None:
    made = [accounts.create(Account(0, name, plan)) for name, plan in (("b", "one"), ("a", "one"), ("c", "two"))]
    accounts.delete(accounts.create(Account(0, "0", "three")))
    assert accounts.one_of_each_plan() == [made[1], made[2]]


def test_a_suspended_account_is_resumed(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.change(replace(account, suspended=True))
    assert accounts.by_key()[digest(KEY)].account.suspended
    accounts.change(account)
    assert not accounts.by_key()[digest(KEY)].account.suspended


def test_extra_calls_for_a_period_add_up(accounts: Accounts) -> None:
    account, guest = created(accounts, "owner"), created(accounts, "guest", OTHER)
    november, december = date(2026, 11, 1), date(2026, 12, 1)
    for start, calls in ((november, 5), (december, 70), (november, 600)):
        accounts.buy(account, start, calls)
    found = accounts.named("owner")
    assert found is not None
    assert found.bought == ((november, 5), (december, 70), (november, 600))
    assert [found.bought_for(start) for start in (november, december, date(2027, 1, 1))] == [605, 70, 0]
    assert found == accounts.by_key()[digest(KEY)].account
    assert found in accounts.all()
    assert accounts.named("guest") == guest


def test_an_accounts_keys_are_listed_oldest_first(accounts: Accounts) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    account = accounts.create(Account(0, "owner", "unlimited"), new_key(KEY, "first"))
    accounts.add_key(account, new_key(OTHER, "till 3", FAR_AHEAD))
    created(accounts, "guest", THIRD)
    first, second = accounts.keys(account)
    assert (first.name, first.prefix, first.expires_at) == ("first", shown_prefix(KEY), None)
    assert (second.name, second.prefix, second.expires_at) == ("till 3", shown_prefix(OTHER), FAR_AHEAD)
    for key in (first, second):
        assert (key.account, key.revoked_at, key.last_used_at) == ("owner", None, None)
        assert before <= key.created_at <= datetime.now(UTC)


def test_an_account_may_have_several_keys(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.add_key(account, new_key(OTHER, expires_at=FAR_AHEAD))
    stored_keys = accounts.by_key()
    assert {stored_key.account for stored_key in stored_keys.values()} == {account}
    assert [stored_keys[digest(key)].expires_at for key in (KEY, OTHER)] == [None, FAR_AHEAD]
    assert stored_keys[digest(KEY)].key != stored_keys[digest(OTHER)].key


def test_a_revoked_key_is_still_listed(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.add_key(account, new_key(OTHER))
    accounts.revoke(accounts.keys(account)[0], LONG_AGO)
    assert [key.revoked_at for key in accounts.keys(account)] == [LONG_AGO, None]
    assert [accounts.by_key()[digest(key)].revoked for key in (KEY, OTHER)] == [True, False]


def test_a_key_revoked_now_is_revoked_at_once(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.revoke(only_key(accounts, account), datetime.now(UTC))
    assert accounts.by_key()[digest(KEY)].revoked


def test_a_key_that_is_revoked_for_later_is_valid_until_then(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.revoke(only_key(accounts, account), FAR_AHEAD)
    stored_key = accounts.by_key()[digest(KEY)]
    assert (stored_key.revoked, stored_key.expires_at) == (False, FAR_AHEAD)


@pytest.mark.parametrize("sooner", ["revoked", "expires"])
def test_a_key_ends_at_the_earlier_of_expiry_and_revocation(accounts: Accounts, sooner: str) -> None:
    soon = FAR_AHEAD - timedelta(days=1)
    expires_at, revoked_at = (FAR_AHEAD, soon) if sooner == "revoked" else (soon, FAR_AHEAD)
    account = accounts.create(Account(0, "owner", "unlimited"), new_key(expires_at=expires_at))
    accounts.revoke(only_key(accounts, account), revoked_at)
    assert accounts.by_key()[digest(KEY)].expires_at == soon


def test_the_last_use_of_keys_is_stored(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.add_key(account, new_key(OTHER))
    first, second = accounts.keys(account)
    accounts.record_last_use({second.number: LONG_AGO})
    assert [key.last_used_at for key in accounts.keys(account)] == [None, LONG_AGO]
    accounts.record_last_use({first.number: LONG_AGO, second.number: FAR_AHEAD, 999: LONG_AGO})
    assert [key.last_used_at for key in accounts.keys(account)] == [LONG_AGO, FAR_AHEAD]
    accounts.record_last_use({})


def test_times_are_returned_in_utc(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    offset = datetime.fromisoformat("2026-01-01T01:00:00+05:30")
    accounts.add_key(account, new_key(OTHER, expires_at=offset.replace(year=2999)))
    first, second = accounts.keys(account)
    accounts.revoke(first, offset)
    assert accounts.keys(account)[0].revoked_at == datetime(2025, 12, 31, 19, 30, tzinfo=UTC)
    assert second.expires_at == datetime(2998, 12, 31, 19, 30, tzinfo=UTC)


def test_a_deleted_account_is_not_found_and_its_keys_are_revoked(accounts: Accounts) -> None:
    account, guest = created(accounts, "owner"), created(accounts, "guest", OTHER)
    accounts.delete(account)
    assert accounts.named("owner") is None
    assert list(accounts.all()) == [guest]
    assert list(accounts.by_key()) == [digest(OTHER)]
    assert only_key(accounts, account).revoked_at is not None
    assert only_key(accounts, guest).revoked_at is None


def test_the_address_of_a_deleted_account_is_not_kept(store: SqlStore) -> None:
    account = store.accounts.create(Account(0, "acme", "gold", email="shop@example.org"))
    other = store.accounts.create(Account(0, "other", "gold", email="other@example.org"))
    store.accounts.delete(account)
    assert store.accounts.named("other") == other
    with store._engine.connect() as connection:
        stored = connection.execute(select(accounts_table.c.email).order_by(accounts_table.c.id)).scalars().all()
    assert stored == ["", "other@example.org"]


def test_deleting_an_account_keeps_earlier_revocations(accounts: Accounts) -> None:
    account = created(accounts, "owner")
    accounts.revoke(only_key(accounts, account), LONG_AGO)
    accounts.delete(account)
    assert only_key(accounts, account).revoked_at == LONG_AGO


def test_the_name_of_a_deleted_account_can_be_used_again(accounts: Accounts) -> None:
    former = created(accounts, "owner")
    accounts.delete(former)
    account = created(accounts, "owner", OTHER)
    assert account.number != former.number
    assert accounts.named("owner") == account
    assert list(accounts.by_key()) == [digest(OTHER)]
    accounts.delete(account)
    assert created(accounts, "owner", THIRD).number not in {former.number, account.number}


def test_a_new_account_does_not_get_the_extra_calls_of_a_deleted_one(accounts: Accounts) -> None:
    former = created(accounts, "owner")
    accounts.buy(former, date(2026, 11, 1), 5)
    accounts.delete(former)
    created(accounts, "owner", OTHER)
    found = accounts.named("owner")
    assert found is not None
    assert found.bought == ()


def test_accounts_are_stored_for_the_next_process(kind: str, accounts: Accounts, tmp_path: Path) -> None:
    created(accounts, "owner")
    again = STORES[kind](tmp_path)
    assert dict(again.accounts.by_key()) == dict(accounts.by_key())
    assert list(again.accounts.by_key()) == [digest(KEY)]
    again.close()


def test_the_files_do_not_contain_the_text_of_a_key(kind: str, store: Store, tmp_path: Path) -> None:
    created(store.accounts, "owner")
    if kind != "sqlite":
        pytest.skip("its files are the server's")
    store.close()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert digest(KEY) in content
    assert KEY.encode() not in content
    assert KEY[len(shown_prefix(KEY)) :][:12].encode() not in content


def test_each_change_is_found_once(accounts: Accounts) -> None:
    assert accounts.last_change() == 0
    one, two = created(accounts, "one"), created(accounts, "two", OTHER)
    seen = accounts.changes_since(0)
    assert seen.keys == accounts.by_key()
    assert not seen.is_complete
    changes = [
        lambda: accounts.change(replace(two, plan="starter")),
        lambda: accounts.buy(two, date(2026, 11, 1), 500),
        lambda: accounts.add_key(two, new_key(THIRD)),
        lambda: accounts.revoke(accounts.keys(two)[0], LONG_AGO),
        lambda: accounts.change(replace(two, suspended=True)),
    ]
    for change in changes:
        change()
        found = accounts.changes_since(seen.last)
        assert found.last == accounts.last_change() > seen.last
        assert found.keys == {key: stored for key, stored in accounts.by_key().items() if stored.account.number == 2}
        assert accounts.changes_since(found.last).keys == {}
        seen = found
    accounts.delete(two)
    assert accounts.changes_since(seen.last).keys == {digest(OTHER): None, digest(THIRD): None}
    assert accounts.changes_since(0).keys == {
        digest(KEY): accounts.by_key()[digest(KEY)], digest(OTHER): None, digest(THIRD): None
    }  # fmt: skip
    assert one.number == 1


def test_the_last_use_of_a_key_is_no_change(accounts: Accounts) -> None:
    key = only_key(accounts, created(accounts, "one"))
    before = accounts.last_change()
    accounts.record_last_use({key.number: LONG_AGO})
    assert accounts.last_change() == before


def test_after_an_unknown_change_all_keys_are_returned(accounts: Accounts) -> None:
    created(accounts, "one")
    found = accounts.changes_since(1000)
    assert (found.keys, found.last, found.is_complete) == (accounts.by_key(), accounts.last_change(), True)


def test_the_highest_numbers_are_those_of_all_accounts_and_keys(accounts: Accounts) -> None:
    assert accounts.highest_numbers() == (0, 0)
    one = created(accounts, "one")
    accounts.add_key(one, new_key(OTHER))
    assert accounts.highest_numbers() == (1, 2)
    accounts.delete(created(accounts, "two", THIRD))
    assert accounts.highest_numbers() == (2, 3)

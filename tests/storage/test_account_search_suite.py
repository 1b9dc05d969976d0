"""Searches of accounts, the same for every store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account, NewKey
from cambist.accounts.account_search import AccountOrder, AccountSearch, AccountState, FoundAccounts
from cambist.accounts.api_key import digest, mint, shown_prefix
from cambist.accounts.usage_counters import CounterTotal
from cambist.storage import Store
from cambist.storage.sql import SqlStore

TODAY = date(2026, 11, 20)
QUOTAS = {"small": 100, "large": 1000, "unlimited": None}
STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'accounts.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}
KEY = mint(lambda alphabet: alphabet[11])


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = STORES[request.param](tmp_path)
    store.migrate()
    fill(store)
    yield store
    store.close()


def fill(store: Store) -> None:
    accounts = store.accounts
    near = accounts.create(Account(0, "near", "small", email="Shop@example.org"))
    over = accounts.create(Account(0, "Over", "small", note="100%_sure, pays by card"))
    bought = accounts.create(Account(0, "bought", "small"))
    accounts.buy(bought, date(2026, 11, 1), 300)
    accounts.buy(bought, date(2026, 10, 1), 9000)
    late = accounts.create(Account(0, "late", "large", anchor_day=15), NewKey(digest(KEY), shown_prefix(KEY)))
    accounts.record_last_use({accounts.keys(late)[0].number: datetime(2026, 11, 19, tzinfo=UTC)})
    accounts.change(replace(accounts.create(Account(0, "free", "unlimited")), suspended=True))
    accounts.create(Account(0, "lost", "no-such-plan"))
    accounts.delete(accounts.create(Account(0, "gone", "small", note="card")))
    calls = {near: 80, over: 100, bought: 200, late: 300}
    totals = [CounterTotal(TODAY, 1, account.number, "/fetch-one", count) for account, count in calls.items()]
    # Before the period of an account calls do not count: that of `late` begins on the 15th.
    totals += [CounterTotal(date(2026, 11, 14), 1, late.number, "/fetch-one", 900)]
    totals += [CounterTotal(date(2026, 10, 31), 1, near.number, "/fetch-one", 900)]
    store.usage.store_totals(totals)


def find(store: Store, text: str = "", state: AccountState | None = None, **rest: object) -> FoundAccounts:
    return store.accounts.find(AccountSearch(text, state, **rest), QUOTAS, TODAY)  # type: ignore[arg-type]


def names(found: FoundAccounts) -> list[str]:
    return [row.account.name for row in found.rows]


ALL = ["Over", "bought", "free", "late", "lost", "near"]


def test_without_a_search_all_are_listed_by_name_without_deleted_ones(store: Store) -> None:
    found = find(store)
    assert (names(found), found.total) == (ALL, 6)
    assert names(find(store, reverse=True)) == ALL[::-1]


@pytest.mark.long(every=4)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OVE", ["Over"]),
        ("large", ["late"]),
        ("shop@EXAMPLE", ["near"]),
        ("card pays", ["Over"]),
        ("card gone", []),
        ("0%_s", ["Over"]),
        ("%", ["Over"]),
        ("_", ["Over"]),
        (shown_prefix(KEY), ["late"]),
        (shown_prefix(KEY)[:6].upper(), ["late"]),
        (KEY, ["late"]),
        ("suspended", ["free"]),
        ("suspended small", []),
        ("'; drop table accounts", []),
    ],
)
def test_each_word_is_found_in_what_describes_an_account(store: Store, text: str, expected: list[str]) -> None:
    found = find(store, text)
    assert (names(found), found.total) == (expected, len(expected))


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (AccountState.ACTIVE, ["Over", "bought", "late", "lost", "near"]),
        (AccountState.SUSPENDED, ["free"]),
        (AccountState.NEAR, ["near"]),
        (AccountState.OVER, ["Over"]),
    ],
)
def test_a_state_leaves_others_out(store: Store, state: AccountState, expected: list[str]) -> None:
    assert names(find(store, state=state)) == expected


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (AccountOrder.QUOTA, ["Over", "near", "bought", "late", "free", "lost"]),
        (AccountOrder.CALLS, ["late", "bought", "Over", "near", "free", "lost"]),
        (AccountOrder.SEEN, ["late", "Over", "bought", "free", "lost", "near"]),
    ],
)
def test_lists_are_ordered_with_the_highest_first(store: Store, order: AccountOrder, expected: list[str]) -> None:
    assert names(find(store, order=order)) == expected


def test_a_row_has_the_calls_of_its_own_period_and_the_last_use(store: Store) -> None:
    rows = {row.account.name: row for row in find(store).rows}
    assert {name: row.used for name, row in rows.items() if row.used} == {
        "near": 80,
        "Over": 100,
        "bought": 200,
        "late": 300,
    }
    assert rows["late"].last_seen == datetime(2026, 11, 19, tzinfo=UTC)
    assert rows["near"].last_seen is None
    assert rows["bought"].account.bought_for(date(2026, 11, 1)) == 300


def test_pages_have_each_account_once_and_the_total(store: Store) -> None:
    pages = [find(store, order=AccountOrder.QUOTA, offset=offset, limit=4) for offset in (0, 4, 8)]
    assert [len(page.rows) for page in pages] == [4, 2, 0]
    assert {page.total for page in pages} == {6}
    assert sorted(name for page in pages for name in names(page)) == ALL

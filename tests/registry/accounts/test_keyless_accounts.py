"""The accounts that pay for calls without a key: who is missing is named, and each is found by its name."""

from __future__ import annotations

import re

import pytest

from cambist.accounts.account import Account
from cambist.accounts.keyless_access import PAGE
from cambist.errors import CannotStart
from cambist.registry.accounts.keyless_accounts import (
    KeyReader,
    check_page_account,
    missing_accounts,
    stored_keys,
)
from cambist.settings import Settings

OPEN = Settings(page="open", page_account="visitors")


def test_an_open_page_names_who_pays() -> None:
    with pytest.raises(CannotStart, match=r"nobody pays .* \[page_account\]"):
        check_page_account(Settings(page="open"))
    for settings in (OPEN, Settings(page="keyed"), Settings(page="off")):
        check_page_account(settings)


@pytest.mark.parametrize(
    ("settings", "name"),
    [(OPEN, "page_account"), (Settings(dialects="x", dialect_account="visitors"), "dialect_account")],
)
def test_an_account_that_cannot_pay_is_named_with_what_to_do(small_store, settings, name):
    named = rf"The setting \[{name}\] names \[visitors\]"
    (missing,) = missing_accounts(settings, small_store.accounts)
    assert re.match(rf"{named}, which does not exist: .*cambist account create visitors --plan", missing)
    account = small_store.accounts.create(Account(0, "visitors", "one"))
    assert list(missing_accounts(settings, small_store.accounts)) == []
    small_store.accounts.change(Account(account.number, "visitors", "one", suspended=True))
    (suspended,) = missing_accounts(settings, small_store.accounts)
    assert re.match(rf"{named}, which is suspended: .*cambist account resume visitors", suspended)


@pytest.mark.parametrize("page", ["off", "keyed"])
def test_a_page_that_is_not_open_needs_none(small_store, page):
    settings = Settings(page=page, page_account="visitors", dialect_account="clients")
    assert list(missing_accounts(settings, small_store.accounts)) == []
    small_store.accounts.create(Account(0, "visitors", "one"))
    assert PAGE not in stored_keys(settings, small_store.accounts)


def test_the_account_is_found_by_its_name(small_store):
    assert PAGE not in stored_keys(OPEN, small_store.accounts)
    account = small_store.accounts.create(Account(0, "visitors", "one"))
    assert stored_keys(OPEN, small_store.accounts)[PAGE].account == account


def test_after_a_change_the_account_of_the_page_is_as_it_is_now(small_store):
    reader, accounts = KeyReader(OPEN, small_store.accounts), small_store.accounts
    account = accounts.create(Account(0, "visitors", "one"))
    changes = reader.read_changes()
    assert changes.keys[PAGE].account == account
    reader.mark_applied(changes)
    accounts.change(Account(account.number, "visitors", "one", suspended=True))
    assert reader.read_changes().keys[PAGE].account.suspended
    accounts.delete(account)
    assert reader.read_changes().keys[PAGE] is None


def test_changes_are_returned_until_they_have_been_applied(small_store):
    before = KeyReader(Settings(), small_store.accounts)
    small_store.accounts.create(Account(0, "visitors", "one"))
    assert before.read_changes() == before.read_changes()
    before.mark_applied(before.read_changes())
    assert before.read_changes().keys == {}
    assert before.read_all() == stored_keys(Settings(), small_store.accounts)

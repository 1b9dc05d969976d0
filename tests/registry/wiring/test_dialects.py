"""The dialects that are on, and the account of calls in them without a key."""

from __future__ import annotations

import pytest

from cambist.accounts.account import Account
from cambist.accounts.keyless_access import DIALECTS
from cambist.api.faces.dialects import DIALECTS as PACKAGES
from cambist.errors import CannotStart
from cambist.registry.accounts.keyless_accounts import KeyReader, stored_keys
from cambist.registry.wiring.components import dialects
from cambist.settings import Settings


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(CannotStart, match=r"\[klingon\] in the setting \[dialects\]; there are"):
        dialects(Settings(dialects="klingon"))
    assert dialects(Settings()) == ()


@pytest.mark.parametrize("name", PACKAGES)
def test_every_dialect_is_found_by_its_name(name):
    assert [one.name for one in dialects(Settings(dialects=f" {name} ,"))] == [name]


def test_the_account_is_found_as_soon_as_it_exists(small_store):
    settings = Settings(dialects="x", dialect_account="clients")
    assert DIALECTS not in stored_keys(settings, small_store.accounts)
    account = small_store.accounts.create(Account(0, "clients", "one"))
    assert stored_keys(settings, small_store.accounts)[DIALECTS].account == account
    assert DIALECTS not in stored_keys(Settings(dialect_account="clients"), small_store.accounts)
    reader = KeyReader(settings, small_store.accounts)
    small_store.accounts.delete(account)
    assert reader.read_changes().keys[DIALECTS] is None

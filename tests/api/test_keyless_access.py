"""Visitors of an open page: they bring no key, and the account that the operator named pays."""

from __future__ import annotations

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.keyless_access import PAGE, is_same_host, is_same_name, with_page_account

PAGE_CALL = {"Cambist-Page": "1", "Host": "rates.example:8000"}
VISITORS = Account(9, "visitors", "one")


@pytest.fixture
def open_client(make_client, key):
    keys = {digest(key): StoredKey(1, Account(1, "owner", "unlimited"))}
    return make_client(stored_keys=with_page_account(keys, VISITORS))


def test_a_call_of_the_page_is_charged_to_the_account_with_its_own_limits(open_client):
    reply = open_client.get("/fetch-one?from=EUR&to=USD", key=None, headers=PAGE_CALL)
    assert reply.status == 200
    assert sum(calls for (account, _, _), calls in open_client.ledger.spent_by.items() if account == 9) == 1
    assert '"quota"' in reply.headers["ratelimit-policy"]


def test_the_same_call_without_the_header_needs_a_key(open_client):
    reply = open_client.get("/fetch-one?from=EUR&to=USD", key=None, headers={"Host": "rates.example:8000"})
    assert (reply.status, reply.json["code"]) == (401, "key_missing")


def test_a_key_is_charged_itself_even_on_an_open_page(open_client, key):
    open_client.get("/fetch-one?from=EUR&to=USD", headers=PAGE_CALL)
    assert {account for account, _, _ in open_client.ledger.spent_by} == {1}
    wrong = open_client.get("/fetch-one?from=EUR&to=USD", key=key[:-1], headers=PAGE_CALL)
    assert wrong.json["code"] == "key_malformed"


def test_pages_of_other_origins_are_no_visitors(open_client):
    foreign = PAGE_CALL | {"Origin": "https://evil.example"}
    assert open_client.get("/fetch-one?to=EUR", key=None, headers=foreign).json["code"] == "key_missing"
    own = PAGE_CALL | {"Origin": "http://rates.example:8000"}
    assert open_client.get("/fetch-one?to=EUR", key=None, headers=own).status == 200


def test_without_an_open_page_the_header_means_nothing(client):
    assert client.get("/fetch-one?to=EUR", key=None, headers=PAGE_CALL).json["code"] == "key_missing"


def test_a_suspended_account_is_named_in_words(make_client):
    suspended = Account(9, "visitors", "one", suspended=True)
    client = make_client(stored_keys=with_page_account({}, suspended))
    reply = client.get("/fetch-one?to=EUR", key=None, headers=PAGE_CALL)
    assert (reply.status, reply.json["code"]) == (403, "account_suspended")


def test_no_key_can_have_the_digest_of_the_page(key):
    assert len(PAGE) < len(digest(key))
    assert with_page_account({}, None) == {}


@pytest.mark.parametrize(
    ("origin", "host", "same_host", "same_name"),
    [
        ("http://rates.example:8000", "rates.example:8000", True, True),
        ("http://rates.example:8000", "rates.example:8001", False, True),
        ("http://evil.example", "rates.example", False, False),
        ("http://rates.example.evil", "rates.example", False, False),
        ("null", "rates.example", False, False),
        ("http://[::1]:8000", "[::1]:8001", False, True),
        ("http://[broken", "rates.example", False, False),
        ("", "rates.example", True, False),
    ],
)
def test_origins_are_compared_with_the_host_that_was_asked(origin, host, same_host, same_name):
    assert is_same_name(origin, host) is same_name
    if "[broken" not in origin:
        assert is_same_host(origin, host) is same_host

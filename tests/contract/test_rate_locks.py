"""`lock`: a rate that is held for a time, by a token that is signed and not stored."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from msgspec import structs
from tests.conftest import KEY, PLANS
from tests.contract.conftest import NOON, book_with, dealt
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.principal import Principal
from cambist.api.bodies.rate_locks import check_grant
from cambist.errors import BadParameter
from cambist.registry.signing.node_signer import NodeSigner
from cambist.storage.key_folder import KeyFolder

OTHER = mint(lambda alphabet: alphabet[5])


@pytest.fixture
def shop(dealing, small_store, tmp_path):
    """A service that signs, with the owner and another account on a plan that holds rates for an hour."""
    plan = structs.replace(PLANS["unlimited"], name="hour", lock_minutes=60)
    keys = {
        digest(KEY): StoredKey(1, Account(1, "owner", "hour")),
        digest(OTHER): StoredKey(2, Account(2, "other", "hour")),
    }
    client = dealing(options={"stored_keys": keys, "plans": PLANS | {"hour": plan}})
    read_with(client.worker_state, receipts=NodeSigner(KeyFolder(tmp_path / "keys"), small_store.public_keys))
    return client


def exact(reply):
    assert reply.status == 200, reply.text
    return json.loads(reply.text, parse_float=Decimal, parse_int=Decimal)


def locked(client, query="from=EUR&to=GBP&amount=100"):
    return exact(client.get(f"/convert?{query}&lock=PT30M"))


def market_moves(client, **more):
    client.worker_state.apply_book(book_with(EUR=dealt("EUR/USD", "1.3000", "1.3002"), **more))


def later(client, minutes):
    client.clock.read = (NOON + timedelta(minutes=minutes)).timestamp


@pytest.mark.parametrize("amount", ["100", "7000000.05", "0.01"])
def test_the_rate_is_the_same_until_the_lock_ends_whatever_the_market_does(shop, amount):
    before = locked(shop, f"from=EUR&to=GBP&amount={amount}")
    market_moves(shop)
    later(shop, 29)
    token = before["lock"]["token"]
    after = exact(shop.get(f"/convert?from=EUR&to=GBP&amount={amount}&lock={token}"))
    assert [after[name] for name in ("result", "updated", "lock")] == [
        before[name] for name in ("result", "updated", "lock")
    ]
    assert before["lock"]["ends_at"] == "2026-11-20T12:30:00Z"
    assert exact(shop.get(f"/convert?from=EUR&to=GBP&amount={amount}"))["result"] != before["result"]


def test_after_its_end_the_rate_of_now_is_told_and_nothing_is_charged(shop):
    token = locked(shop)["lock"]["token"]
    later(shop, 30)
    reply = shop.get(f"/convert?from=EUR&to=GBP&amount=100&lock={token}")
    now = exact(shop.get("/convert?from=EUR&to=GBP&amount=100"))["result"]["rate"]
    assert (reply.status, reply.headers["x-calls-cost"]) == (409, "0")
    sentence = f"The lock ended at [2026-11-20T12:30:00Z]; the rate of [EUR/GBP] is now [{now}]"
    assert reply.json == {"error": sentence, "code": "lock_ended"}


def test_a_price_list_is_held_whole_and_its_rates_convert_too(shop):
    query = "/price-list?from=EUR&to=USD,GBP,JPY&amount=12.50&markup=3%25&rounding=currency"
    before = exact(shop.get(f"{query}&lock=PT1H"))
    market_moves(shop)
    token = before["lock"]["token"]
    assert exact(shop.get(f"{query}&lock={token}"))["prices"] == before["prices"]
    one = exact(shop.get(f"/convert?from=EUR&to=JPY&amount=12.50&lock={token}"))
    assert one["result"]["rate"] == before["prices"]["JPY"]["rate"]
    less = exact(shop.get(f"/price-list?from=EUR&to=GBP&amount=3&lock={token}"))
    assert less["prices"]["GBP"]["rate"] == before["prices"]["GBP"]["rate"]


def test_the_token_of_one_account_is_no_other_s_not_even_from_a_cache(shop):
    token = locked(shop)["lock"]["token"]
    query = f"/convert?from=EUR&to=GBP&amount=100&lock={token}"
    for _ in range(2):
        assert shop.get(query).status == 200
        reply = shop.get(query, key=OTHER)
        assert (reply.status, reply.json["code"]) == (403, "not_in_plan")


@pytest.mark.parametrize(
    ("query", "status", "part"),
    [
        ("lock=PT61M", 403, "The plan [hour] holds rates for [60] minutes at most"),
        ("lock=PT0S", 400, "it takes a duration such as PT30M, or the token of a lock"),
        ("lock=tomorrow", 400, "it takes a duration such as PT30M, or the token of a lock"),
        ("lock=PT5M&date=2026-10-30", 400, "cannot be combined with [date]"),
        ("lock=PT5M&source=ecb", 400, "cannot be combined with [source]"),
        ("lock=PT5M&booking=pl-vat&date=2026-10-30", 400, "cannot be combined with [date]"),
        ("lock={token}&max_age=PT2H", 400, "cannot be combined with [max_age]"),
        ("lock={changed}", 400, "the token was changed, or another service made it"),
        ("lock={token}x", 400, "the token was changed, or another service made it"),
        ("lock=a.b.c", 400, "the token was changed, or another service made it"),
        ("to=USD&lock={token}", 400, "it does not hold a rate of [EUR/USD]. It holds [EUR/GBP]"),
        ("from=GBP&to=EUR&lock={token}", 400, "it does not hold a rate of [GBP/EUR]"),
    ],
)
def test_what_cannot_be_held_is_refused_in_one_sentence_and_costs_nothing(shop, query, status, part):
    token = locked(shop)["lock"]["token"]
    head, claims, signature = token.split(".")
    changed = f"{head}.{claims[:-4]}{'AAAA' if claims[-4:] != 'AAAA' else 'BBBB'}.{signature}"
    asked = {"from": "EUR", "to": "GBP", "amount": "100"}
    asked |= dict(part.split("=", 1) for part in query.format(token=token, changed=changed).split("&"))
    reply = shop.get("/convert?" + "&".join(f"{name}={value}" for name, value in asked.items()))
    assert (reply.status, reply.headers["x-calls-cost"]) == (status, "0")
    assert part in reply.json["error"]


def test_a_receipt_is_no_lock_and_a_lock_is_no_receipt(shop):
    receipt = shop.get("/convert?from=EUR&to=GBP&amount=100&receipt=1").headers["cambist-receipt"]
    reply = shop.get(f"/convert?from=EUR&to=GBP&amount=100&lock={receipt}")
    assert (reply.status, "was changed, or another service" in reply.json["error"]) == (400, True)


def test_a_list_of_more_rates_than_a_token_holds_is_refused():
    context = SimpleNamespace(payer=Principal.build(StoredKey(1, Account(1, "owner", "unlimited")), PLANS))
    assert check_grant(context, timedelta(minutes=5), 50) is context.payer
    with pytest.raises(BadParameter, match=r"it holds \[50\] rates at most, not \[51\]"):
        check_grant(context, timedelta(minutes=5), 51)


def test_a_service_that_does_not_sign_refuses(dealing):
    reply = dealing().get("/convert?from=EUR&to=GBP&amount=100&lock=PT5M")
    assert (reply.status, reply.json["code"]) == (503, "receipt_unavailable")

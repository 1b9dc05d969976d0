"""`partial=1`: the rest is listed in `unavailable`, and only answers are charged."""

from __future__ import annotations

import pytest

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.minor_units import MINOR_UNITS

LISTS = [
    ("/fetch-multi?from=EUR&to=USD,XDR,JPY", "results", ["USD", "JPY"], ["XDR"], 1),
    ("/fetch-multi?from=EUR&to=ZZZ,USD,BTC,XDR", "results", ["USD"], ["XDR", "ZZZ", "BTC"], 1),
    ("/fetch-multi?from=XAU&to=EUR,XDR,USD", "results", ["EUR", "USD"], ["XDR"], 3),
    ("/fetch-many-to-one?from=EUR,XDR,JPY,zzz&to=USD", "from", ["EUR", "JPY"], ["XDR", "zzz"], 2),
    ("/fetch-matrix?from=EUR,XDR&to=JPY,XDR,USD,KPW", "matrix", ["EUR"], ["XDR", "KPW"], 2),
    ("/crypto/fetch-prices?pairs=BTC/USD,DOGE/USD,BTC/ZZZ,ETH/BTC", "prices", ["BTC/USD", "ETH/BTC"],
     ["DOGE/USD", "BTC/ZZZ"], 1),
    ("/fx/quote?pairs=EURUSD,ZZZUSD,usd/jpy,EUR/KPW", "quotes", ["EURUSD", "USDJPY"], ["ZZZUSD", "EUR/KPW"], 1),
]  # fmt: skip


@pytest.mark.long(every=3)
@pytest.mark.parametrize(("target", "name", "answered", "missing", "calls"), LISTS)
def test_what_can_be_answered_is_and_the_rest_is_named(client_dealing, target, name, answered, missing, calls):
    for truth in ("1", "true", "yes", "Y"):
        reply = client_dealing.get(f"{target}&partial={truth}")
        assert reply.status == 200, reply.text
        assert list(reply.json[name]) == answered
        assert reply.json["unavailable"] == missing
        assert reply.headers["x-calls-cost"] == str(calls)
        assert reply.json.get("calls", calls) == calls


@pytest.mark.parametrize(("target", "missing"), [(target, missing) for target, _, _, missing, _ in LISTS])
@pytest.mark.parametrize("more", ["", "&partial=0", "&partial=", "&partial=no"])
def test_without_it_one_missing_code_fails_the_list(client_dealing, target, missing, more):
    reply = client_dealing.get(target + more)
    assert reply.status in {400, 503}
    assert any(f"[{code.partition('/')[0]}" in reply.json["error"] for code in missing)


def test_unavailable_is_present_only_with_partial(client):
    assert client.get("/fetch-multi?to=EUR,JPY&partial=1").json["unavailable"] == []
    assert "unavailable" not in client.get("/fetch-multi?to=EUR,JPY").json


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/fetch-multi?to=XDR,KPW&partial=1", 503),
        ("/fetch-multi?to=ZZZ,QQQ&partial=1", 400),
        ("/fetch-multi?from=XDR&to=EUR&partial=1", 503),
        ("/fetch-multi?to=EUR,JPY&max_age=PT1S&partial=1", 503),
        ("/crypto/fetch-prices?pairs=DOGE/USD&partial=1", 503),
    ],
)
def test_where_nothing_can_be_answered_it_is_the_error_without_it(client_dealing, target, status):
    reply = client_dealing.get(target)
    assert reply.status == status
    assert reply.json["error"] == client_dealing.get(target.replace("&partial=1", "")).json["error"]


def test_a_rate_older_than_max_age_is_unavailable_too(client_dealing):
    reply = client_dealing.get("/fetch-multi?to=EUR,PLN,JPY&max_age=PT1M&partial=1").json
    assert (list(reply["results"]), reply["unavailable"]) == (["EUR", "JPY"], ["PLN"])


def test_a_list_may_be_as_long_as_the_longest_list_of_currencies_and_longer(client):
    everything = client.get("/currencies?all=1").json["currencies"]
    assert len(everything) > 250
    reply = client.get(f"/fetch-multi?to={','.join(everything)}&partial=1").json
    assert sorted([*reply["results"], *reply["unavailable"]]) == sorted(everything)
    priced = client.get("/currencies").json["currencies"]
    assert list(client.get(f"/fetch-multi?to={','.join(priced)}").json["results"]) == list(priced)
    assert set(everything) == {*CURRENCIES, *MINOR_UNITS}

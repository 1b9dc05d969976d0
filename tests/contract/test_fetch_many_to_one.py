"""`GET /fetch-many-to-one` as the API documents it."""

from __future__ import annotations

import re

import pytest


def test_it_answers_to_from_updated_calls_and_ms_in_this_order(client):
    reply = client.get("/fetch-many-to-one?from=EUR,USD&to=AED")
    assert reply.status == 200
    assert list(reply.json) == ["to", "from", "updated", "calls", "ms"]
    assert reply.json | {"ms": 0} == {
        "to": "AED",
        "from": {"EUR": 4.102917, "USD": 3.6725},
        "updated": "2026-10-30T13:15:00Z",
        "calls": 2,
        "ms": 0,
    }


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/fetch-many-to-one?from=JPY&to=EUR").text)


def test_rates_are_numbers_and_not_strings(client):
    rates = client.get("/fetch-many-to-one?from=JPY,EUR,IDR&to=USD").json["from"]
    assert all(type(rate) in {int, float} for rate in rates.values())


@pytest.mark.parametrize("order", ["ZAR,AED,JPY,EUR", "EUR,JPY,AED,ZAR"])
def test_sources_keep_the_order_of_the_request(client, order):
    assert list(client.get(f"/fetch-many-to-one?from={order}&to=USD").json["from"]) == order.split(",")


def test_each_rate_is_that_of_its_source_in_the_target(client):
    text = client.get("/fetch-many-to-one?from=IDR,USD&to=EUR").text
    assert '"from":{"IDR":0.00004932141136,"USD":0.8950948801}' in text


def test_an_empty_target_is_the_dollar(client):
    reply = client.get("/fetch-many-to-one?from=EUR,USD&to=").json
    assert (reply["to"], reply["from"]) == ("USD", {"EUR": 1.1172, "USD": 1})


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("from=EUR", "to"),
        ("to=USD", "from"),
        ("from=&to=USD", "from"),
        ("from=,&to=USD", "from"),
        ("", "from"),
    ],
)
def test_what_is_missing_is_named(client, query, name):
    reply = client.get(f"/fetch-many-to-one?{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert f"[{name}]" in reply.json["error"]


def test_a_source_that_is_the_target_is_1_listed_and_charged(client):
    reply = client.get("/fetch-many-to-one?from=EUR,USD,JPY&to=USD")
    assert '"USD":1,' in reply.text
    assert (reply.json["calls"], reply.headers["x-calls-cost"]) == (3, "3")


@pytest.mark.parametrize(
    ("sources", "calls"), [("EUR", 1), ("EUR,JPY", 2), ("EUR,eur,JPY,,EUR", 2), ("JPY,HRK,BGN", 3)]
)
def test_each_pair_returned_costs_a_call(client, sources, calls):
    for _ in range(2):  # made, then kept
        reply = client.get(f"/fetch-many-to-one?from={sources}&to=USD")
        assert (reply.json["calls"], reply.headers["x-calls-cost"]) == (calls, str(calls))
        assert len(reply.json["from"]) == calls


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=EUR,ZZZ&to=USD", "Invalid/unsupported source currency: [ZZZ]"),
        ("from=EUR&to=ZZZ", "Invalid/unsupported target currency: [ZZZ]"),
    ],
)
def test_an_unknown_code_is_named_with_its_side(client, query, sentence):
    reply = client.get(f"/fetch-many-to-one?{query}")
    assert (reply.status, reply.json["error"]) == (400, sentence)

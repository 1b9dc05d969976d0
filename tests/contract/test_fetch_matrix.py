"""`GET /fetch-matrix` as the API documents it."""

from __future__ import annotations

import re

import pytest


def test_it_answers_from_to_matrix_updated_calls_and_ms_in_this_order(client):
    reply = client.get("/fetch-matrix?from=EUR,USD&to=USD,AED")
    assert reply.status == 200
    assert list(reply.json) == ["from", "to", "matrix", "updated", "calls", "ms"]
    assert reply.json | {"ms": 0} == {
        "from": ["EUR", "USD"],
        "to": ["USD", "AED"],
        "matrix": {"EUR": {"USD": 1.1172, "AED": 4.102917}, "USD": {"USD": 1, "AED": 3.6725}},
        "updated": "2026-10-30T13:15:00Z",
        "calls": 4,
        "ms": 0,
    }


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/fetch-matrix?from=JPY&to=EUR").text)


def test_lists_and_matrix_keep_the_order_of_the_request(client):
    reply = client.get("/fetch-matrix?from=ZAR,AED,JPY&to=USD,CHF,EUR").json
    assert reply["from"] == list(reply["matrix"]) == ["ZAR", "AED", "JPY"]
    assert reply["to"] == ["USD", "CHF", "EUR"]
    assert all(list(row) == ["USD", "CHF", "EUR"] for row in reply["matrix"].values())


def test_a_pair_of_the_same_currency_is_1_and_charged(client):
    reply = client.get("/fetch-matrix?from=EUR,USD&to=EUR,USD")
    assert '"matrix":{"EUR":{"EUR":1,"USD":1.1172},"USD":{"EUR":0.8950948801,"USD":1}}' in reply.text
    assert (reply.json["calls"], reply.headers["x-calls-cost"]) == (4, "4")


def test_each_cell_reads_as_fetch_one_writes_it(client):
    text = client.get("/fetch-matrix?from=IDR,KRW&to=GBP,EUR").text
    for source in ("IDR", "KRW"):
        row = re.search(rf'"{source}":({{[^}}]+}})', text)
        assert row
        for target in ("GBP", "EUR"):
            one = re.search(rf'"{target}":[^,}}]+', client.get(f"/fetch-one?from={source}&to={target}").text)
            assert one
            assert one[0] in row[1]


@pytest.mark.parametrize(
    ("query", "calls"),
    [("from=EUR&to=USD", 1), ("from=EUR,JPY&to=USD,EUR,GBP", 6), ("from=EUR,eur,&to=USD,,USD,JPY", 2)],
)
def test_each_pair_returned_costs_a_call(client, query, calls):
    for _ in range(2):  # made, then kept
        reply = client.get(f"/fetch-matrix?{query}")
        assert (reply.json["calls"], reply.headers["x-calls-cost"]) == (calls, str(calls))
        assert sum(len(row) for row in reply.json["matrix"].values()) == calls


@pytest.mark.parametrize(
    ("query", "name"),
    [("to=USD", "from"), ("from=EUR", "to"), ("from=EUR&to=", "to"), ("from=,&to=USD", "from"), ("", "from")],
)
def test_what_is_missing_is_named(client, query, name):
    reply = client.get(f"/fetch-matrix?{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert f"[{name}]" in reply.json["error"]


def test_ten_thousand_pairs_are_answered(client, real_book):
    codes = [code for code in real_book.quotes if real_book.holds(code) and code != "USD"][:100]
    reply = client.get(f"/fetch-matrix?from={','.join(codes)}&to={','.join(codes)}")
    assert (reply.status, reply.json["calls"]) == (200, 10_000)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=EUR,ZZZ&to=USD", "Invalid/unsupported source currency: [ZZZ]"),
        ("from=EUR&to=USD,ZZZ", "Invalid/unsupported target currency: [ZZZ]"),
    ],
)
def test_an_unknown_code_is_named_with_its_side(client, query, sentence):
    reply = client.get(f"/fetch-matrix?{query}")
    assert (reply.status, reply.json["error"]) == (400, sentence)

"""`GET /fetch-multi` as the API documents it."""

from __future__ import annotations

import re

import pytest


def test_it_answers_base_results_updated_and_ms_in_this_order(client):
    reply = client.get("/fetch-multi?from=EUR&to=USD,JPY")
    assert reply.status == 200
    assert list(reply.json) == ["base", "results", "updated", "ms"]
    assert reply.json | {"ms": 0} == {
        "base": "EUR",
        "results": {"USD": 1.1172, "JPY": 175.68},
        "updated": "2026-10-30T13:15:00Z",
        "ms": 0,
    }


def test_ms_is_an_integer_and_last(client):
    for _ in range(2):  # made, then kept
        assert re.search(r',"ms":[0-9]+}$', client.get("/fetch-multi?to=EUR,JPY").text)


@pytest.mark.parametrize("order", ["ZAR,AED,JPY,EUR", "EUR,JPY,AED,ZAR", "JPY,ZAR,EUR,AED"])
def test_results_keep_the_order_of_the_request(client, order):
    assert list(client.get(f"/fetch-multi?from=USD&to={order}").json["results"]) == order.split(",")


@pytest.mark.parametrize("query", ["to=EUR", "from=&to=EUR"])
def test_the_source_is_the_dollar_when_left_out(client, query):
    assert client.get(f"/fetch-multi?{query}").json["base"] == "USD"


def test_the_source_itself_is_1_if_requested(client):
    text = client.get("/fetch-multi?from=EUR&to=USD,EUR,JPY").text
    assert '"results":{"USD":1.1172,"EUR":1,"JPY":175.68}' in text


def test_each_rate_reads_as_fetch_one_writes_it(client):
    text = client.get("/fetch-multi?from=IDR&to=EUR,USD,GBP,HUF").text
    for code in ("EUR", "USD", "GBP", "HUF"):
        one = client.get(f"/fetch-one?from=IDR&to={code}").text
        rate = re.search(rf'"{code}":[^,}}]+', one)
        assert rate
        assert rate[0] in text


@pytest.mark.parametrize("query", ["", "?from=EUR", "?from=EUR&to=", "?from=EUR&to=%20", "?from=EUR&to=,%20,"])
def test_a_missing_target_is_refused(client, query):
    reply = client.get(f"/fetch-multi{query}")
    assert (reply.status, reply.json["code"]) == (400, "bad_parameter")
    assert "[to]" in reply.json["error"]


def test_one_unknown_code_refuses_the_whole_list_and_is_named(client):
    reply = client.get("/fetch-multi?from=EUR&to=USD,ZZZ,JPY")
    assert (reply.status, reply.json["error"]) == (400, "Invalid/unsupported target currency: [ZZZ]")


def test_updated_is_that_of_the_oldest_quote_in_the_answer(client):
    assert client.get("/fetch-multi?from=EUR&to=USD,JPY").json["updated"] == "2026-10-30T13:15:00Z"


def test_ended_currencies_are_answered_if_requested_by_name(client):
    assert client.get("/fetch-multi?from=EUR&to=HRK,BGN").json["results"] == {"HRK": 7.5345, "BGN": 1.95583}


def test_a_list_costs_one_call(client):
    assert client.get("/fetch-multi?from=EUR&to=USD,JPY,GBP").headers["x-calls-cost"] == "1"

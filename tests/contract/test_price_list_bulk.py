"""`POST /price-list/bulk`: a list of articles in many currencies, kept near to the prices that it had."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from tests.contract.test_values import exact, post

PATH = "/price-list/bulk"
DAY = "2026-10-30"


def asked(client, *articles, **terms):
    question = {"from": "EUR", "to": ["USD", "JPY"], "date": DAY, "articles": articles} | terms
    return exact(post(client, PATH, question))


def test_each_price_is_that_of_the_price_list(client):
    terms = {"markup": "2.5%", "rounding": "up"}
    answer = asked(client, {"sku": "A", "price": 12.5}, {"sku": "B", "price": "0.99"}, **terms)
    for article, amount in zip(answer["articles"], ("12.5", "0.99"), strict=True):
        own = client.get(f"/price-list?from=EUR&to=USD,JPY&amount={amount}&markup=2.5%25&rounding=up&date={DAY}")
        for code, price in json.loads(own.text, parse_float=Decimal, parse_int=Decimal)["prices"].items():
            found = article["prices"][code]
            assert found["price"] == price["price"]
            assert (found["amount"], found["markup"]) == (price["cost"], price["markup"])
            assert found["amount"] + found["markup"] + found["rounding"] == found["price"]
            assert answer["rates"][code]["rate"] == price["rate"]
    assert [each["sku"] for each in answer["articles"]] == ["A", "B"]


def price(client, last, **terms):
    answer = asked(client, {"sku": "A", "price": 12.5, "last": {"USD": last}}, to=["USD"], **terms)
    return answer["articles"][0]["prices"]["USD"]


def test_a_price_that_hardly_changes_stays(client):
    now = price(client, 99)["price"]
    kept = price(client, str(now * Decimal("1.009")), keep_within="1%")
    assert (kept["price"], kept["kept"]) == (now * Decimal("1.009"), True)
    assert kept["amount"] + kept["markup"] + kept["rounding"] == kept["price"]
    changed = price(client, str(now * Decimal("1.02")), keep_within="1%")
    assert (changed["price"], "kept" in changed) == (now, False)


@pytest.mark.parametrize(("last", "limited"), [("20.00", "19.00"), ("10.00", "10.50")])
def test_a_price_changes_by_no_more_than_is_allowed(client, last, limited):
    found = price(client, last, max_change="5%")
    assert (found["price"], found["limited"]) == (Decimal(limited), True)


def test_last_prices_are_found_in_any_case(client):
    answer = asked(client, {"sku": "A", "price": 12.5, "last": {"usd": 20}}, to=["USD"], max_change="5%")
    assert answer["articles"][0]["prices"]["USD"]["limited"] is True


def test_a_price_below_cost_is_warned_of(client):
    answer = asked(client, {"sku": "A", "price": 10, "cost": 9.8}, {"sku": "B", "price": 10, "cost": 5}, markup="-5%")
    assert ["below_cost" in each["prices"]["USD"] for each in answer["articles"]] == [True, False]
    assert answer["below_cost"] == 2


def test_it_costs_a_call_for_each_currency(client):
    question = {"from": "EUR", "to": ["USD", "usd", "JPY"], "date": DAY, "articles": [{"sku": "A", "price": 1}] * 50}
    reply = post(client, PATH, question)
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "2")


@pytest.mark.parametrize(
    ("terms", "part"),
    [
        ({"to": ["ZZZ"]}, "Invalid/unsupported target currency: [ZZZ]"),
        ({"from": "ZZZ"}, "Invalid/unsupported source currency: [ZZZ]"),
        ({"markup": "-100%"}, "Invalid markup: [-100%]"),
        ({"rounding": "cash"}, "USD has no cash step"),
        ({"rounding": "sideways"}, "Invalid rounding: [sideways]"),
        ({"keep_within": "-1%"}, "Invalid keep_within: [-1%]"),
        ({"max_change": "much"}, "Invalid max_change: [much]"),
        ({"articles": []}, "these are [0] prices"),
        ({"articles": [{"sku": "A", "price": 1}] * 5001}, "these are [10002] prices, it takes from 1 to 10000"),
        ({"articles": [{"sku": "A", "price": 0}]}, "Article 1: Invalid price: [0]"),
        ({"articles": [{"sku": "A", "price": 1, "cost": -1}]}, "Article 1: Invalid cost: [-1]"),
        ({"articles": [{"sku": "A", "price": 1, "last": {"USD": 0}}]}, "Article 1: Invalid USD: [0]"),
        ({"articles": [{"sku": "A", "price": 1, "last": {"ZZZ": 1}}]}, "Article 1: Invalid last: "),
        ({"articles": [{"price": 1}]}, "Invalid body at [articles[0]]"),
        ({"date": "2099-01-01"}, "Invalid date"),
    ],
)
def test_what_cannot_be_priced_is_refused_and_costs_nothing(client, terms, part):
    question = {"from": "EUR", "to": ["USD", "JPY"], "date": DAY, "articles": [{"sku": "A", "price": 1}]} | terms
    reply = post(client, PATH, question)
    assert (reply.status, reply.headers["x-calls-cost"]) == (400, "0")
    assert part in reply.json["error"]

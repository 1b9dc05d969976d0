"""`/price-list`: an amount in many currencies, marked up and rounded as shops do."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from cambist.pricing.price_rounding import parse_rounding

DAY = "&date=2026-10-30"
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "price-list.md"


def prices(client, query):
    reply = client.get(f"/price-list?{query}")
    assert reply.status == 200, reply.text
    return json.loads(reply.text, parse_float=Decimal, parse_int=Decimal)["prices"]


def converted(client, amount, quote, day=DAY):
    reply = client.get(f"/convert?from=EUR&to={quote}&amount={amount}&precision=20{day}")
    return Decimal(json.loads(reply.text, parse_float=str, parse_int=str)["result"][quote])


@pytest.mark.parametrize("day", [DAY, ""])
def test_a_price_is_cost_and_mark_up_and_rounding(client, day):
    found = prices(client, f"from=EUR&to=USD,JPY,CHF&amount=12.50&markup=2.5%25{day}")
    assert list(found) == ["USD", "JPY", "CHF"]
    for quote, each in found.items():
        cost = converted(client, "12.50", quote, day)
        assert each["price"] == (cost * Decimal("1.025")).quantize(
            Decimal(1).scaleb(0 if quote == "JPY" else -2), "ROUND_HALF_UP"
        )
        assert each["cost"] == pytest.approx(cost, rel=Decimal("1e-6"))
        assert each["cost"] + each["markup"] + each["rounding"] == each["price"]
        assert each["below_cost"] is False
        assert ("fixed_on" in each, "updated" in each) == ((True, False) if day else (False, True))


@pytest.mark.parametrize(
    ("text", "price", "code", "rounded"),
    [
        ("currency", "12.345", "USD", "12.35"),
        ("currency", "12.5", "JPY", "13"),
        ("currency", "1.0005", "KWD", "1.001"),
        ("cash", "12.475", "CHF", "12.50"),
        ("cash", "12.42", "CHF", "12.40"),
        ("cash", "1234", "HUF", "1235"),
        ("cash", "99.4", "SEK", "99"),
        ("step:0.25", "7.12", "USD", "7.00"),
        ("step:0.25", "7.125", "USD", "7.25"),
        ("up", "7.1201", "USD", "7.13"),
        ("up", "7.12", "USD", "7.12"),
        ("charm:0.99", "12.34", "USD", "12.99"),
        ("charm:0.99", "12.995", "USD", "13.99"),
        ("charm:0.99", "0.2", "USD", "0.99"),
        ("charm:90", "1234", "JPY", "1290"),
        ("charm:9.95", "21", "USD", "29.95"),
    ],
)
def test_prices_are_rounded_as_shops_do(text, price, code, rounded):
    assert parse_rounding("rounding", text).round(Fraction(price), code) == Decimal(rounded)


def test_a_price_below_its_cost_is_warned_of(client):
    found = prices(client, f"from=EUR&to=USD&amount=10&markup=-5%25{DAY}")["USD"]
    assert (found["below_cost"], found["markup"] < 0) == (True, True)
    found = prices(client, f"from=EUR&to=USD&amount=0.10&rounding=step:0.10{DAY}")["USD"]
    assert (found["below_cost"], found["price"]) == (True, Decimal("0.1"))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("to=USD", "Missing parameter: [amount]"),
        ("to=USD&amount=0", "above zero"),
        ("to=USD&amount=-3", "above zero"),
        ("to=USD&amount=1&markup=-100%25", "above -100"),
        ("to=USD&amount=1&markup=12", "it takes a percentage"),
        ("to=USD&amount=1&rounding=step", "Options are [currency, cash"),
        ("to=USD&amount=1&rounding=step:0", "Options are [currency, cash"),
        ("to=USD&amount=1&rounding=charm:x", "Options are [currency, cash"),
        ("to=USD&amount=1&rounding=cash", "USD has no cash step"),
        ("to=USD,JPY&amount=1&rounding=charm:0.99", "the smallest amount of JPY is 1"),
        ("to=USD&amount=1&rounding=step:0.005", "the smallest amount of USD is 0.01"),
        ("to=USD,XXX&amount=1", "[XXX]"),
        ("to=USD&amount=1&source=xyz", "Invalid source"),
    ],
)
def test_what_cannot_be_priced_is_refused_and_costs_nothing(client, query, says):
    reply = client.get(f"/price-list?from=EUR&{query}")
    assert (reply.status, says in reply.json["error"]) == (400, True), reply.text
    assert reply.headers.get("x-calls-cost", "0") == "0"


def test_each_price_costs_a_call_and_missing_ones_none(client):
    reply = client.get(f"/price-list?from=EUR&to=USD,KPW,CHF,XXX&amount=5&partial=1{DAY}")
    assert reply.status == 200, reply.text
    assert reply.headers["x-calls-cost"] == "2"
    assert reply.json["unavailable"] == ["KPW", "XXX"]


def test_the_list_is_a_table_too(client):
    reply = client.get(f"/price-list.csv?from=EUR&to=USD,CHF&amount=5&rounding=charm:0.95{DAY}")
    rows = list(csv.DictReader(io.StringIO(reply.text)))
    assert [(row["quote"], row["price"][-3:], row["below_cost"]) for row in rows] == [
        ("USD", ".95", "no"),
        ("CHF", ".95", "no"),
    ]
    assert rows[0]["fixed_on"] == "2026-10-30"


def test_the_guide_shows_what_is_answered(client):
    text = GUIDE.read_text(encoding="utf-8")
    target, shown = re.findall(
        r"^\$ curl .*? 'http://127\.0\.0\.1:8000(.*?)'\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL
    )[0]
    assert client.get(target).text.split() == shown.split()

"""`POST /metals/value` and `POST /value`: what pieces and positions are worth."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.contract.conftest import NOON

from cambist.api.docs.openapi import openapi_document
from cambist.registry.wiring.components import posted_endpoints

RING = {"metal": "XAU", "weight": 4.2, "unit": "gram", "purity": "750", "count": 3, "deduct": 0.2}
DAY = "2026-10-30"
OUNCE = Fraction("31.1034768")


def post(client, path, question, **rest):
    body = question if isinstance(question, bytes) else json.dumps(question).encode()
    return client.request("POST", path, body=body, headers={"Content-Type": "application/json"}, **rest)


def exact(reply):
    assert reply.status == 200, reply.text
    return json.loads(reply.text, parse_float=Decimal, parse_int=Decimal)


def cents(value):
    return (Decimal(value.numerator) / Decimal(value.denominator)).quantize(Decimal("0.01"), ROUND_HALF_UP)


def spot(client, metal="XAU", currency="EUR"):
    """Bid and ask of an ounce, as /metals/spot has them."""
    found = client.get(f"/metals/spot?metal={metal}&currency={currency}").json
    return Fraction(found["bid"]), Fraction(found["ask"])


def test_pieces_are_worth_their_metal_and_a_shop_keeps_its_margin(dealing):
    client = dealing()
    question = {"currency": "EUR", "margin": "3%", "pieces": [RING | {"name": "rings", "making": 20}]}
    answer = exact(post(client, "/metals/value", question))
    bid, ask = spot(client)
    fine = Fraction("4.0") * 3 * Fraction(3, 4)
    (rings,) = answer["pieces"]
    assert (rings["name"], rings["metal"], rings["fine_grams"]) == ("rings", "XAU", 9)
    assert rings["melt_bid"] == cents(fine * bid / OUNCE)
    assert rings["melt_ask"] == cents(fine * ask / OUNCE)
    assert rings["buy"] == cents(fine * bid / OUNCE * Fraction("0.97"))
    assert rings["sell"] == cents(fine * ask / OUNCE * Fraction("1.03") + 60)
    assert (answer["currency"], answer["fine_grams"]) == ("EUR", {"XAU": 9})
    assert rings["source"] == "swissquote"


def test_sums_are_of_the_rounded_amounts(dealing):
    pieces = [RING | {"weight": 1.111 + n, "margin": f"{n}.5%"} for n in range(7)]
    answer = exact(post(dealing(), "/metals/value", {"currency": "EUR", "pieces": pieces}))
    for name in ("melt_bid", "melt_ask", "buy", "sell"):
        assert answer["totals"][name] == sum(each[name] for each in answer["pieces"])


@pytest.mark.parametrize(
    ("pieces", "cost"),
    [
        ([RING, RING | {"purity": 585}], 1),
        ([RING, {"metal": "xag", "weight": "2.5"}], 3),
        ([{"metal": "XCU", "weight": 0.5, "unit": "metric_tonne"}], 2),
    ],
)
def test_it_costs_what_the_price_of_each_metal_costs(dealing, pieces, cost):
    reply = post(dealing(), "/metals/value", {"currency": "EUR", "pieces": pieces})
    assert reply.status == 200, reply.text
    assert (reply.headers["x-calls-cost"], reply.headers["cache-control"]) == (str(cost), "no-store")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"weight": -1}, "Piece 2: Invalid weight: [-1], it takes a number above 0"),
        ({"weight": 0}, "Piece 2: Invalid weight"),
        ({"weight": "NaN"}, "Piece 2: Invalid weight: [NaN]"),
        ({"weight": "1e99"}, "Piece 2: Invalid weight"),
        ({"deduct": 4.2}, "Piece 2: Invalid deduct: [4.2], it takes a weight from 0 to below [4.2]"),
        ({"deduct": -0.1}, "Piece 2: Invalid deduct"),
        ({"unit": "stone"}, "Piece 2: Invalid unit: [stone]"),
        ({"purity": "1001"}, "Piece 2: Invalid purity: [1001]"),
        ({"metal": "EUR"}, "Piece 2: Invalid/unsupported metal: [EUR]"),
        ({"metal": "XCU"}, "Piece 2: Invalid purity: [XCU] is sold pure"),
        ({"count": 0}, "Piece 2: Invalid count: [0]"),
        ({"count": 1.5}, "Invalid body at [pieces[1].count]: it takes a whole number"),
        ({"margin": "-100%"}, "Piece 2: Invalid margin: [-100%]"),
        ({"margin": "much"}, "Piece 2: Invalid margin: [much]"),
        ({"making": -5}, "Piece 2: Invalid making: [-5]"),
        ({"colour": "red"}, "Invalid body at [pieces[1]]: Object contains unknown field `colour`"),
    ],
)
def test_a_wrong_piece_is_named_and_nothing_is_charged(dealing, change, part):
    client = dealing()
    reply = post(client, "/metals/value", {"currency": "EUR", "pieces": [RING, RING | change]})
    assert (reply.status, reply.headers["x-calls-cost"]) == (400, "0")
    assert part in reply.json["error"]


@pytest.mark.parametrize("path", ["/metals/value", "/value"])
@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"hello", "The body is not JSON"),
        (b"", "The body is not JSON"),
        (b"[]", "Invalid body: it takes a table, not a list"),
        (b"{}", "Invalid body: Object missing required field"),
        (b'{"currency": ' + b"[" * 100_000, "Invalid body at [currency]: it takes text, not a list"),
    ],
)
def test_a_body_that_is_no_question_is_refused(dealing, path, body, part):
    reply = post(dealing(), path, body)
    assert (reply.status, reply.headers["x-calls-cost"], part in reply.json["error"]) == (400, "0", True), reply.text


@pytest.mark.parametrize(("path", "field", "most"), [("/metals/value", "pieces", 1000), ("/value", "positions", 500)])
def test_how_many_there_may_be_is_said(dealing, path, field, most):
    one = RING if field == "pieces" else {"asset": "USD", "amount": 1}
    client = dealing()
    assert post(client, path, {field: [one] * most}).status == 200
    for count in (0, most + 1):
        reply = post(client, path, {field: [one] * count})
        assert reply.json["error"] == f"Invalid {field}: there are [{count}], it takes from 1 to {most}"


@pytest.mark.parametrize("path", ["/metals/value", "/value"])
def test_only_a_post_asks_and_parameters_are_refused(dealing, path):
    client = dealing()
    reply = client.get(path)
    assert (reply.status, reply.headers["allow"]) == (405, "POST, OPTIONS")
    reply = post(client, f"{path}?currency=EUR", {})
    assert (reply.status, "the question is in the body" in reply.json["error"]) == (400, True)
    assert post(client, path, {}, key=None).status == 401


def test_an_old_price_of_a_metal_is_refused_as_at_spot(dealing):
    client = dealing(now=NOON.replace(day=30))
    reply = post(client, "/metals/value", {"currency": "EUR", "pieces": [RING]})
    assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")


POSITIONS = [
    {"asset": "USD", "amount": 1200, "cost": 1050, "name": "cash"},
    {"asset": "BTC", "amount": "0.05"},
    {"asset": "JPY", "amount": -10000},
]


def test_positions_are_worth_what_each_converts_to(dealing):
    client = dealing()
    answer = exact(post(client, "/value", {"currency": "EUR", "positions": POSITIONS}))
    for asked, found in zip(POSITIONS, answer["positions"], strict=True):
        amount = str(asked["amount"]).removeprefix("-")
        converted = exact(client.get(f"/convert?from={asked['asset']}&to=EUR&amount={amount}&precision=currency"))[
            "result"
        ]
        assert abs(found["worth"]) == converted["EUR"]
        assert found["rate"] == converted["rate"]
        assert client.get(found["explain"]).status == 200
    assert answer["positions"][0]["gain"] == answer["positions"][0]["worth"] - 1050
    assert answer["positions"][2]["worth"] < 0
    assert answer["totals"]["worth"] == sum(each["worth"] for each in answer["positions"])
    assert (answer["totals"]["gain"], answer["totals"]["missing"]) == (answer["positions"][0]["gain"], 0)


def test_the_change_since_a_day_is_that_between_two_days(client):
    question = {"currency": "EUR", "date": "2026-10-30", "since": "2026-10-01", "positions": POSITIONS[::2]}
    reply = post(client, "/value", question)
    answer = exact(reply)
    assert reply.headers["x-calls-cost"] == "4"
    for found in answer["positions"]:
        assert found["change"] == found["worth"] - found["before"]
        assert found["fixed_on"] == "2026-10-30"
    before = exact(post(client, "/value", {"currency": "EUR", "date": "2026-10-01", "positions": POSITIONS[::2]}))
    assert answer["totals"]["before"] == before["totals"]["worth"]


def test_the_worth_on_the_day_of_buying_is_the_cost(client):
    positions = [
        {"asset": "USD", "amount": 100, "bought": "2024-02-29"},
        {"asset": "USD", "amount": 50, "bought": "2024-02-29"},
        {"asset": "GBP", "amount": 10, "bought": "2024-02-29", "cost": 5},
        {"asset": "JPY", "amount": 1000, "bought": "1970-01-02"},
    ]
    reply = post(client, "/value", {"currency": "EUR", "date": DAY, "positions": positions})
    found = exact(reply)
    dollars, _, pounds, yen = found["positions"]
    then = exact(client.get("/convert?from=USD&to=EUR&amount=100&date=2024-02-29&precision=currency"))["result"]["EUR"]
    assert (dollars["cost"], dollars["gain"]) == (then, dollars["worth"] - then)
    assert (pounds["cost"], pounds["gain"]) == (5, pounds["worth"] - 5)
    assert "gain" not in yen or yen["cost"] > 0
    assert found["totals"]["gain"] == sum(each["gain"] for each in found["positions"] if "gain" in each)
    known = "gain" in yen
    assert reply.headers["x-calls-cost"] == str(3 + 1 + known)
    late = post(client, "/value", {"date": DAY, "positions": [{"asset": "EUR", "amount": 1, "bought": "2026-11-05"}]})
    assert (late.status, "Position 1: Invalid bought" in late.json["error"]) == (400, True)


def test_an_asset_without_a_rate_on_the_earlier_day_costs_one_call(client):
    positions = [{"asset": "usd", "amount": 5}, {"asset": "HRK", "amount": 1}]
    question = {"currency": "EUR", "date": "2026-10-30", "since": "2026-10-01", "positions": positions}
    reply = post(client, "/value", question)
    known = sum("before" in each for each in reply.json["positions"])
    assert reply.headers["x-calls-cost"] == str(known + 2 - reply.json["totals"]["missing"])
    assert reply.json["positions"][0]["asset"] == "USD"


def test_a_position_without_a_rate_is_named_and_costs_nothing(client):
    positions = [{"asset": "USD", "amount": 5}, {"asset": "BTC", "amount": 1}]
    reply = post(client, "/value", {"currency": "EUR", "date": "2026-10-30", "positions": positions})
    answer = exact(reply)
    assert answer["positions"][1]["error"].startswith("No close of [BTC] was archived")
    assert (answer["totals"]["missing"], reply.headers["x-calls-cost"]) == (1, "1")
    assert answer["totals"]["worth"] == answer["positions"][0]["worth"]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"currency": "XXX"}, "Invalid/unsupported target currency: [XXX]"),
        ({"date": "2099-01-01"}, "Invalid date"),
        ({"date": "yesterday"}, "Invalid body at [date]: it takes a day such as 2026-12-31"),
        ({"since": "2026-11-20"}, "Invalid since: [2026-11-20], it takes a day before the other"),
        ({"positions": [{"asset": "USX", "amount": 1}]}, "Position 1: Invalid/unsupported currency: [USX]"),
        ({"positions": [{"asset": "USD", "amount": "inf"}]}, "Position 1: Invalid amount"),
        ({"positions": [{"asset": "USD"}]}, "Invalid body at [positions[0]]: Object missing required field `amount`"),
    ],
)
def test_a_wrong_question_is_refused(client, change, part):
    reply = post(client, "/value", {"positions": POSITIONS[:1], "currency": "EUR"} | change)
    assert (reply.status, reply.headers["x-calls-cost"]) == (400, "0")
    assert part in reply.json["error"]


GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "jeweller.md"


@pytest.mark.parametrize("path", ["/metals/value", "/value"])
def test_what_the_guide_asks_is_answered(dealing, path):
    asked = re.search(rf"8000{path} -d '(.*?)'", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    question = json.loads(asked[1])
    question.pop("since", None)  # the service of this test has no history
    answer = exact(post(dealing(), path, question))
    assert len(answer["pieces" if "pieces" in question else "positions"]) == 2
    shown = set(re.findall(r"`(\w+)`", GUIDE.read_text(encoding="utf-8")))
    assert {*answer["totals"]} - {"missing"} <= shown | {"worth", "gain"}


def test_the_documented_examples_are_answered_and_match_their_schemas(dealing):
    document = openapi_document([], posted=posted_endpoints())
    for posted in posted_endpoints():
        operation = document["paths"][posted.path]["post"]
        question = operation["requestBody"]["content"]["application/json"]
        schemas = {"components": document["components"]}
        Draft202012Validator(question["schema"] | schemas).validate(question["example"])
        client = dealing()
        post(client, "/alerts/add", {"when": "published", "source": "ecb", "deliver": "stream"})
        answer = post(client, posted.path, question["example"])
        assert answer.status == 200
        Draft202012Validator(operation["responses"]["200"]["content"]["application/json"]["schema"] | schemas).validate(
            answer.json
        )

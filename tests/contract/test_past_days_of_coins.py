"""Past days of coins: the closes that the service archived, at the doors of history."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from tests.reading import read_with

from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.history.pair_series import PairSeries, between
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import Pair

FIRST = date(2022, 6, 13)
PRICES = {0: "22500", 1: "22100.5", 2: "21900", 4: "20500.125", 5: "19000"}
"""Of a Monday to a Saturday; on the Thursday the service did not run."""

PERIOD = "start=2022-06-13&end=2022-06-19"
RECEIVED = datetime(2022, 6, 18, 0, 0, 1, tzinfo=UTC)


def close(place, origin="crossed from kraken, okx"):
    fixing = Fixing(CLOSES, Pair("BTC", "USD"), FIRST + timedelta(days=place), Decimal(PRICES[place]))
    return ReceivedFixing(fixing, RECEIVED, origin)


@pytest.fixture
def wallet(client):
    """A client of a service that has archived closes of bitcoin on five days."""
    held = {close(place).fixing.day: close(place) for place in PRICES}
    rows = np.array([(day - FIRST_DAY).days for day in held], np.int64)
    series = PairSeries(Pair("BTC", "USD"), rows, np.array([float(price) for price in PRICES.values()]))
    read_with(
        client.worker_state,
        closes=lambda coin, day: held.get(day) if coin == "BTC" else None,
        coin_series=lambda coin, first, last: between(series, first, last) if coin == "BTC" else None,
    )
    return client


def answered(client, target):
    reply = client.get(target)
    assert reply.status == 200, reply.text
    return reply.json


def is_refused(client, target, status, code, *fragments):
    reply = client.get(target)
    assert (reply.status, reply.json["code"], reply.headers["x-calls-cost"]) == (status, code, "0"), reply.text
    for fragment in fragments:
        assert fragment in reply.json["error"]
    return True


# One day


def test_a_day_has_the_close_of_the_coin_and_says_so(wallet):
    assert answered(wallet, "/historical?from=btc&to=USD&date=2022-06-14") | {"ms": 0} == {
        "date": "2022-06-14",
        "base": "BTC",
        "results": {"USD": 22100.5},
        "fixed_on": "2022-06-14",
        "carried_days": 0,
        "source": "closes",
        "price": "close",
        "close": {
            "value": "22100.5",
            "quote": "USD",
            "sources": ["kraken", "okx"],
            "crossed": True,
            "received_at": "2022-06-18T00:00:01Z",
        },
        "ms": 0,
    }


@pytest.mark.parametrize("day", ["2022-06-13", "2022-06-14", "2022-06-15", "2022-06-17", "2022-06-18"])
@pytest.mark.parametrize("code", ["USD", "EUR", "JPY", "AED"])
def test_every_door_has_the_same_rate(wallet, day, code):
    rate = answered(wallet, f"/historical?from=BTC&to={code}&date={day}")["results"][code]
    assert answered(wallet, f"/convert?from=BTC&to={code}&date={day}&amount=1")["result"]["rate"] == rate
    assert answered(wallet, f"/time-series?from=BTC&to={code}&{PERIOD}")["results"][code][day] == rate
    dollars = Fraction(PRICES[(date.fromisoformat(day) - FIRST).days])
    own = answered(wallet, f"/historical?from=USD&to={code}&date={day}")["results"][code]
    assert rate == pytest.approx(float(dollars) * own, rel=1e-9)


def test_the_fixing_of_the_currency_is_named(wallet):
    saturday = answered(wallet, "/historical?from=BTC&to=USD,EUR&date=2022-06-18&verbose=1")
    assert saturday["fixings"] == {"USD": "2022-06-18", "EUR": "2022-06-17"}
    assert (saturday["fixed_on"], saturday["carried_days"]) == ("2022-06-17", 1)


def test_without_targets_a_coin_is_in_all_currencies(wallet):
    all_of_day = answered(wallet, "/historical?from=USD&date=2022-06-14")["results"]
    found = answered(wallet, "/historical?from=BTC&date=2022-06-14")["results"]
    assert list(found) == list(all_of_day)
    assert len(found) > 20
    for code, rate in found.items():
        assert rate == pytest.approx(22100.5 * all_of_day[code], rel=1e-9)


def test_with_partial_what_has_no_rate_is_named(wallet):
    answer = answered(wallet, "/historical?from=BTC&to=EUR,KPW,XXX&date=2022-06-14&partial=1")
    assert (list(answer["results"]), answer["unavailable"]) == (["EUR"], ["KPW", "XXX"])


# Series


def test_a_series_has_the_days_with_a_close_and_no_others(wallet):
    answer = answered(wallet, f"/time-series?from=BTC&to=USD&{PERIOD}")
    assert answer | {"ms": 0} == {
        "start": "2022-06-13",
        "end": "2022-06-19",
        "interval": "P1D",
        "base": "BTC",
        "results": {
            "USD": {str(FIRST + timedelta(days=place)): pytest.approx(float(price)) for place, price in PRICES.items()}
        },
        "source": "closes",
        "price": "close",
        "ms": 0,
    }


def test_a_week_has_its_last_close(wallet):
    answer = answered(wallet, f"/time-series?from=BTC&to=USD&{PERIOD}&interval=P1W")
    assert answer["results"]["USD"] == {"2022-06-18": 19000}


def test_days_on_which_the_currency_was_not_fixed_are_named(wallet):
    answer = answered(wallet, f"/time-series?from=BTC&to=EUR&{PERIOD}&verbose=1")
    assert answer["carried"] == ["2022-06-18"]
    assert answer["fixed_on"] == {"2022-06-18": "2022-06-17"}
    assert answered(wallet, f"/time-series?from=BTC&to=USD&{PERIOD}&verbose=1")["carried"] == []


def test_averages_are_of_the_closes(wallet):
    answer = answered(wallet, f"/averages?from=BTC&to=USD&{PERIOD}&by=week")
    (week,) = answer["results"]["USD"]
    prices = [float(price) for price in PRICES.values()]
    assert week["mean"] == pytest.approx(sum(prices) / 5)
    assert (week["open"], week["close"], week["high"], week["low"]) == (22500, 19000, 22500, 19000)
    assert (week["opened"], week["closed"], week["days"], week["missing"]) == ("2022-06-13", "2022-06-18", 5, 1)
    assert (answer["source"], answer["price"]) == ("closes", "close")


@pytest.mark.parametrize(
    ("target", "rows"),
    [
        ("/historical.csv?from=BTC&to=USD,EUR&date=2022-06-18", 2),
        (f"/time-series.csv?from=BTC&to=USD,EUR&{PERIOD}", 10),
        (f"/averages.csv?from=BTC&to=USD&{PERIOD}&by=week", 1),
    ],
)
def test_tables_have_the_same_rates(wallet, target, rows):
    found = list(csv.DictReader(io.StringIO(wallet.get(target).text)))
    assert len(found) == rows
    assert {row["base"] for row in found} == {"BTC"}
    if "rate" in found[0]:
        dollars = [row for row in found if row["quote"] == "USD"]
        assert dollars[-1] == {
            "date": "2022-06-18", "base": "BTC", "quote": "USD", "rate": "19000", "fixed_on": "2022-06-18",
        }  # fmt: skip
        assert [row["fixed_on"] for row in found if row["quote"] == "EUR"][-1] == "2022-06-17"


@pytest.mark.parametrize(
    ("target", "cost"),
    [
        ("/historical?from=BTC&to=USD,EUR&date=2022-06-14", "1"),
        (f"/time-series?from=BTC&to=USD,EUR&{PERIOD}", "2"),
        (f"/averages?from=BTC&to=USD,EUR&{PERIOD}&by=week", "2"),
    ],
)
def test_an_answer_costs_what_that_of_a_currency_costs_and_is_not_kept(wallet, target, cost):
    reply = wallet.get(target)
    assert (reply.headers["x-calls-cost"], reply.headers["cache-control"]) == (cost, "no-store")


# What is refused


@pytest.mark.parametrize("to", ["USD", "EUR"])
def test_a_day_without_a_close_is_404_with_the_first_day(wallet, to):
    for day in ("2022-06-16", "2020-01-01", "2022-06-12"):
        target = f"/historical?from=BTC&to={to}&date={day}"
        assert is_refused(wallet, target, 404, "no_rate", f"No close of [BTC] was archived for [{day}]", "[2022-06-13]")
    for door in ("/time-series?", "/averages?by=week&"):
        target = f"{door}from=BTC&to={to}&start=2021-01-01&end=2021-02-01"
        assert is_refused(wallet, target, 404, "no_rate", "No close of [BTC]", "its first is of [2022-06-13]")


def test_today_has_no_close_yet(wallet):
    assert is_refused(wallet, "/historical?from=BTC&to=EUR&date=2026-11-20", 404, "no_rate", " yet: closes are")


def test_a_coin_that_was_never_archived_has_no_first_day(wallet):
    for target in ("/historical?from=ETH&to=EUR&date=2022-06-14", f"/time-series?from=ETH&to=EUR&{PERIOD}"):
        reply = wallet.get(target)
        assert (reply.status, "first" in reply.json["error"]) == (404, False)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("/historical?date=2022-06-14&source=ecb", "source"),
        ("/historical?date=2022-06-14&rule=before", "rule"),
        ("/historical?date=2022-06-14&booking=de-vat", "booking"),
        ("/historical?date=2022-06-14&rate_type=parallel", "rate_type"),
        ("/historical?date=2022-06-14&min_sources=2", "min_sources"),
        (f"/time-series?{PERIOD}&source=ecb", "source"),
        (f"/time-series?{PERIOD}&rate_type=parallel", "rate_type"),
        (f"/averages?{PERIOD}&source=ecb", "source"),
        (f"/averages?{PERIOD}&booking=de-vat", "booking"),
    ],
)
def test_what_is_of_fixings_is_refused(wallet, target, name):
    assert is_refused(wallet, f"{target}&from=BTC&to=EUR", 400, "bad_parameter", f"[{name}] is of fixings", "[BTC]")


@pytest.mark.parametrize("weight", ["unit=gram", "purity=750"])
def test_a_coin_has_no_weight(wallet, weight):
    for target in ("/historical?date=2022-06-14", f"/time-series?{PERIOD}", f"/averages?{PERIOD}"):
        assert is_refused(wallet, f"{target}&from=BTC&to=EUR&{weight}", 400, "bad_parameter", "it is that of a metal")


def test_a_calendar_mean_would_carry_closes_forward(wallet):
    target = f"/averages?from=BTC&to=EUR&{PERIOD}&method=calendar"
    assert is_refused(wallet, target, 400, "bad_parameter", "closes of coins are never carried")


def test_a_coin_is_no_target_there(wallet):
    for target in ("/historical?date=2022-06-14", f"/time-series?{PERIOD}", f"/averages?{PERIOD}"):
        assert is_refused(wallet, f"{target}&from=EUR&to=BTC", 400, "unknown_currency", "[BTC], a coin")


def test_digits_of_a_close_are_kept(wallet):
    reply = wallet.get("/historical?from=BTC&to=USD&date=2022-06-17")
    assert json.loads(reply.text, parse_float=str)["results"] == {"USD": "20500.125"}

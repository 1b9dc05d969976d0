"""The interface that currencylayer and exchangerate.host have today."""

from __future__ import annotations

import pytest

from cambist.api.faces.dialects.currencylayer import dialect
from cambist.api.faces.dialects.fixer import dialect as fixer
from cambist.api.faces.dialects.frankfurter import dialect as frankfurter

FOLDERS = ("/currencylayer", "/currency_data", "/api", "")


@pytest.fixture
def layer(make_client):
    return make_client(dialects=(dialect,))


def without_source(quotes, source="USD"):
    assert all(name.startswith(source) and len(name) == 6 for name in quotes)
    return {name[3:]: value for name, value in quotes.items()}


@pytest.mark.parametrize("folder", FOLDERS)
def test_live_quotes_are_those_of_fetch_all(layer, key, folder):
    reply = layer.get(f"{folder}/live?access_key={key}&format=1", key=None).json
    assert list(reply) == ["success", "terms", "privacy", "timestamp", "source", "quotes"]
    assert (reply["success"], reply["source"]) == (True, "USD")
    assert without_source(reply["quotes"]) == layer.get("/fetch-all?from=USD").json["results"]
    few = layer.get(f"{folder}/live?access_key={key}&source=EUR&currencies=USD,jpy", key=None).json
    assert without_source(few["quotes"], "EUR") == layer.get("/fetch-multi?from=EUR&to=USD,JPY").json["results"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_day_has_its_quotes_also_without_a_folder(layer, key, folder):
    reply = layer.get(f"{folder}/historical?access_key={key}&date=2024-03-02&currencies=EUR,JPY", key=None).json
    assert (reply["historical"], reply["date"], reply["source"]) == (True, "2024-03-01", "USD")
    assert without_source(reply["quotes"]) == layer.get("/historical?date=2024-03-02&to=EUR,JPY").json["results"]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("date", ["", "2024-03-02"])
def test_an_amount_is_converted_also_without_a_folder(layer, key, folder, date):
    asked = f"access_key={key}&from=GBP&to=JPY&amount=25{date and f'&date={date}'}"
    reply = layer.get(f"{folder}/convert?{asked}", key=None).json
    own = layer.get(f"/convert?from=GBP&to=JPY&amount=25&precision=10{date and f'&date={date}'}").json["result"]
    assert reply["info"]["quote"] == reply["info"]["rate"] == own["rate"]
    assert reply["result"] == pytest.approx(own["JPY"], rel=1e-9)
    assert reply["query"] == {"from": "GBP", "to": "JPY", "amount": 25}
    assert reply.get("date") == ("2024-03-01" if date else None)


def test_our_own_paths_stay_ours_without_the_dialect_s_key(layer, make_client, key):
    assert "updated" in layer.get("/convert?from=EUR&to=USD&amount=1").json
    assert "fixed_on" in layer.get("/historical?date=2024-03-02&to=EUR").json
    other = make_client(dialects=(fixer,))
    assert "success" not in other.get(f"/convert?from=EUR&to=USD&amount=1&access_key={key}").json


def test_a_period_costs_a_call_a_currency(layer):
    reply = layer.get("/timeframe?start_date=2024-03-01&end_date=2024-03-04&currencies=EUR,GBP")
    answer = reply.json
    assert (answer["timeframe"], answer["timeseries"], len(answer["quotes"])) == (True, True, 4)
    assert reply.headers["x-calls-cost"] == "2"
    series = layer.get("/time-series?from=USD&to=EUR,GBP&start=2024-03-01&end=2024-03-04").json["results"]
    assert {day: quotes["USDGBP"] for day, quotes in answer["quotes"].items()} == series["GBP"]


def test_a_change_is_that_of_two_days(layer):
    reply = layer.get("/change?start_date=2024-03-01&end_date=2024-03-08&currencies=EUR").json
    found = reply["quotes"]["USDEUR"]
    first, last = (
        layer.get(f"/historical?date={day}&to=EUR").json["results"]["EUR"] for day in ("2024-03-01", "2024-03-08")
    )
    assert (reply["change"], found["start_rate"], found["end_rate"]) == (True, first, last)
    assert found["change_pct"] == pytest.approx((last / first - 1) * 100, abs=1e-4)


def test_currencies_have_names(layer):
    reply = layer.get("/list").json
    assert reply["currencies"]["CHF"] == "Swiss Franc"


@pytest.mark.parametrize(
    ("target", "number", "kind"),
    [
        ("/live?source=ZZZ", 201, "invalid_source_currency"),
        ("/live?currencies=EUR,ZZZ", 202, "invalid_currency_codes"),
        ("/currencylayer/historical", 301, "no_date_supplied"),
        ("/currencylayer/historical?date=yesterday", 302, "invalid_date"),
        ("/currencylayer/convert?to=EUR", 401, "invalid_from_currency"),
        ("/currencylayer/convert?from=ZZZ&to=EUR", 401, "invalid_from_currency"),
        ("/currencylayer/convert?from=EUR&to=ZZZ", 402, "invalid_to_currency"),
        ("/currencylayer/convert?from=EUR&to=USD&amount=many", 403, "invalid_conversion_amount"),
        ("/timeframe?end_date=2024-03-01", 501, "no_timeframe_supplied"),
        ("/timeframe?start_date=2024-03-01", 501, "no_timeframe_supplied"),
        ("/timeframe?start_date=x&end_date=2024-03-01", 502, "invalid_start_date"),
        ("/timeframe?start_date=2024-03-01&end_date=x", 503, "invalid_end_date"),
        ("/timeframe?start_date=2024-03-02&end_date=2024-03-01", 504, "invalid_time_frame"),
        ("/timeframe?start_date=2022-03-02&end_date=2024-03-01", 505, "time_frame_too_long"),
        ("/currencylayer/nothing", 103, "invalid_api_function"),
    ],
)
def test_errors_have_the_number_and_type_of_the_original_and_cost_nothing(layer, target, number, kind):
    reply = layer.get(target)
    assert reply.json["success"] is False
    assert (reply.json["error"]["code"], reply.json["error"]["type"]) == (number, kind)
    assert reply.json["error"]["info"]
    assert reply.headers.get("x-calls-cost", "0") == "0"


def test_without_a_key_and_with_a_wrong_one(layer):
    assert layer.get("/live", key=None).json["error"]["type"] == "missing_access_key"
    assert layer.get("/live?access_key=wrong", key=None).json["error"]["type"] == "invalid_access_key"


@pytest.mark.parametrize("order", [(dialect, fixer, frankfurter), (fixer, frankfurter, dialect)])
def test_it_stands_beside_others_in_any_order(make_client, key, order):
    client = make_client(dialects=order)
    assert "quotes" in client.get(f"/live?access_key={key}", key=None).json
    assert "quotes" in client.get(f"/historical?access_key={key}&date=2024-03-02", key=None).json
    assert client.get(f"/convert?access_key={key}&from=EUR&to=USD", key=None).json["info"]["quote"] > 0
    assert "rates" in client.get(f"/latest?access_key={key}", key=None).json
    assert "quotes" not in client.get("/v1/latest").json
    info = client.get(f"/api/convert?access_key={key}&from=EUR&to=USD", key=None).json["info"]
    assert info["rate"] > 0

"""The interface that Fixer, exchangerate.host and exchangeratesapi share."""

from __future__ import annotations

import pytest

from cambist.api.faces.dialects.fixer import dialect
from cambist.api.faces.dialects.frankfurter import dialect as frankfurter

FOLDERS = ("/fixer", "/api", "")


@pytest.fixture
def fixer(make_client):
    return make_client(dialects=(dialect,))


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_latest_rates_are_those_of_fetch_all(fixer, key, folder):
    reply = fixer.get(f"{folder}/latest?access_key={key}&apikey={key}&base_currency=USD&rtype=fpy", key=None).json
    assert list(reply) == ["success", "timestamp", "base", "date", "rates"]
    assert (reply["success"], reply["base"], reply["date"]) == (True, "EUR", "2026-10-30")
    assert reply["rates"] == fixer.get("/fetch-all?from=EUR").json["results"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_day_has_its_rates(fixer, folder):
    reply = fixer.get(f"{folder}/2024-03-02?base=USD&symbols=EUR,jpy").json
    assert (reply["historical"], reply["date"]) == (True, "2024-03-01")
    assert reply["rates"] == fixer.get("/historical?date=2024-03-02&to=EUR,JPY").json["results"]


def test_a_period_costs_a_call_a_symbol(fixer):
    reply = fixer.get("/timeseries?start_date=2024-03-01&end_date=2024-03-04&symbols=USD,GBP")
    assert (len(reply.json["rates"]), reply.json["timeseries"], reply.headers["x-calls-cost"]) == (4, True, "2")
    series = fixer.get("/time-series?from=EUR&to=USD,GBP&start=2024-03-01&end=2024-03-04").json["results"]
    assert {day: rates["GBP"] for day, rates in reply.json["rates"].items()} == series["GBP"]


def test_a_change_is_that_of_two_days(fixer):
    reply = fixer.get("/fluctuation?start_date=2024-03-01&end_date=2024-03-08&symbols=USD")
    found = reply.json["rates"]["USD"]
    first, last = (
        fixer.get(f"/historical?date={day}&from=EUR&to=USD").json["results"]["USD"]
        for day in ("2024-03-01", "2024-03-08")
    )
    assert (found["start_rate"], found["end_rate"]) == (first, last)
    assert found["change"] == pytest.approx(last - first)
    assert found["change_pct"] == pytest.approx((last / first - 1) * 100, abs=1e-4)
    assert reply.headers["x-calls-cost"] == "2"


@pytest.mark.parametrize("date", ["", "2024-03-02"])
def test_an_amount_is_converted(fixer, date):
    reply = fixer.get(f"/fixer/convert?from=GBP&to=JPY&amount=25{date and f'&date={date}'}").json
    own = fixer.get(f"/convert?from=GBP&to=JPY&amount=25&precision=10{date and f'&date={date}'}").json["result"]
    assert reply["info"]["rate"] == own["rate"]
    assert reply["result"] == pytest.approx(own["JPY"], rel=1e-9)
    assert (reply["historical"], reply["query"]["amount"]) == (bool(date), 25.0)


def test_our_own_conversion_stays_ours(fixer):
    assert "success" not in fixer.get("/convert?from=GBP&to=JPY&amount=25").json
    assert fixer.get("/nothing").json["code"] == "unknown_path"


def test_symbols_have_names(fixer):
    assert fixer.get("/symbols").json["symbols"]["EUR"] == "Euro"


@pytest.mark.parametrize(
    ("target", "key", "status", "number", "kind"),
    [
        ("/latest", None, 401, 101, "missing_access_key"),
        ("/latest?access_key=1", None, 401, 101, "invalid_access_key"),
        ("/latest?base=XXQ", "", 400, 201, "invalid_base_currency"),
        ("/latest?symbols=XXQ", "", 400, 202, "invalid_currency_codes"),
        ("/fixer/2024-02-30", "", 400, 400, "invalid_parameter"),
        ("/1970-01-01?symbols=GHS", "", 404, 106, "no_rates_available"),
        ("/timeseries?start_date=2024-01-01", "", 400, 400, "invalid_parameter"),
        ("/timeseries?start_date=2020-01-01&end_date=2024-01-01", "", 400, 400, "invalid_parameter"),
        ("/fixer/convert?from=EUR&amount=1", "", 400, 400, "invalid_parameter"),
        ("/fixer/spot", "", 404, 103, "invalid_api_function"),
    ],
)
def test_errors_have_the_shape_of_the_original(fixer, target, key, status, number, kind):
    reply = fixer.get(target, key=key)
    assert (reply.status, reply.json["success"]) == (status, False)
    assert (reply.json["error"]["code"], reply.json["error"]["type"]) == (number, kind)
    assert reply.json["error"]["info"]


def test_of_two_dialects_with_the_same_path_the_first_has_it(make_client):
    assert "success" in make_client(dialects=(dialect, frankfurter)).get("/latest").json
    assert "amount" in make_client(dialects=(frankfurter, dialect)).get("/latest").json

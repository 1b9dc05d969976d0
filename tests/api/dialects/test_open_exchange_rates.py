"""The interface of Open Exchange Rates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from tests.reading import read_with

from cambist.api.faces.dialects.open_exchange_rates import dialect
from cambist.history.bars import Bar, Interval, Ohlc
from cambist.pricing.pair import Pair


@pytest.fixture
def rates(make_client):
    return make_client(dialects=(dialect,))


def test_the_latest_rates_are_those_of_fetch_all(rates, key):
    reply = rates.get(f"/api/latest.json?app_id={key}", key=None).json
    assert list(reply) == ["disclaimer", "license", "timestamp", "base", "rates"]
    assert reply["base"] == "USD"
    assert isinstance(reply["timestamp"], int)
    expected = rates.get("/fetch-all?from=USD").json["results"]
    assert expected.items() <= reply["rates"].items()
    assert list(reply["rates"]) == sorted(reply["rates"])


def test_the_base_the_symbols_and_the_key_by_scheme_are_read(rates, key):
    headers = {"Authorization": f"Token {key}"}
    reply = rates.get("/api/latest.json?base=eur&symbols=JPY,XXQ,usd&unknown=1", key=None, headers=headers).json
    assert (reply["base"], list(reply["rates"])) == ("EUR", ["JPY", "USD"])
    assert reply["rates"]["JPY"] == rates.get("/fetch-one?from=EUR&to=JPY").json["result"]["JPY"]


def test_answers_are_indented_unless_the_client_does_not_want_it(rates):
    assert b'\n  "base": "USD"' in rates.get("/api/latest.json").content
    assert b"\n" not in rates.get("/api/latest.json?prettyprint=0").content


def test_a_client_that_has_the_answer_gets_304(rates):
    first = rates.get("/api/latest.json")
    again = rates.get("/api/latest.json", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.headers["x-calls-cost"]) == (304, "0")


def test_every_day_has_rates(rates):
    reply = rates.get("/api/historical/2024-03-02.json?symbols=EUR,GBP")
    expected = rates.get("/historical?date=2024-03-02&to=EUR,GBP").json["results"]
    assert reply.json["rates"] == expected
    assert reply.json["timestamp"] == int(datetime(2024, 3, 1, 23, 59, 59, tzinfo=UTC).timestamp())
    everything = rates.get("/api/historical/2024-03-02.json?base=EUR").json["rates"]
    assert rates.get("/historical?date=2024-03-02&from=EUR").json["results"].items() <= everything.items()


def test_a_time_series_costs_a_call_a_symbol(rates):
    reply = rates.get("/api/time-series.json?start=2024-03-01&end=2024-03-04&symbols=EUR,JPY")
    assert (list(reply.json["rates"]), reply.headers["x-calls-cost"]) == (
        ["2024-03-01", "2024-03-02", "2024-03-03", "2024-03-04"],
        "2",
    )
    series = rates.get("/time-series?to=EUR,JPY&start=2024-03-01&end=2024-03-04").json["results"]
    assert {day: found["JPY"] for day, found in reply.json["rates"].items()} == series["JPY"]


def test_names_are_public_and_free(rates):
    reply = rates.get("/api/currencies.json?show_alternative=0&show_inactive=0", key=None)
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "0")
    assert reply.json["EUR"] == "Euro"
    assert "BTC" not in reply.json
    assert rates.get("/api/currencies.json?show_alternative=1", key=None).json["BTC"] == "Bitcoin"
    assert "DEM" in rates.get("/api/currencies.json?show_inactive=true", key=None).json
    assert rates.get("/api/currencies.json?app_id=wrong", key=None).status == 401


def test_names_are_free_with_a_key_too(rates):
    reply = rates.get("/api/currencies.json")
    assert (reply.status, reply.headers["x-calls-cost"]) == (200, "0")
    assert not sum(rates.ledger.spent_by.values())


def test_an_amount_is_converted_at_the_rate_of_now(rates):
    reply = rates.get("/api/convert/19999.95/GBP/EUR").json
    rate = rates.get("/fetch-one?from=GBP&to=EUR").json["result"]["EUR"]
    assert reply["meta"]["rate"] == rate
    assert reply["response"] == pytest.approx(19999.95 * rate, rel=1e-12)
    assert reply["request"] == {
        "query": "/convert/19999.95/GBP/EUR",
        "amount": 19999.95,
        "from": "GBP",
        "to": "EUR",
    }


def test_the_usage_is_that_of_the_account(rates):
    rates.get("/api/latest.json")
    reply = rates.get("/api/usage.json").json
    assert (reply["status"], reply["data"]["usage"]["requests"]) == (200, 1)
    assert reply["data"]["usage"]["requests_quota"] == -1


class OneHour:
    """Bars of EURUSD: sixty minutes from noon."""

    def newest_bars(self, pair, interval, start, end, limit):
        noon = datetime(2026, 11, 20, 10, tzinfo=UTC)
        bars = [
            Bar(noon + timedelta(minutes=n), flat(Decimal("1.10") + n), flat(Decimal("1.12") + n)) for n in range(60)
        ]
        if pair != Pair("EUR", "USD") or interval is not Interval.MINUTE:
            return []
        kept = [bar for bar in bars if (start is None or bar.start >= start) and (end is None or bar.start < end)]
        return list(reversed(kept))[:limit]


def flat(price):
    return Ohlc(price, price + 1, price - 1, price)


def test_bars_are_merged_to_the_period(rates):
    read_with(rates.worker_state, bars=OneHour())
    reply = rates.get("/api/ohlc.json?start_time=2026-11-20T10:05:00Z&period=5m&base=EUR&symbols=USD,JPY").json
    assert (reply["start_time"], reply["end_time"]) == ("2026-11-20T10:05:00Z", "2026-11-20T10:10:00Z")
    assert reply["rates"] == {"USD": {"open": 6.11, "high": 11.11, "low": 5.11, "close": 10.11, "average": 8.11}}


@pytest.mark.parametrize(
    ("target", "key", "status", "message"),
    [
        ("/api/latest.json", None, 401, "missing_app_id"),
        ("/api/latest.json?app_id=123", None, 401, "invalid_app_id"),
        ("/api/latest.json?base=XXQ", "", 400, "invalid_base"),
        ("/api/historical/1999-13-01.json", "", 400, "bad_parameter"),
        ("/api/historical/1970-01-01.json?symbols=GHS", "", 400, "not_available"),
        ("/api/time-series.json?start=2024-01-01", "", 400, "bad_parameter"),
        ("/api/time-series.json?start=2001-01-01&end=2024-01-01", "", 400, "bad_parameter"),
        ("/api/ohlc.json?start_time=2024-01-01T00:00:00Z&period=2h&symbols=EUR", "", 400, "bad_parameter"),
        ("/api/ohlc.json?start_time=never&period=1h&symbols=EUR", "", 400, "bad_parameter"),
        ("/api/convert/abc/USD/EUR", "", 400, "bad_parameter"),
        ("/api/spot.json", "", 404, "not_found"),
    ],
)
def test_errors_have_the_shape_of_the_original(rates, target, key, status, message):
    reply = rates.get(target, key=key)
    assert (reply.status, reply.json["status"], reply.json["message"]) == (status, status, message)
    assert reply.json["error"] is True
    assert reply.json["description"]

"""The dialects of Coinbase, CryptoCompare, mempool, currconv and Yahoo: prices in their shapes, equal to our own."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from tests.contract.conftest import NOON, book_with

from cambist.api.faces.dialects import coinbase, cryptocompare, currconv, mempool, yahoo
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.history.pair_series import between, pair_series_of
from cambist.pricing.pair import Pair

DAY = date(2026, 10, 30)
MIDNIGHT = 1793318400
CLOSES = {DAY - timedelta(days=1): "88000", DAY: "89500.5"}


@pytest.fixture
def coins(make_client):
    """A client of all five, with closes of bitcoin on two days."""
    modules = (coinbase, cryptocompare, currconv, mempool, yahoo)
    client = make_client(dialects=tuple(each.dialect for each in modules))
    client.worker_state.apply_book(book_with(NOON))

    fixings = {day: Fixing("coins", Pair("BTC", "USD"), day, Decimal(value)) for day, value in CLOSES.items()}
    (series,) = pair_series_of(fixings.values())
    readers = replace(
        client.worker_state.readers,
        closes=lambda coin, day: (
            ReceivedFixing(fixings[day], NOON, "a test") if coin == "BTC" and day in fixings else None
        ),
        coin_series=lambda coin, first, last: between(series, first, last) if coin == "BTC" else None,
    )
    object.__setattr__(client.worker_state, "readers", readers)
    return client


def own(client, base, quote):
    return client.get(f"/fetch-one?from={base}&to={quote}").json["result"][quote]


def test_coinbase_writes_prices_as_texts(coins):
    answer = coins.get("/v2/exchange-rates?currency=BTC").json["data"]
    assert answer["currency"] == "BTC"
    assert all(isinstance(rate, str) for rate in answer["rates"].values())
    assert Decimal(answer["rates"]["EUR"]) == Decimal(repr(own(coins, "BTC", "EUR")))
    assert (answer["rates"]["BTC"], "ETH" in answer["rates"]) == ("1", True)
    dollars = coins.get("/v2/exchange-rates").json["data"]
    assert (dollars["currency"], float(dollars["rates"]["EUR"])) == ("USD", own(coins, "USD", "EUR"))
    spot = coins.get("/v2/prices/btc-eur/spot").json["data"]
    assert spot == {"amount": answer["rates"]["EUR"], "base": "BTC", "currency": "EUR"}
    listed = coins.get("/v2/currencies").json["data"]
    assert {"id": "EUR", "name": "Euro", "min_size": "0.01"} in listed
    assert "DEM" not in {each["id"] for each in listed}


def test_a_past_price_is_the_close_of_that_day_and_no_other(coins):
    past = coins.get("/v2/prices/BTC-USD/spot?date=2026-10-30")
    assert past.json["data"]["amount"] == "89500.5"
    euros = coins.get("/v2/prices/BTC-EUR/spot?date=2026-10-30").json["data"]["amount"]
    rate = coins.get("/historical?date=2026-10-30&from=USD&to=EUR").json["results"]["EUR"]
    assert float(euros) == pytest.approx(89500.5 * rate, rel=1e-8)
    missing = coins.get("/v2/prices/BTC-USD/spot?date=2026-10-25")
    assert (missing.status, missing.json["errors"][0]["id"]) == (404, "no_rate")


def test_mempool_has_seven_currencies_and_the_close_of_a_moment(coins):
    answer = coins.get("/api/v1/prices").json
    assert list(answer) == ["time", "USD", "EUR", "GBP", "JPY"]  # the book of this test has no others
    assert answer["GBP"] == own(coins, "BTC", "GBP")
    past = coins.get(f"/api/v1/historical-price?currency=EUR&timestamp={MIDNIGHT + 50_000}").json
    (price,) = past["prices"]
    assert (price["time"], price["USD"], list(price)) == (MIDNIGHT, 89500.5, ["time", "EUR", "USD"])
    assert price["EUR"] == pytest.approx(89500.5 * past["exchangeRates"]["USDEUR"], rel=1e-8)
    now = coins.get("/api/v1/historical-price").json
    assert now["prices"][0]["USD"] == answer["USD"]


def test_cryptocompare_has_numbers(coins):
    assert coins.get("/data/price?fsym=BTC&tsyms=USD,EUR").json == {
        "USD": own(coins, "BTC", "USD"),
        "EUR": own(coins, "BTC", "EUR"),
    }
    several = coins.get("/data/pricemulti?fsyms=BTC,ETH&tsyms=USD,JPY")
    assert several.json["ETH"]["JPY"] == own(coins, "ETH", "JPY")
    assert several.headers["x-calls-cost"] == "1"
    days = coins.get(f"/data/histoday?fsym=EUR&tsym=USD&limit=2&toTs={MIDNIGHT}").json
    assert [row["time"] for row in days["Data"]] == [MIDNIGHT - 2 * 86400, MIDNIGHT - 86400, MIDNIGHT]
    for row in days["Data"]:
        day = date(1970, 1, 1) + timedelta(seconds=row["time"])
        assert row["close"] == coins.get(f"/historical?date={day}&from=EUR&to=USD").json["results"]["USD"]
    closes = coins.get(f"/data/histoday?fsym=BTC&tsym=USD&limit=5&toTs={MIDNIGHT}").json
    assert [(row["time"], row["close"]) for row in closes["Data"]] == [(MIDNIGHT - 86400, 88000), (MIDNIGHT, 89500.5)]
    second = coins.get(f"/data/v2/histoday?fsym=EUR&tsym=USD&limit=2&toTs={MIDNIGHT}").json
    assert second["Data"]["Data"] == days["Data"]


def test_currconv_has_numbers_by_pair(coins):
    assert coins.get("/api/v7/convert?q=USD_EUR,gbp_eur&compact=ultra").json == {
        "USD_EUR": own(coins, "USD", "EUR"),
        "GBP_EUR": own(coins, "GBP", "EUR"),
    }
    whole = coins.get("/api/v7/convert?q=USD_EUR")
    assert whole.json["results"]["USD_EUR"] == {
        "id": "USD_EUR", "val": own(coins, "USD", "EUR"), "to": "EUR", "fr": "USD",
    }  # fmt: skip
    past = coins.get("/api/v7/convert?q=USD_EUR&compact=ultra&date=2026-10-28&endDate=2026-10-30").json
    assert list(past["USD_EUR"]) == ["2026-10-28", "2026-10-29", "2026-10-30"]
    one = coins.get("/api/v7/convert?q=USD_EUR&compact=y&date=2026-10-30").json
    assert one == {"USD_EUR": {"val": {"2026-10-30": past["USD_EUR"]["2026-10-30"]}}}


def test_yahoo_has_the_days_that_have_a_fixing(coins):
    answer = coins.get(
        f"/v8/finance/chart/EURUSD=X?period1={MIDNIGHT - 7 * 86400}&period2={MIDNIGHT + 86400}&interval=1d"
    )
    (result,) = answer.json["chart"]["result"]
    days = [date(1970, 1, 1) + timedelta(seconds=second) for second in result["timestamp"]]
    assert [str(day) for day in days] == [f"2026-10-{day}" for day in (23, 26, 27, 28, 29, 30)]
    (quote,), (adjusted,) = result["indicators"]["quote"], result["indicators"]["adjclose"]
    for day, close in zip(days, quote["close"], strict=True):
        assert close == coins.get(f"/historical?date={day}&from=EUR&to=USD").json["results"]["USD"]
    assert (adjusted["adjclose"], quote["open"]) == (quote["close"], [None] * 6)
    meta = result["meta"]
    assert (meta["symbol"], meta["currency"], meta["instrumentType"]) == ("EURUSD=X", "USD", "CURRENCY")
    assert (meta["regularMarketPrice"], "1mo" in meta["validRanges"]) == (own(coins, "EUR", "USD"), True)
    assert answer.headers["x-calls-cost"] == "1"
    weeks = coins.get(f"/v8/finance/chart/EUR=X?period1={MIDNIGHT - 7 * 86400}&period2={MIDNIGHT + 86400}&interval=1wk")
    (result,) = weeks.json["chart"]["result"]
    assert result["meta"]["symbol"] == "USDEUR=X"
    assert result["timestamp"] == [MIDNIGHT - 11 * 86400, MIDNIGHT - 4 * 86400]
    closes = result["indicators"]["quote"][0]["close"]
    assert closes[1] == coins.get("/historical?date=2026-10-30&from=USD&to=EUR").json["results"]["EUR"]


def test_yahoo_has_the_closes_of_coins_and_the_price_of_now(coins):
    (result,) = coins.get("/v8/finance/chart/BTC-USD?range=1mo").json["chart"]["result"]
    assert (result["timestamp"], result["indicators"]["quote"][0]["close"]) == (
        [MIDNIGHT - 86400, MIDNIGHT],
        [88000, 89500.5],
    )
    assert result["meta"]["instrumentType"] == "CRYPTOCURRENCY"
    (nothing,) = coins.get("/v8/finance/chart/BTC-USD?period1=0&period2=86400").json["chart"]["result"]
    assert ("timestamp" in nothing, nothing["indicators"]) == (False, {"quote": [{}]})
    summary = coins.get("/v11/finance/quoteSummary/EURUSD%3DX?modules=price").json["quoteSummary"]
    assert summary["result"][0]["price"]["regularMarketPrice"]["raw"] == own(coins, "EUR", "USD")


def test_yahoo_refuses_in_its_own_shape(coins):
    unknown = coins.get("/v8/finance/chart/AAPL")
    assert (unknown.status, unknown.json["chart"]["result"]) == (404, None)
    assert unknown.json["chart"]["error"]["code"] == "Not Found"
    missing = coins.get("/v11/finance/quoteSummary/EURZZZ=X")
    assert (missing.status, missing.json["quoteSummary"]["error"]["code"]) == (404, "Not Found")


@pytest.mark.parametrize(
    ("target", "status", "says"),
    [
        ("/v8/finance/chart/EURUSD=X?interval=5m", 400, "[5m]"),
        ("/v8/finance/chart/EURUSD=X?range=3d", 400, "[3d]"),
        ("/v8/finance/chart/EURUSD=X?period1=soon", 400, "[soon]"),
        ("/v8/finance/chart/EURUSD=X?period1=1793318400&period2=86400", 400, "period1"),
        ("/v8/finance/chart/EUR-USD", 404, "delisted"),
        ("/v8/finance/chart/BTCUSD=X", 404, "BTC"),
        ("/v11/finance/quoteSummary/EURUSD=X?modules=summaryDetail", 400, "[summaryDetail]"),
        ("/v2/prices/BTCEUR/spot", 400, "BTC-USD"),
        ("/v2/prices/BTC-EUR/mid", 400, "[mid]"),
        ("/v2/prices/BTC-ZZZ/spot", 400, "[ZZZ]"),
        ("/v2/prices/XAU-BTC/spot", 400, "Coins are not priced in metals"),
        ("/v2/exchange-rates?currency=NOPE", 400, "[NOPE]"),
        ("/v2/prices/BTC-EUR/spot?date=tomorrow", 400, "date"),
        ("/api/v1/historical-price?timestamp=soon", 400, "[soon]"),
        ("/api/v1/historical-price?timestamp=99999999999", 404, "yet"),
        ("/api/v1/historical-price?currency=ZZZ", 400, "[ZZZ]"),
        ("/api/v1/historical-price?timestamp=1500000000", 404, "BTC"),
        ("/data/price?tsyms=USD", 400, "[fsym]"),
        ("/data/price?fsym=BTC", 400, "[tsyms]"),
        ("/data/histoday?fsym=EUR&tsym=BTC", 400, "is a coin"),
        ("/data/histoday?fsym=EUR&tsym=USD&limit=2001", 400, "[2001]"),
        ("/data/pricemulti?fsyms=BTC&tsyms=ZZZ", 400, "[ZZZ]"),
        ("/api/v7/convert", 400, "[q]"),
        ("/api/v7/convert?q=USDEUR", 400, "USD_EUR"),
        ("/api/v7/convert?q=USD_EUR&compact=no", 400, "[no]"),
        ("/api/v7/convert?q=USD_EUR&endDate=2026-10-30", 400, "[date]"),
        ("/api/v7/convert?q=USD_EUR&date=2026-10-30&endDate=2026-10-01", 400, "endDate"),
    ],
)
def test_what_is_wrong_is_refused_and_costs_nothing(coins, target, status, says):
    reply = coins.get(target)
    assert (reply.status, reply.headers["x-calls-cost"]) == (status, "0"), reply.text
    assert says in reply.text


def test_errors_have_the_shape_of_the_original(coins):
    assert list(coins.get("/data/price?tsyms=USD").json)[:4] == ["Response", "Message", "HasWarning", "Type"]
    assert "message" in coins.get("/data/price?fsym=BTC&tsyms=USD", key="wrong").json["Err"]
    assert coins.get("/api/v7/convert").json["status"] == 400


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        ("/data/price?fsym=BTC&tsyms=USD&api_key={key}", {}),
        ("/data/price?fsym=BTC&tsyms=USD", {"Authorization": "Apikey {key}"}),
        ("/api/v7/convert?q=USD_EUR&apiKey={key}", {}),
    ],
)
def test_a_key_is_taken_where_the_original_has_it(coins, target, headers):
    sent = {name: value.format(key=coins.key) for name, value in headers.items()}
    assert coins.get(target.format(key=coins.key), key=None, headers=sent).status == 200

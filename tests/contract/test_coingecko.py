"""CoinGecko's interface: prices of the coins that are priced here."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from tests.reading import read_with

from cambist.api.faces.dialects.coingecko import dialect
from cambist.history.coin_closes import CLOSES
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.pricing.pair import Pair
from cambist.reference.assets import COINS
from cambist.reference.coin_ids import COIN_BY_ID

DAY = date(2026, 10, 30)


@pytest.fixture
def gecko(dealing):
    return dealing(options={"dialects": (dialect,)})


def one(client, coin, currency):
    return client.get(f"/fetch-one?from={coin}&to={currency}").json["result"][currency]


@pytest.mark.parametrize("slash", ["", "/"])
def test_prices_are_those_of_fetch_one(gecko, slash):
    reply = gecko.get(f"/api/v3/simple/price{slash}?ids=bitcoin,Ethereum,no-such-coin&vs_currencies=usd,EUR,btc")
    answer = reply.json
    assert list(answer) == ["bitcoin", "ethereum"]
    assert answer["bitcoin"] == {"usd": one(gecko, "BTC", "USD"), "eur": one(gecko, "BTC", "EUR"), "btc": 1}
    assert answer["ethereum"]["btc"] == one(gecko, "ETH", "BTC")
    assert reply.headers["x-calls-cost"] == "1"


def test_symbols_name_coins_without_an_id(gecko):
    assert list(gecko.get("/api/v3/simple/price?symbols=btc,sol&vs_currencies=usd").json) == ["btc", "sol"]


def test_figures_that_are_not_known_are_null_and_the_time_is_that_of_the_price(gecko):
    flags = "include_market_cap=true&include_24hr_change=true&include_last_updated_at=true"
    found = gecko.get(f"/api/v3/simple/price?ids=bitcoin&vs_currencies=usd&{flags}").json["bitcoin"]
    assert list(found) == ["usd", "usd_market_cap", "usd_24h_change", "last_updated_at"]
    assert (found["usd_market_cap"], found["usd_24h_change"]) == (None, None)
    assert datetime.fromtimestamp(found["last_updated_at"], UTC).date() == date(2026, 11, 20)


@pytest.mark.parametrize(("precision", "price"), [("0", "90005"), ("2", "90005"), ("full", "90005")])
def test_decimals_are_as_asked_for(gecko, precision, price):
    text = gecko.get(f"/api/v3/simple/price?ids=bitcoin&vs_currencies=usd&precision={precision}").text
    assert f'"usd":{price}' in text


def test_a_stale_coin_is_left_out(gecko):
    assert gecko.get("/api/v3/simple/price?ids=dogecoin,bitcoin&vs_currencies=usd").json.keys() == {"bitcoin"}
    reply = gecko.get("/api/v3/simple/price?ids=dogecoin&vs_currencies=usd")
    assert (reply.status, reply.json) == (200, {})


def test_many_prices_cost_a_call_for_ten(gecko):
    reply = gecko.get("/api/v3/simple/price?ids=bitcoin,ethereum,solana&vs_currencies=usd,eur,gbp,jpy")
    assert reply.headers["x-calls-cost"] == "2"


def test_lists_cost_nothing_and_name_coins_that_there_are(gecko):
    reply = gecko.get("/api/v3/coins/list")
    assert {"id": "bitcoin", "symbol": "btc", "name": "Bitcoin"} in reply.json
    assert {each["symbol"].upper() for each in reply.json} <= set(COINS)
    assert reply.headers["x-calls-cost"] == "0"
    assert {"usd", "eur", "btc"} <= set(gecko.get("/api/v3/simple/supported_vs_currencies").json)
    assert "gecko_says" in gecko.get("/api/v3/ping").json


def test_a_bitcoin_is_worth_so_much_in_each_currency(gecko):
    rates = gecko.get("/api/v3/exchange_rates").json["rates"]
    assert (rates["btc"]["value"], rates["eur"]["value"]) == (1, one(gecko, "BTC", "EUR"))


def test_the_history_of_a_coin_is_its_close(make_client):
    service = make_client(dialects=(dialect,))
    close = ReceivedFixing(
        Fixing(CLOSES, Pair("BTC", "USD"), DAY, Decimal(90000)), datetime(2026, 10, 31, tzinfo=UTC), "kraken"
    )
    read_with(service.worker_state, closes=lambda coin, day: close if (coin, day) == ("BTC", DAY) else None)
    answer = service.get("/api/v3/coins/bitcoin/history?date=30-10-2026&localization=false").json
    prices = answer["market_data"]["current_price"]
    euro = service.get("/historical?date=2026-10-30&to=EUR").json["results"]["EUR"]
    assert (answer["id"], prices["usd"], prices["eur"]) == ("bitcoin", 90000, pytest.approx(90000 * euro, rel=1e-9))
    without = service.get("/api/v3/coins/bitcoin/history?date=29-10-2026").json
    assert "market_data" not in without


@pytest.mark.parametrize(
    ("target", "status", "part"),
    [
        ("/simple/price?vs_currencies=usd", 400, "[ids]"),
        ("/simple/price?ids=bitcoin", 400, "[vs_currencies]"),
        ("/simple/price?ids=bitcoin&vs_currencies=zzz", 400, "invalid vs_currency"),
        ("/simple/price?ids=bitcoin&vs_currencies=usd&precision=19", 400, "Invalid precision"),
        ("/coins/nothing/history?date=30-10-2026", 404, "coin not found"),
        ("/coins/bitcoin/history", 400, "[date]"),
        ("/coins/bitcoin/history?date=99-99-2026", 400, "Invalid date"),
        ("/nothing", 404, "Unknown path"),
    ],
)
def test_errors_are_flat_and_cost_nothing(gecko, target, status, part):
    reply = gecko.get(f"/api/v3{target}")
    assert (reply.status, part in reply.json["error"]) == (status, True), reply.text
    assert reply.headers.get("x-calls-cost", "0") == "0"


@pytest.mark.parametrize("name", ["x-cg-demo-api-key", "x-cg-pro-api-key"])
def test_the_key_may_be_where_the_original_has_it(gecko, key, name):
    target = "/api/v3/simple/price?ids=bitcoin&vs_currencies=usd"
    assert gecko.get(target, key=None, headers={name: key}).status == 200
    assert gecko.get(f"{target}&{name.replace('-', '_')}={key}", key=None).status == 200
    wrong = gecko.get(target, key=None, headers={name: "wrong"})
    assert (wrong.status, wrong.json["status"]["error_code"]) == (401, 401)


def test_every_coin_has_one_name():
    assert len(set(COIN_BY_ID.values())) == len(COIN_BY_ID) > 80

"""CoinGecko's interface: prices of the coins that are priced here."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from msgspec import structs
from tests.conftest import KEY, OWNER, PLANS
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.api.faces.dialects.coingecko import dialect
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.history.pair_series import between, pair_series_of
from cambist.history.price_moves import PriceMove
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import Pair
from cambist.reference.assets import COINS
from cambist.reference.coin_ids import COIN_BY_ID

DAY = date(2026, 10, 30)
CLOSED = {date(2026, 10, 29): "88000", date(2026, 10, 30): "89500.5"}
SHORT = mint(lambda alphabet: alphabet[15])


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


def test_the_change_of_a_day_is_told_where_it_is_known(gecko):
    yesterday = PriceMove(ratio=1.25, low=0.8, high=1.1, since=datetime(2026, 11, 19, 12, tzinfo=UTC), samples=289)
    read_with(gecko.worker_state, moves=lambda base, *_: yesterday if base == "BTC" else None)
    ids = "ids=bitcoin,ethereum"
    found = gecko.get(f"/api/v3/simple/price?{ids}&vs_currencies=usd&include_24hr_change=true").json
    assert (found["bitcoin"]["usd_24h_change"], found["ethereum"]["usd_24h_change"]) == (25, None)
    (bitcoin, ethereum) = gecko.get(f"/api/v3/coins/markets?vs_currency=usd&{ids}").json
    names = ("current_price", "high_24h", "low_24h", "price_change_24h", "price_change_percentage_24h")
    assert [bitcoin[name] for name in names] == [90005, pytest.approx(99005.5), 72004, 18001, 25]
    assert [ethereum[name] for name in names[1:]] == [None] * 4


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


def test_markets_have_prices_and_null_for_what_is_not_known(gecko):
    rows = gecko.get("/api/v3/coins/markets?vs_currency=eur&ids=bitcoin,ethereum,nothing&sparkline=false").json
    assert [(row["id"], row["symbol"], row["current_price"]) for row in rows] == [
        ("bitcoin", "btc", one(gecko, "BTC", "EUR")),
        ("ethereum", "eth", one(gecko, "ETH", "EUR")),
    ]
    assert {rows[0][name] for name in ("market_cap", "total_volume", "high_24h", "price_change_24h")} == {None}
    pages = [
        gecko.get(f"/api/v3/coins/markets?vs_currency=usd&symbols=btc,eth,sol&per_page=2&page={n}") for n in (1, 2, 3)
    ]
    assert [[row["symbol"] for row in page.json] for page in pages] == [["btc", "eth"], ["sol"], []]


@pytest.fixture
def charted(dealing):
    """A service with closes of bitcoin on two days, and an account that sees 25 days."""
    plan = structs.replace(PLANS["unlimited"], name="days", history_days=25)
    keys = {digest(KEY): OWNER, digest(SHORT): StoredKey(9, Account(9, "short", "days"))}
    service = dealing(options={"dialects": (dialect,), "stored_keys": keys, "plans": PLANS | {"days": plan}})
    fixings = [Fixing(CLOSES, Pair("BTC", "USD"), day, Decimal(value)) for day, value in CLOSED.items()]
    (series,) = pair_series_of(fixings)
    closes = {"coin_series": lambda coin, first, last: between(series, first, last) if coin == "BTC" else None}
    read_with(service.worker_state, **closes)
    return service


def test_a_chart_is_the_closes_at_the_midnights_that_end_them_and_the_price_of_now(charted):
    reply = charted.get("/api/v3/coins/bitcoin/market_chart?vs_currency=usd&days=30&interval=daily")
    *closes, now = reply.json["prices"]
    midnights = [datetime(2026, 10, 30, tzinfo=UTC), datetime(2026, 10, 31, tzinfo=UTC)]
    assert closes == [
        [int(at.timestamp() * 1000), value] for at, value in zip(midnights, (88000, 89500.5), strict=True)
    ]
    assert now[1] == one(charted, "BTC", "USD")
    reply = charted.get("/api/v3/coins/bitcoin/market_chart?vs_currency=eur&days=max")
    assert reply.status == 200, reply.text
    euros = reply.json["prices"]
    rate = charted.get("/historical?date=2026-10-29&from=USD&to=EUR").json["results"]["EUR"]
    assert euros[0][1] == pytest.approx(88000 * rate, rel=1e-9)


def test_a_chart_reaches_as_far_back_as_the_plan(charted):
    target = "/api/v3/coins/bitcoin/market_chart?vs_currency=usd&days="
    assert charted.get(f"{target}24", key=SHORT).status == 200
    refused = charted.get(f"{target}29", key=SHORT)
    assert (refused.status, "limited to 25 days" in refused.text) == (403, True)


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
        ("/coins/markets?vs_currency=usd", 400, "[ids]"),
        ("/coins/markets?ids=bitcoin", 400, "[vs_currencies]"),
        ("/coins/markets?vs_currency=usd&ids=bitcoin&page=0", 400, "Invalid page"),
        ("/coins/nothing/market_chart?vs_currency=usd&days=3", 404, "coin not found"),
        ("/coins/bitcoin/market_chart?vs_currency=usd", 400, "Invalid days"),
        ("/coins/bitcoin/market_chart?vs_currency=usd&days=3&interval=hourly", 400, "Invalid interval"),
        ("/coins/bitcoin/market_chart?vs_currency=btc&days=3", 400, "is a coin"),
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

"""Coins in the currency group: the endpoints that accept them, their rates, and the endpoints that refuse them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest

from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.pricing.tick import Tick
from cambist.pricing.unavailable import SIMULATED
from cambist.reference.assets import COINS, METALS
from cambist.sources.adapters.okx import adapter

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOW_, FIXED = "2026-11-20T11:59:58Z", "2026-11-19T13:15:00Z"
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
QUARTER = 15 * MINUTE
# The book's midpoints in dollars, reckoned from its sides by hand.
WORTH = {
    "USD": Fraction(1),
    "EUR": Fraction("1.16"),
    "GBP": Fraction("1.34"),
    "JPY": 1 / Fraction("150.25"),
    "PLN": 1 / Fraction("3.65"),
    "AED": 1 / Fraction("3.6725"),  # by law
    "XAF": Fraction("1.16") / Fraction("655.957"),  # by law, a share of a euro
    "HRK": Fraction("1.16") / Fraction("7.5345"),  # ended, at its last law
    "BTC": Fraction("90005"),
    "ETH": Fraction("3000.5"),
    "SOL": Fraction("139.916"),
    "USDT": Fraction("0.9991"),
}
PAIRS = [
    ("BTC", "USD"),
    ("BTC", "EUR"),
    ("BTC", "JPY"),
    ("BTC", "PLN"),
    ("BTC", "AED"),
    ("BTC", "XAF"),
    ("ETH", "HRK"),
    ("SOL", "GBP"),
    ("USDT", "USD"),
    ("USDT", "EUR"),
    ("ETH", "BTC"),
    ("SOL", "USDT"),
    ("SOL", "ETH"),
]
BOTH_WAYS = [*PAIRS, *((target, source) for source, target in PAIRS)]


def ten_digits(value: Fraction) -> str:
    rounded = format(Context(prec=10, rounding=ROUND_HALF_UP).divide(value.numerator, value.denominator), "f")
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def half_up(value: Fraction, places: int) -> str:
    """Round by whole numbers alone, a half going up, and write it without zeros that say nothing."""
    whole, decimals = divmod(int(value * 10**places + Fraction(1, 2)), 10**places)
    shown = f"{whole}.{decimals:0{places}}" if places else str(whole)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def written(reply, name: str) -> str:
    assert reply.status == 200, reply.text
    found = re.search(rf'"{name}":([^,}}]+)', reply.text)
    assert found, reply.text
    return found[1]


def refused(client, target: str, code: str = "unknown_currency", status: int = 400) -> str:
    reply = client.get(target)
    assert (reply.status, reply.json["code"]) == (status, code), reply.text
    assert list(reply.json) == ["error", "code"]
    assert reply.headers["x-calls-cost"] == "0"
    assert client.ledger.spent(1, date(2026, 11, 20)) == 0
    if status == 503:
        assert int(reply.headers["retry-after"]) > 0
    return reply.json["error"]


# One rate


@pytest.mark.parametrize(("source", "target"), BOTH_WAYS)
def test_a_rate_is_the_exact_cross_of_both_legs_to_ten_digits(client_dealing, source, target):
    reply = client_dealing.get(f"/fetch-one?from={source}&to={target}")
    assert written(reply, target) == ten_digits(WORTH[source] / WORTH[target])
    assert (list(reply.json), reply.json["base"]) == (["base", "result", "updated", "ms"], source)
    assert (list(reply.json["result"]), reply.headers["x-calls-cost"]) == ([target], "1")


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_rate_and_its_inverse_are_inverse_within_the_digits_shown(client_dealing, source, target):
    there = Fraction(written(client_dealing.get(f"/fetch-one?from={source}&to={target}"), target))
    back = Fraction(written(client_dealing.get(f"/fetch-one?from={target}&to={source}"), source))
    assert abs(there * back - 1) < Fraction(2, 10**9)


@pytest.mark.parametrize("coin", ["BTC", "ETH", "SOL", "USDT"])
def test_a_coin_in_itself_is_1(client_dealing, coin):
    assert written(client_dealing.get(f"/fetch-one?from={coin}&to={coin}"), coin) == "1"


@pytest.mark.parametrize(
    ("query", "base", "target"),
    [
        ("to=btc", "USD", "BTC"),
        ("from=&to=BTC", "USD", "BTC"),
        ("from=btc", "BTC", "USD"),
        ("from=Btc&to=", "BTC", "USD"),
    ],
)
def test_the_other_side_is_the_dollar_when_left_out(client_dealing, query, base, target):
    reply = client_dealing.get(f"/fetch-one?{query}").json
    assert (reply["base"], list(reply["result"])) == (base, [target])


def test_a_tether_is_not_a_dollar(client_dealing):
    dollars, tethers = (
        Fraction(written(client_dealing.get(f"/fetch-one?from=SOL&to={to}"), to)) for to in ("USD", "USDT")
    )
    assert dollars == WORTH["SOL"]
    assert abs(dollars / tethers - Fraction("0.9991")) < Fraction(1, 10**9)


@pytest.mark.parametrize("price", ["0.00000001234", "0.000000000000000000123456789012345", "1/3"])
@pytest.mark.parametrize("target", ["USD", "EUR", "BTC", "AED"])
def test_a_tiny_price_keeps_ten_digits_and_has_no_exponent(dealing, quote_of, price, target):
    client = dealing(SHIB=quote_of("SHIB/USD", price, price))
    there, back = (client.get(f"/fetch-one?from={a}&to={b}") for a, b in (("SHIB", target), (target, "SHIB")))
    assert written(there, target) == ten_digits(Fraction(price) / WORTH[target])
    assert written(back, "SHIB") == ten_digits(WORTH[target] / Fraction(price))


@pytest.mark.parametrize("coin", ["T", "OP", "1INCH", "FARTCOIN", "1000CHEEMS", "1MBABYDOGE"])
def test_a_symbol_may_be_as_short_and_as_long_as_coins_have_them(dealing, quote_of, coin):
    client = dealing(**{coin: quote_of(f"{coin}/USD", "0.5", "0.7")})
    assert written(client.get(f"/fetch-one?from={coin.lower()}&to=usd"), "USD") == "0.6"
    assert written(client.get(f"/convert?from=usd&to={coin.lower()}&amount=3"), coin) == "5"


# When it is of


@pytest.mark.parametrize(
    ("source", "target", "updated"),
    [
        ("BTC", "USD", NOW_),
        ("BTC", "EUR", NOW_),
        ("BTC", "AED", NOW_),
        ("BTC", "PLN", FIXED),
        ("PLN", "BTC", FIXED),
        ("ETH", "BTC", "2026-11-20T11:55:00Z"),
        ("ETH", "AED", "2026-11-20T11:55:00Z"),
        ("USD", "ETH", "2026-11-20T11:55:00Z"),
    ],
)
def test_updated_is_the_time_of_the_oldest_leg(dealing, quote_of, source, target, updated):
    client = dealing(ETH=quote_of("ETH/USD", "3000", "3001", as_of=NOON - 5 * MINUTE))
    assert client.get(f"/fetch-one?from={source}&to={target}").json["updated"] == updated


# Amounts


@pytest.mark.parametrize(("source", "target"), [("BTC", "EUR"), ("USD", "BTC"), ("SOL", "ETH")])
def test_an_amount_is_rounded_once_to_the_requested_places(client_dealing, source, target):
    rate = WORTH[source] / WORTH[target]
    for places in range(21):
        reply = client_dealing.get(f"/convert?from={source}&to={target}&amount=12.3456789&precision={places}")
        assert written(reply, target) == half_up(Fraction("12.3456789") * rate, places)
        assert (written(reply, "rate"), written(reply, "amount")) == (ten_digits(rate), "12.3456789")
        assert list(reply.json) == ["base", "amount", "result", "updated", "ms"]
        assert (reply.json["base"], list(reply.json["result"])) == (source, [target, "rate"])


@pytest.mark.parametrize(("source", "target"), BOTH_WAYS)
def test_two_places_are_the_default_both_ways(client_dealing, source, target):
    reply = client_dealing.get(f"/convert?from={source}&to={target}&amount=250")
    assert written(reply, target) == half_up(250 * WORTH[source] / WORTH[target], 2)


def test_the_smallest_amount_in_a_dear_coin_keeps_its_digits_where_there_is_place_for_them(client_dealing):
    cent = "/convert?from=USD&to=BTC&amount=0.01"
    assert written(client_dealing.get(cent), "BTC") == "0"
    assert written(client_dealing.get(cent), "rate") == "0.00001111049386"
    assert written(client_dealing.get(f"{cent}&precision=20"), "BTC") == "0.00000011110493861452"


def test_an_amount_of_many_digits_in_a_cheap_coin_loses_none(dealing, quote_of):
    client = dealing(SHIB=quote_of("SHIB/USD", "0.00000001", "0.00000001"))
    reply = client.get("/convert?from=USD&to=SHIB&amount=123456789012345678901234567890.12&precision=0")
    assert written(reply, "SHIB") == "12345678901234567890123456789012000000"


@pytest.mark.parametrize("amount", ["0.009", "0", "-1", "1e-3"])
def test_a_coin_has_no_smaller_least_amount(client_dealing, amount):
    assert "amount: [" in refused(client_dealing, f"/convert?from=BTC&to=USD&amount={amount}", "bad_parameter")


# Stale and unheard of


def test_an_old_price_of_a_coin_is_served_to_who_allows_its_age(client_dealing):
    found = client_dealing.get("/fetch-one?from=DOGE&max_age=P1D")
    assert (found.status, found.json["updated"]) == (200, "2026-11-20T10:00:00Z")
    assert client_dealing.get("/fetch-one?from=DOGE&max_age=PT1H").status == 503


@pytest.mark.parametrize("path", ["/fetch-one?", "/convert?amount=1&", "/explain?"])
@pytest.mark.parametrize("pair", ["from=DOGE&to=USD", "from=USD&to=doge", "from=BTC&to=DOGE", "from=DOGE&to=PLN"])
def test_a_stale_coin_is_503_and_named_with_its_time(client_dealing, path, pair):
    sentence = refused(client_dealing, path + pair, "rate_unavailable", 503)
    assert sentence.startswith("The newest price of [DOGE] is of [2026-11-20T10:00:00Z] (")
    assert sentence.endswith(f"), older than allowed; {SIMULATED}")


@pytest.mark.parametrize("path", ["/fetch-one?", "/convert?amount=1&", "/explain?"])
@pytest.mark.parametrize(("age", "status"), [(QUARTER, 200), (QUARTER + SECOND, 503)])
def test_a_coin_is_stale_after_a_quarter_of_an_hour(dealing, quote_of, path, age, status):
    client = dealing(SOL=quote_of("SOL/USD", "1", "1", as_of=NOON - age))
    for pair in ("from=SOL&to=EUR", "from=EUR&to=SOL"):
        assert client.get(path + pair).status == status


def test_a_weekend_is_no_excuse_for_a_coin(dealing, quote_of):
    saturday = NOON + timedelta(days=1)
    client = dealing(now=saturday, BTC=quote_of("BTC/USD", "1", "1", as_of=saturday - MINUTE))
    assert client.get("/fetch-one?from=BTC&to=EUR").json["updated"] == NOW_
    assert client.get("/fetch-one?from=ETH&to=EUR").status == 503


def test_a_cached_answer_expires_when_its_sources_fall_silent(dealing):
    client = dealing()
    for minutes, status in ((0, 200), (14, 200), (15, 503), (60, 503)):
        client.clock.read = (NOON + minutes * MINUTE).timestamp
        client.worker_state.tick()  # as every second
        for target in ("/fetch-one?from=BTC&to=EUR", "/convert?from=EUR&to=BTC&amount=1"):
            assert client.get(target).status == status
        assert client.get("/fetch-one?from=EUR&to=JPY").status == 200, "a currency falls back on what there is"


@pytest.mark.parametrize("path", ["/fetch-one?", "/convert?amount=1&"])
@pytest.mark.parametrize("pair", ["from=ADA&to=USD", "from=EUR&to=ADA", "from=BTC&to=ADA"])
def test_a_coin_without_a_price_is_503(client_dealing, path, pair):
    assert "[ADA]" in refused(client_dealing, path + pair, "rate_unavailable", 503)


@pytest.mark.parametrize("path", ["/fetch-one?", "/convert?amount=1&"])
@pytest.mark.parametrize(("max_age", "status"), [("PT2S", 200), ("PT1S", 503)])
def test_a_client_may_want_it_younger(client_dealing, path, max_age, status):
    assert client_dealing.get(f"{path}from=BTC&to=EUR&max_age={max_age}").status == status


def test_a_coin_with_a_fresh_price_is_answered_however_old_the_fixing_of_the_currency(dealing, quote_of):
    """A currency falls back on its newest fixing, however old: a coin that is dealt in it is as fresh as before."""
    fixed = quote_of("EUR/USD", "1.25", "1.25", "ecb", as_of=NOON - timedelta(days=1), pace=Pace.DAILY)
    pipeline = PricePipeline({"okx": adapter.source})
    pipeline.rate_books.apply_fixings({"EUR": fixed})
    pipeline.apply_tick(Tick("okx", Pair("XMR", "EUR"), Decimal(100), Decimal(102), NOON), NOON)
    client = dealing()
    client.worker_state.apply_book(RateBook.of(pipeline.rate_books.build(NOON)))
    assert client.get("/crypto/fetch-prices?pairs=XMR/EUR").json["prices"] == {"XMR/EUR": 101}
    reply = client.get("/fetch-one?from=XMR&to=EUR")
    assert (reply.status, reply.json.get("result")) == (200, {"EUR": 101}), reply.text
    assert reply.json["updated"] == "2026-11-19T12:00:00Z"


@pytest.mark.parametrize(("age", "status"), [(QUARTER, 200), (QUARTER + SECOND, 503)])
@pytest.mark.parametrize("target", ["/fetch-one?from=XMR&to=USD", "/convert?from=EUR&to=XMR&amount=1"])
def test_a_coin_is_as_old_as_the_coin_that_it_is_priced_in(dealing, target, age, status):
    """A tether falls back on nothing: where it is stale, what is dealt in it alone has no price in dollars."""
    pipeline = PricePipeline({"okx": adapter.source})
    heard = [("USDT/USD", "0.99", NOON - age), ("EUR/USD", "1.25", NOON), ("XMR/USDT", "100", NOON)]
    for pair, price, at in heard:
        pipeline.apply_tick(Tick("okx", Pair(*pair.split("/")), Decimal(price), Decimal(price), at), at)
        pipeline.rate_books.prepare(at)
    client = dealing()
    client.worker_state.apply_book(RateBook.of(pipeline.rate_books.build(NOON)))
    assert client.get("/crypto/fetch-prices?pairs=XMR/USDT").json["prices"] == {"XMR/USDT": 100}
    reply = client.get(target)
    assert reply.status == status, reply.text
    if status == 503:
        assert reply.json["code"] == "rate_unavailable"


# Where coins are refused


@pytest.mark.parametrize("path", ["/fetch-one?", "/convert?amount=1&", "/explain?"])
@pytest.mark.parametrize("coin", ["BTC", "DOGE", "ADA", "XAUT"])
def test_a_coin_and_a_metal_are_refused_both_ways(client_dealing, path, coin):
    for metal in ("XAU", "XCU", "XZN"):
        for source, target in ((coin, metal), (metal, coin)):
            sentence = refused(client_dealing, f"{path}from={source.lower()}&to={target}", "bad_parameter")
            way_out = "go through a currency, such as USD"
            assert sentence == f"Coins are not priced in metals: [{source}] to [{target}]; {way_out}"


WHERE = "a coin: coins are found at /fetch-one, /convert and /crypto/fetch-prices"
PLACES = [
    ("/fetch-multi?from={}&to=USD", "source"),
    ("/fetch-multi?from=XAU&to=USD,{}", "target"),
    ("/fetch-multi?to=USD,{},EUR", "target"),
    ("/fetch-all?from={}", "source"),
    ("/fetch-many-to-one?from={}&to=USD", "source"),
    ("/fetch-many-to-one?from=EUR,{}&to=USD", "source"),
    ("/fetch-many-to-one?from=EUR&to={}", "target"),
    ("/fetch-matrix?from=EUR,{}&to=USD", "source"),
    ("/fetch-matrix?from=EUR&to={},USD", "target"),
    ("/historical?date=2026-10-30&to={}", "target"),
    ("/historical?date=2026-11-20&from=EUR&to=USD,{}", "target"),
    ("/time-series?from=EUR&to={}&start=2026-10-01&end=2026-10-30", "target"),
]


@pytest.mark.parametrize(("place", "role"), PLACES)
def test_elsewhere_a_coin_is_refused_with_where_coins_are_found(client_dealing, place, role):
    for coin in ("BTC", "btc", "USDT", "T", "OP", "1000CHEEMS", "DOGE", "ADA"):
        sentence = refused(client_dealing, place.format(coin))
        assert sentence == f"Invalid/unsupported {role} currency: [{coin}], {WHERE}"


@pytest.mark.parametrize(
    ("place", "role"),
    [
        *PLACES,
        ("/historical?date=2026-10-30&from={}", "source"),
        ("/time-series?from={}&to=USD", "source"),
        ("/averages?from={}&to=USD&start=2026-10-01", "source"),
        ("/fetch-one?from={}&to=BTC", "source"),
        ("/fetch-one?from=BTC&to={}", "target"),
        ("/convert?from={}&to=BTC&amount=1", "source"),
        ("/convert?from=BTC&to={}&amount=1", "target"),
    ],
)
def test_an_unknown_code_is_refused_without_a_hint(client_dealing, place, role):
    for code in ("ZZZ", "zzz", "Y", "YZ", "NOTACOI", "BTC/USD", "BTCUP", "ETH3L", "B\u0131T"):
        sentence = refused(client_dealing, place.format(code.replace("\u0131", "%C4%B1")))
        assert sentence == f"Invalid/unsupported {role} currency: [{code}]"


def test_the_endpoints_named_in_the_hint_accept_coins(client_dealing):
    asked = {
        "/fetch-one": "?from=BTC",
        "/convert": "?from=BTC&to=USD&amount=1",
        "/crypto/fetch-prices": "?pairs=BTC/USD",
    }
    assert re.findall(r"/[a-z/-]+[a-z]", WHERE) == list(asked)
    assert [client_dealing.get(path + query).status for path, query in asked.items()] == [200] * 3


def test_all_rates_are_of_currencies_alone(client_dealing):
    results = client_dealing.get("/fetch-all?from=EUR").json["results"]
    assert {"EUR", "USD", "PLN", "AED"} <= results.keys()
    assert not results.keys() & (COINS.keys() | METALS.keys())

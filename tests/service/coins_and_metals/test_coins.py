"""Coins over HTTP, and coins and metals as rates: of a sandbox, and of sources that are played as recorded.

Every check holds at any hour: where markets may be closed a rule is checked and not a state.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta

import pytest
from tests.patience import PATIENCE

from cambist.pricing.trading_hours import Hours, last_trading_moment
from cambist.reference.assets import COINS

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PRICES = "/crypto/fetch-prices?pairs="
LEVERAGED = re.compile(r"(.{3,})(UP|DOWN|BULL|BEAR|[235][LS])")
A_HANDFUL = 5


def today() -> date:
    return datetime.now(UTC).date()


def is_closed(hours: Hours) -> bool:
    now = datetime.now(UTC).replace(microsecond=0)
    return last_trading_moment(hours, now).as_of < now


def refused(got, *says) -> bool:
    """See that a refusal is one, costs nothing, and names what it is about."""
    assert (got.status, got.cost) == (400, 0), got.content
    assert all(text in got.json["error"] for text in says), got.json
    return True


@pytest.fixture
def pairs(world):
    """The pairs that are listed, by name."""
    return world.body("/crypto/pairs")["pairs"]


# Lists


def test_coins_are_listed_with_their_names_and_none_is_a_currency_or_a_metal(world):
    answer = world.body("/crypto/currencies")
    assert list(answer) == ["currencies", "ms"]
    coins = answer["currencies"]
    assert len(coins) >= (500 if world.is_sandbox or world.is_recorded else 5)
    assert coins.items() >= {"BTC": "Bitcoin", "ETH": "Ethereum"}.items()
    assert all(re.fullmatch(r"[A-Z0-9]+", symbol) and type(name) is str and name for symbol, name in coins.items())
    assert coins.keys().isdisjoint(world.body("/currencies")["currencies"])
    assert coins.keys().isdisjoint(world.body("/metals/list")["metals"])


def test_every_listed_pair_has_a_coin_and_nothing_that_is_not_listed(world, pairs):
    assert len(pairs) >= (750 if world.is_sandbox or world.is_recorded else 10)
    coins = world.body("/crypto/currencies")["currencies"].keys()
    known = coins | world.body("/currencies")["currencies"].keys()
    assert {"BTC/USD", "ETH/BTC"} <= pairs.keys()
    for name, record in pairs.items():
        assert list(record) == ["base", "quote"]
        assert name == f"{record['base']}/{record['quote']}"
        assert set(record.values()) & coins, name
        assert set(record.values()) <= known, name
        assert record["base"] != record["quote"]


def test_no_leveraged_token_is_listed(world, pairs):
    sides = {side for record in pairs.values() for side in record.values()}
    sides |= world.body("/crypto/currencies")["currencies"].keys()
    looks = {side for side in sides if (match := LEVERAGED.fullmatch(side)) and match[1] in COINS}
    assert looks <= COINS.keys()
    assert not {side for side in looks if side.startswith(("BTC", "ETH", "BNB", "XRP", "ADA", "EOS"))}


# Prices


def test_a_price_is_a_number_and_costs_one_call_however_many_there_are(world, pairs):
    got = world.priced(f"{PRICES}BTC/USD")
    assert (list(got.json), list(got.json["prices"]), got.cost) == (["prices", "ms"], ["BTC/USD"], 1)
    assert isinstance(got.json["prices"]["BTC/USD"], int | float)
    ten = sorted(pairs)[9::-1]
    got = world.priced(PRICES + ",".join(ten))
    assert (list(got.json["prices"]), got.cost) == (ten, 1)
    assert all(price > 0 for price in got.json["prices"].values())


def test_pairs_may_be_written_in_these_ways(world):
    asked = ("BTC/USD,ETH/BTC", "btc/usd,Eth/btc", "BTC%2FUSD%2CETH%2fBTC", "BTC/USD,%20,ETH/BTC,,btc/usd")
    first, *others = world.together(*(PRICES + each for each in asked))
    assert list(first["prices"]) == ["BTC/USD", "ETH/BTC"]
    for each in others:
        assert list(each["prices"].items()) == list(first["prices"].items())


def test_more_than_ten_pairs_are_refused(world, pairs):
    eleven = [*list(pairs)[:10], "NOPE/USD"]
    assert refused(world.ask(PRICES + ",".join(eleven)), "[pairs]", "[11]", "10")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("NOPE/USD", ["[NOPE/USD]", "/crypto/pairs"]),
        ("BTC/USD,NOPE/USD", ["[NOPE/USD]"]),
        ("USD/BTC", ["[USD/BTC]", "[BTC/USD]"]),
        ("BTCUSD", ["[BTCUSD]", "BTC/USD"]),
        ("BTC/", ["[BTC/]"]),
        ("BTC/XAU", ["[BTC/XAU]"]),
        ("EUR/USD", ["[EUR/USD]"]),
        ("", ["[pairs]"]),
        (",", ["[pairs]"]),
    ],
)
def test_what_is_no_listed_pair_is_refused_by_name(world, asked, says):
    assert refused(world.ask(PRICES + asked), *says)


def test_every_listed_pair_is_priced(world, pairs):
    names, missing = list(pairs), []
    for start in range(0, len(names), 10):
        ten = names[start : start + 10]
        got = world.ask(PRICES + ",".join(ten))
        if got.status != 503:
            assert (got.status, list(got.json.get("prices", ()))) == (200, ten), got.content
            assert all(price > 0 for price in got.json["prices"].values())
            continue
        alone = {name: world.ask(PRICES + name) for name in ten}
        assert {each.status for each in alone.values()} <= {200, 503}
        missing += [name for name, each in alone.items() if each.status == 503]
    # A busy machine may have held up a sandbox's prices.
    late = [name for name in missing if not world.until(lambda name=name: world.ask(PRICES + name).status == 200, 1)]
    assert len(late) <= A_HANDFUL, late


def test_coins_are_worth_what_the_venues_deal_them_at(world):
    bitcoin = world.body(f"{PRICES}BTC/USD")["prices"]["BTC/USD"]
    ether = world.body("/fetch-one?from=ETH&to=USD")["result"]["USD"]
    if not world.is_sandbox:  # see loopback/prices.py
        assert (bitcoin, ether) == (pytest.approx(65_000, rel=0.02), pytest.approx(2_600, rel=0.02))
    assert world.body(f"{PRICES}ETH/BTC")["prices"]["ETH/BTC"] == pytest.approx(ether / bitcoin, rel=0.02)
    for code in ("EUR", "JPY", "BRL"):
        dollar = world.body(f"/fetch-one?to={code}")["result"][code]
        assert world.body(f"/fetch-one?from=BTC&to={code}")["result"][code] == pytest.approx(bitcoin * dollar, rel=0.02)


def test_what_a_coin_is_dealt_at_in_one_thing_is_what_it_is_worth_in_all(world, pairs):
    sample = [name for name in pairs if name.partition("/")[2] in ("USD", "USDT", "USDC", "EUR", "BTC", "ETH")]
    off = {}
    for name in sample[:: 1 + len(sample) // 200]:
        base, quote = name.split("/")
        dealt, got = world.body(PRICES + name)["prices"][name], world.ask(f"/fetch-one?from={base}&to={quote}")
        if got.status != 200 or got.json["result"][quote] != pytest.approx(dealt, rel=0.02):
            off[name] = dealt, got.json
    # The player deals a coin that has two names as two coins.
    assert len(off) <= (0 if world.is_sandbox else A_HANDFUL), off


# Coins and metals as rates


@pytest.mark.parametrize(("one", "other"), [("BTC", "EUR"), ("ETH", "BTC"), ("XAU", "EUR"), ("XCU", "JPY")])
def test_coins_and_metals_are_rates_in_both_directions(world, one, other):
    there, back, converted = world.together(
        f"/fetch-one?from={one}&to={other}",
        f"/fetch-one?from={other}&to={one}",
        f"/convert?from={one}&to={other}&amount=2&precision=8",
    )
    assert list(there) == ["base", "result", "updated", "ms"]
    assert (there["base"], list(there["result"]), back["base"]) == (one, [other], other)
    rate = there["result"][other]
    assert rate * back["result"][one] == pytest.approx(1, rel=1e-8)
    assert (list(converted), converted["base"], converted["amount"]) == (
        ["base", "amount", "result", "updated", "ms"],
        one,
        2,
    )
    assert list(converted["result"]) == [other, "rate"]
    assert converted["result"]["rate"] == rate
    assert converted["result"][other] == pytest.approx(2 * rate, rel=1e-6)


def test_a_metal_as_a_rate_is_its_spot_price_by_the_ounce_or_the_tonne(world):
    for metal in ("XAU", "XAG", "XCU"):
        rate, spot = world.together(f"/fetch-one?from={metal}&to=USD", f"/metals/spot?metal={metal}")
        assert rate["result"]["USD"] == pytest.approx(float(spot["mid"]), rel=1e-6)


def test_several_rates_from_gold_cost_a_call_each_and_one_more_for_each_cross(world):
    got = world.priced("/fetch-multi?from=XAU&to=USD,EUR")
    crosses = world.body("/metals/spot?metal=XAU&currency=EUR")["cross_rate"]
    assert (got.cost, list(got.json), got.json["base"]) == (3 + crosses, ["base", "results", "updated", "ms"], "XAU")
    assert list(got.json["results"]) == ["USD", "EUR"]
    gold, euros = world.together("/fetch-multi?from=XAU&to=EUR,USD", "/fetch-one?from=USD&to=EUR")
    assert list(gold["results"]) == ["EUR", "USD"]
    assert gold["results"]["EUR"] == pytest.approx(gold["results"]["USD"] * euros["result"]["EUR"], rel=1e-3)
    assert world.priced("/fetch-multi?from=XAU&to=USD").cost == 2
    assert world.priced("/fetch-multi?from=EUR&to=XAU,USD").cost == 1


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("/fetch-one?from=BTC&to=XAU", ["[BTC]", "[XAU]"]),
        ("/fetch-one?from=XCU&to=ETH", ["[XCU]", "[ETH]"]),
        ("/convert?from=XAU&to=BTC&amount=1", ["[XAU]", "[BTC]"]),
        ("/explain?from=BTC&to=XAU", ["[BTC]", "[XAU]"]),
        ("/fetch-multi?from=BTC&to=USD", ["[BTC]", "/crypto/fetch-prices"]),
        ("/fetch-multi?to=USD,BTC", ["[BTC]", "/crypto/fetch-prices"]),
        ("/fetch-all?from=BTC", ["[BTC]", "/crypto/fetch-prices"]),
    ],
)
def test_coins_are_refused_where_they_have_no_place(world, target, says):
    assert refused(world.ask(target), *says)


@pytest.mark.parametrize(
    "target", ["/historical?date=1990-11-02&from=BTC", "/time-series?from=BTC&to=USD&start=1990-11-02&end=1990-11-05"]
)
def test_a_day_without_a_close_of_a_coin_has_no_rate(world, target):
    got = world.ask(target)
    assert (got.status, got.cost, got.json["code"]) == (404, 0, "no_rate")
    assert "[BTC]" in got.json["error"]
    assert "[1990-11-02]" in got.json["error"]


def test_gold_has_a_past(world):
    day = today() - timedelta(days=1)
    asked = f"/historical?date={day}&from=XAU&to=USD,EUR"
    assert world.until(lambda: world.ask(asked).status == 200)  # played sources take a moment to be filed
    answer = world.body(asked)
    assert (list(answer), list(answer["results"])) == (
        ["date", "base", "results", "fixed_on", "carried_days", "ms"],
        ["USD", "EUR"],
    )
    dollars, euros = answer["results"].values()
    euro = world.body(f"/historical?date={day}&from=EUR&to=USD")["results"]["USD"]
    assert dollars == pytest.approx(euros * euro, rel=0.01)
    assert dollars == pytest.approx(float(world.body("/metals/spot")["mid"]), rel=0.3)
    if world.is_sandbox:
        for first in ("1970-01-01", "1985-06-15"):
            assert world.body(f"/historical?date={first}&from=XAU&to=USD")["results"]["USD"] > 0


def test_gold_has_a_series_of_days_that_its_historical_days_agree_with(world):
    wanted = {str(today() - timedelta(days=ago)) for ago in range(1, 8)}
    asked = "/time-series?from=XAU&to=USD"
    assert world.until(lambda: wanted <= world.body(asked)["results"]["USD"].keys())
    answer, fixed = world.together(asked, f"/historical?date={min(wanted)}&from=XAU&to=USD")
    assert list(answer) == ["start", "end", "interval", "base", "results", "ms"]
    series = answer["results"]["USD"]
    assert list(series) == sorted(series)
    assert all(rate > 0 for rate in series.values())
    assert series[min(wanted)] == fixed["results"]["USD"]
    if world.is_sandbox:
        assert len(series) in (29, 30)  # today's fixing may not be due yet, but the one before is carried
        first = world.body(f"{asked}&start=1970-01-01&end=1970-01-31")["results"]["USD"]
        assert len(first) == 31


# On what ground


def grounds(world, query):
    """Give the answer and its legs by the code that they price."""
    answer = world.body(f"/explain?{query}")
    return answer, {leg["base"] if leg["base"] != "USD" else leg["quote"]: leg for leg in answer["legs"]}


def test_bitcoin_is_explained_by_its_venues_and_is_never_closed(world):
    answer, legs = grounds(world, "from=BTC&to=USD")
    (leg,) = legs.values()
    assert answer["result"]["USD"] == pytest.approx(float(leg["rate"]))
    assert leg["age"] <= 15 * 60
    assert "because" not in leg
    venues = {"sandbox"} if world.is_sandbox else {"kraken", "coinbase", "bitstamp", "okx", "binance"}
    assert set(leg["sources"]) <= venues
    assert {vote["source"] for vote in leg.get("votes", ())} <= venues


@pytest.mark.parametrize(("metal", "hours"), [("XAU", Hours.METALS), ("XCU", Hours.LME)])
def test_a_metal_is_explained_as_closed_exactly_where_it_trades_and_its_market_is_closed(world, metal, hours):
    spot = world.body(f"/metals/spot?metal={metal}")
    trades = spot["source"] in ("sandbox", "swissquote") or spot["source"].endswith("moved by 3-month")
    assert trades or metal == "XCU", spot

    def says_closed() -> bool:
        return grounds(world, f"from={metal}&to=USD")[1][metal].get("because") == "closed"

    assert world.until(lambda: says_closed() == (trades and is_closed(hours)), PATIENCE), (spot, is_closed(hours))
    answer, legs = grounds(world, f"from={metal}&to=EUR")
    assert {metal, "EUR"} == legs.keys()
    sources = {"sandbox"} if world.is_sandbox else {"swissquote"} if metal == "XAU" else {"westmetall", "sina"}
    assert set(legs[metal]["sources"]) <= sources
    assert legs[metal]["made"] == ("moved" if "moved" in spot["source"] else "published")
    assert answer["result"]["EUR"] > 0


# What a plan includes, and what is refused when prices stand still


def test_a_plan_without_metals_has_coins_but_no_metals(world):
    name = f"without-metals-{world.name}"
    key = json.loads(world.command("account", "create", name, "--plan", "one", "--json"))["key"]
    assert world.until(lambda: world.ask("/currencies", key).status == 200)
    for target in ("/metals/spot", "/metals/quote?instruments=XAUUSD", "/metals/list"):
        got = world.ask(target, key)
        assert (got.status, got.json["code"], got.cost) == (403, "not_in_plan", 0)
    # A plan may see a book that is a minute old, which is older than this sandbox lets a coin be.
    assert world.until(lambda: world.ask(f"{PRICES}BTC/USD", key).status == 200, PATIENCE)
    assert world.ask("/crypto/pairs", key).status == 200


def test_prices_that_stand_still_are_refused_after_their_age_until_they_move_again(world):
    if not world.is_sandbox:
        pytest.skip("only a sandbox goes wrong when it is told to")
    world.command("sandbox", "fault", "stale", "BTC,XAU")
    try:
        assert world.until(lambda: world.ask(f"{PRICES}BTC/USD").status == 503)
        got = world.ask(f"{PRICES}BTC/USD")
        assert (got.json["code"], got.cost) == ("rate_unavailable", 0)
        assert int(got.headers["retry-after"]) > 0
        since = datetime.fromisoformat(re.search(r"\[BTC\] is of \[([^]]+)\]", got.json["error"])[1])
        assert datetime.now(UTC) - since >= timedelta(seconds=world.max_age)
        assert world.ask("/fetch-one?from=BTC&to=EUR").status == 503
        assert world.body(f"{PRICES}ETH/USD")["prices"]["ETH/USD"] > 0
        assert_gold_stands_still(world)
    finally:
        world.command("sandbox", "fault", "clear")
    assert world.until(lambda: world.ask(f"{PRICES}BTC/USD").status == 200)
    assert world.until(lambda: world.ask("/metals/spot").status == 200)


def assert_gold_stands_still(world):
    """See that gold is refused where its market is open; where it is closed the last close stands."""
    both = "/metals/quote?instruments=XAUUSD,XAGUSD"
    if is_closed(Hours.METALS):
        assert world.ask("/metals/spot").status == 200 or not is_closed(Hours.METALS)
        return
    assert world.until(lambda: world.ask("/metals/spot").status == 503 or is_closed(Hours.METALS))
    got, answer = world.ask("/metals/spot"), world.body(both)
    if not is_closed(Hours.METALS):
        assert (got.json["code"], got.cost, int(got.headers["retry-after"]) > 0) == ("rate_unavailable", 0, True)
        assert (list(answer["quotes"]), answer["warnings"]) == (["XAGUSD"], {"unavailable_instruments": ["XAUUSD"]})

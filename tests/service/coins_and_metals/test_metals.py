"""Metals over HTTP, as the interface has them: of a sandbox, and of sources that are played as recorded.

Every check holds at any hour: where markets may be closed a rule is checked and not a state.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import cycle, pairwise

import pytest

from cambist.pricing.trading_hours import Hours, last_trading_moment

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PRECIOUS = {"XAU": "Gold", "XAG": "Silver", "XPT": "Platinum", "XPD": "Palladium"}
BASE = {"XAL": "Aluminium", "XCU": "Copper", "XPB": "Lead", "XNI": "Nickel", "XZN": "Zinc"}
METALS = PRECIOUS | BASE
GRAMS = {
    "gram": "1",
    "kilogram": "1000",
    "metric_tonne": "1000000",
    "grain": "0.06479891",
    "pennyweight": "1.55517384",
    "oz_t": "31.1034768",
    "lb_t": "373.2417216",
    "oz_av": "28.349523125",
    "lb_av": "453.59237",
    "tael": "37.429",
    "baht": "15.244",
    "tola": "11.6638038",
}
CURRENCIES = ("USD", "EUR", "JPY", "PLN", "KRW", "IDR")
RATIOS = {"XAUXAG": ("XAU", "XAG"), "XAUXPT": ("XAU", "XPT"), "XAUXPD": ("XAU", "XPD"), "XPTXPD": ("XPT", "XPD")}
FIELDS = ["bid", "ask", "mid", "spread", "metal", "currency", "unit", "tsp", "dtm", "cross_rate", "source"]
FIELDS += ["source_instrument", "purity", "purity_name", "ms"]
QUOTED = ["bid", "ask", "mid", "spread", "tsp", "dtm", "metal", "target", "unit", "purity", "cross_rate"]
A_FIXING = r"[a-z]+(, [a-z]+)*, daily fixing"
SOURCES = {
    ("sandbox", "precious"): "sandbox",
    ("sandbox", "base"): "sandbox",
    ("sources", "precious"): rf"swissquote|{A_FIXING}",
    ("sources", "base"): "lme cash via westmetall(, moved by 3-month)?",
}
MAX_AGE = timedelta(minutes=15)
DIGITS = Decimal("3e-9")
"""How far two prices of ten digits may be apart that are one, each rounded once."""


def kind(metal: str) -> str:
    return "precious" if metal in PRECIOUS else "base"


def own_unit(metal: str) -> str:
    return "oz_t" if metal in PRECIOUS else "metric_tonne"


def hours_of(metal: str) -> Hours:
    return Hours.METALS if metal in PRECIOUS else Hours.LME


def spot(metal="XAU", currency="USD", unit="", **more):
    asked = {"metal": metal, "currency": currency, "unit": unit or own_unit(metal)} | more
    return "/metals/spot?" + "&".join(f"{name}={value}" for name, value in asked.items())


def near(value, expected, within) -> bool:
    return abs(Decimal(value) / Decimal(expected) - 1) <= Decimal(within)


def check_sides(price):
    """See that the four decimals are plain, have their digits, and agree exactly."""
    for name in ("bid", "ask", "mid", "spread"):
        assert re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", price[name]), price
        assert name == "spread" or len(price[name].replace(".", "").lstrip("0")) >= 8, price
    bid, ask, mid, spread = (Decimal(price[name]) for name in ("bid", "ask", "mid", "spread"))
    assert 0 < bid <= mid <= ask, price
    assert (mid * 2, spread) == (bid + ask, ask - bid), price
    assert type(price["tsp"]) is int
    at = datetime.fromtimestamp(price["tsp"] / 1000, UTC)
    assert datetime(2026, 1, 1, tzinfo=UTC) < at < datetime.now(UTC) + timedelta(seconds=1)
    half = timedelta(milliseconds=0.5)  # a moment is rounded to its millisecond and cut to its second
    assert price["dtm"] in (f"{at - half:%Y-%m-%dT%H:%M:%SZ}", f"{at + half:%Y-%m-%dT%H:%M:%SZ}")
    assert type(price["cross_rate"]) is bool


def check_spot(world, got, metal, currency, unit):
    """See that a price has the fields that are declared, of their types, and says truly what it is."""
    price = got.json
    assert list(price) == [name for name in FIELDS if metal in PRECIOUS or not name.startswith("purity")]
    assert (price["metal"], price["currency"], price["unit"]) == (metal, currency, unit)
    check_sides(price)
    assert got.cost == (2 if price["cross_rate"] else 1)
    assert re.fullmatch(SOURCES[world.name, kind(metal)], price["source"]), price
    assert re.fullmatch(rf"{metal}/[A-Z]{{3}}", price["source_instrument"])
    assert type(price["ms"]) is int
    if not price["cross_rate"]:
        assert price["source_instrument"] == f"{metal}/{currency}"
        if price["source"] != "lme cash via westmetall":
            check_trades(price, metal)


def check_trades(price, metal):
    """See that a price is of the last quarter of an hour of trade."""
    traded = last_trading_moment(hours_of(metal), datetime.now(UTC)).as_of
    assert datetime.fromtimestamp(price["tsp"] / 1000, UTC) >= traded - MAX_AGE, (price, traded)


@pytest.fixture
def listed(world):
    """The instruments that are listed, by symbol."""
    return world.body("/metals/instruments")["instruments"]


# Lists of metals


def test_there_are_these_nine_metals_and_twelve_units(world):
    metals, units = world.body("/metals/list"), world.body("/metals/units")
    assert list(metals["metals"].items()) == list(METALS.items())
    assert (list(metals), list(units)) == (["metals", "ms"], ["units", "ms"])
    assert list(units["units"]) == list(GRAMS)
    assert all(name and name[0].isupper() for name in units["units"].values())
    assert "37.429" in units["units"]["tael"]
    assert "15.244" in units["units"]["baht"]


def test_precious_metals_have_purities_the_finest_first(world):
    answer = world.body("/metals/purities")
    assert (list(answer), list(answer["purities"])) == (["purities", "ms"], list(PRECIOUS))
    for purities in answer["purities"].values():
        assert all(list(record) == ["code", "name", "fineness"] for record in purities)
        assert all(type(text) is str and text for record in purities for text in record.values())
        finenesses = [Decimal(record["fineness"]) for record in purities]
        assert finenesses == sorted(set(finenesses), reverse=True)
        assert 1000 > finenesses[0] > finenesses[-1] > 1
        for record in purities:  # what is stamped is the fineness in three figures or four
            stamped = Decimal(record["code"]).scaleb(3 - len(record["code"]))
            assert abs(stamped - Decimal(record["fineness"])) < 1, record
    gold = {record["code"]: record["fineness"] for record in answer["purities"]["XAU"]}
    assert gold.items() >= {"9999": "999.9", "999": "999", "916": "916.7", "750": "750", "585": "585"}.items()
    assert {"958", "925"} <= {record["code"] for record in answer["purities"]["XAG"]}


def test_instruments_are_every_metal_in_dollars_what_else_is_dealt_and_four_ratios(world, listed):
    common = ["symbol", "alt", "metal", "name", "category", "target", "target_name"]
    grades = ["grade", "grade_name", "grade_min_purity_pct"]
    currencies = world.body("/currencies")["currencies"]
    assert {f"{metal}USD" for metal in METALS} <= listed.keys()
    assert [symbol for symbol, record in listed.items() if record["type"] == "ratio"] == list(RATIOS)
    for symbol, record in listed.items():
        metal, target = record["metal"], record["target"]
        is_precious, is_ratio = metal in PRECIOUS, symbol in RATIOS
        last = ["purity"] if is_precious else grades
        assert list(record) == [*common, *(() if is_ratio else ("unit", "unit_name")), "type", *last]
        assert (symbol, record["symbol"], record["alt"]) == (metal + target, metal + target, f"{metal}/{target}")
        assert (record["name"], record["category"]) == (METALS[metal], f"{kind(metal)}_metal")
        assert record["type"] == ("ratio" if is_ratio else "spot")
        assert record["target_name"] == (METALS[target] if is_ratio else currencies[target])
        assert is_ratio or record["unit"] == own_unit(metal)
        assert is_precious or target == "USD"
        assert record.get("purity") == ("1000" if is_precious else None)
        assert is_precious or 99 < record["grade_min_purity_pct"] < 100
        assert all(type(value) is str and value for name, value in record.items() if name != grades[-1])
    assert re.fullmatch(r"[a-z0-9 ,;-]+", world.body("/metals/instruments")["source"])


# Spot


@pytest.mark.parametrize("metal", METALS)
def test_a_metal_is_priced_in_any_currency_by_the_exact_weight_of_any_unit(world, listed, metal):
    for currency in CURRENCIES:
        for unit in GRAMS:
            got = world.priced(spot(metal, currency, unit))
            check_spot(world, got, metal, currency, unit)
            assert got.json["cross_rate"] == (f"{metal}{currency}" not in listed)
        own, *others = world.together(*(spot(metal, currency, unit) for unit in (own_unit(metal), *GRAMS)))
        for price, grams in zip(others, GRAMS.values(), strict=True):
            weight = Decimal(grams) / Decimal(GRAMS[own_unit(metal)])
            for side in ("bid", "ask"):
                assert near(price[side], Decimal(own[side]) * weight, DIGITS), (price, own)


def test_what_is_left_out_is_gold_in_dollars_by_the_ounce_and_base_metals_are_by_the_tonne(world):
    for query, full in {"": spot(), "?metal=XAG": spot("XAG"), "?metal=XCU&unit=": spot("XCU")}.items():
        left_out, asked = world.together(f"/metals/spot{query}", full)
        assert {**left_out, "ms": 0} == {**asked, "ms": 0}
    lower, upper = world.together("/metals/spot/?metal=xau&currency=eur&unit=GRAM", spot("XAU", "EUR", "gram"))
    assert {**lower, "ms": 0} == {**upper, "ms": 0}


@pytest.mark.parametrize("metal", PRECIOUS)
def test_a_purity_is_priced_by_its_fineness_and_one_of_ones_own_is_custom(world, metal):
    records = world.body("/metals/purities")["purities"][metal]
    known = {record["code"]: (record["name"], record["fineness"]) for record in records}
    known |= {fineness: ("custom", fineness) for fineness in ("916.67", "12.5", "1", "1000")}
    for currency in ("USD", "KRW"):
        targets = (spot(metal, currency, "gram", purity=purity) for purity in known)
        pure, *others = world.together(spot(metal, currency, "gram"), *targets)
        assert (pure["purity"], pure["purity_name"]) == ("1000", "pure")
        for price, (code, (name, fineness)) in zip(others, known.items(), strict=True):
            check_sides(price)
            assert (price["purity"], price["purity_name"]) == (code, name)
            for side in ("bid", "ask"):
                assert near(price[side], Decimal(pure[side]) * Decimal(fineness) / 1000, DIGITS), (price, pure)


def test_names_are_added_for_whoever_asks_for_them(world):
    names = {"metal_name": "Gold", "currency_name": "Euro", "unit_name": "Gram"}
    for said in ("true", "1", "yes", "y", "TRUE"):
        price = world.body(spot("XAU", "EUR", "gram", verbose=said))
        assert {name: price.get(name) for name in names} == names, said
        assert "grade" not in price
    for said in ("false", "0", "no", "maybe", ""):
        assert names.keys().isdisjoint(world.body(spot("XAU", "EUR", "gram", verbose=said))), said
    copper = world.body(spot("XCU", verbose="y", purity="999"))
    assert (copper["metal_name"], copper["grade"], copper["grade_name"]) == (
        "Copper",
        "grade_a",
        "Copper Grade A cathode",
    )
    assert copper["grade_min_purity_pct"] == 99.9935
    assert "purity" not in copper


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("metal=XXX", "[XXX]"),
        ("metal=XAU,XAG", "[XAU,XAG]"),
        ("unit=ounce", "[ounce]"),
        ("currency=BTC", "[BTC]"),
        ("currency=ZZZ", "[ZZZ]"),
        *((f"purity={purity}", f"[{purity}]") for purity in ("0", "1000.1", "1001", "abc", "24K", "-750")),
    ],
)
def test_a_wrong_parameter_of_a_spot_is_named_and_costs_nothing(world, query, says):
    got = world.ask(f"/metals/spot?{query}")
    assert (got.status, got.cost) == (400, 0)
    assert says in got.json["error"]


def test_usage_counts_exactly_what_the_answers_said_that_they_cost(world):
    targets = [spot("XAU", code, "tola") for code in CURRENCIES] + [spot("XCU"), spot("XCU", "EUR"), "/metals/list"]
    targets += ["/metals/quote?instruments=XAUUSD,XAUXAG", "/crypto/fetch-prices?pairs=BTC/USD", "/crypto/pairs"]
    targets += ["/fetch-multi?from=XAU&to=USD,EUR,JPY", "/fetch-multi?to=USD,XAU", "/fetch-one?from=XAU&to=EUR"]
    crosses = sum(world.body(spot("XAU", code))["cross_rate"] for code in ("EUR", "JPY"))
    before = sum(world.body("/usage")["usage"].values())
    costs = [world.priced(target).cost for target in targets]
    refused = [world.ask(target).status for target in ("/metals/spot?metal=XXX", "/crypto/fetch-prices?pairs=BTC")]
    after = sum(world.body("/usage")["usage"].values())
    assert refused == [400, 400]
    assert costs[-3:] == [4 + crosses, 1, 1]  # one, one for each of three targets, and one for each cross
    assert {1, 2} == set(costs[: len(CURRENCIES)])
    assert after - before == sum(costs) + 1, "and one for /usage itself"


# Independent figures


def test_gold_in_every_currency_is_gold_in_dollars_times_what_a_dollar_costs(world):
    codes = world.body("/fetch-all")["results"]
    assert len(codes) >= (130 if world.is_recorded or world.is_sandbox else 70)
    for code, unit in zip(codes, cycle(GRAMS), strict=False):
        gold, dollar, price = world.together(spot(), f"/fetch-one?to={code}", spot("XAU", code, unit))
        weight = Decimal(GRAMS[unit]) / Decimal(GRAMS["oz_t"])
        expected = Decimal(gold["mid"]) * Decimal(str(dollar["result"][code])) * weight
        assert near(price["mid"], expected, "0.01"), (price, expected)


def test_prices_are_of_this_world(world):
    slack = 10 if world.is_sandbox else 1  # a simulated market may go far in the years
    bounds = {"XAU": (1_000, 20_000), "XAG": (10, 500), "XPT": (300, 6_000), "XPD": (300, 6_000)}
    bounds |= {"XAL": (1_000, 8_000), "XCU": (2_000, 30_000), "XPB": (800, 6_000), "XZN": (1_000, 9_000)}
    for metal, (low, high) in (bounds | {"XNI": (6_000, 60_000)}).items():
        assert low / slack < float(world.body(spot(metal))["mid"]) < high * slack, metal
    ratio = world.body("/metals/quote?instruments=XAUXAG")["quotes"]["XAUXAG"]
    assert 20 / slack < float(ratio["mid"]) < 200 * slack


# Quotes


def test_ten_instruments_are_quoted_in_the_order_asked_and_an_eleventh_is_ignored(world):
    asked = ["XAUXAG", *(f"{metal}USD" for metal in METALS), "XPTXPD"]
    answer = world.body(f"/metals/quote?instruments={','.join(asked)}")
    assert list(answer) == ["quotes", "source", "warnings", "ms"]
    assert (list(answer["quotes"]), answer["warnings"]) == (asked[:10], {"ignored_instruments": ["XPTXPD"]})
    for symbol, quote in answer["quotes"].items():
        metal, is_ratio = symbol[:3], symbol in RATIOS
        absent = {"unit"} if is_ratio else set() if metal in PRECIOUS else {"purity"}
        assert list(quote) == [name for name in QUOTED if name not in absent]
        assert (quote["metal"], quote["target"]) == (metal, symbol[3:])
        assert quote.get("unit") == (None if is_ratio else own_unit(metal))
        assert quote.get("purity") == ("1000" if metal in PRECIOUS else None)
        check_sides(quote)
        if symbol == "XAUUSD":
            check_trades(quote, metal)
    sources = answer["source"].split("; ")
    assert all(any(re.fullmatch(SOURCES[world.name, each], one) for each in ("precious", "base")) for one in sources)


def test_a_quote_is_the_spot_price_of_the_pure_metals_own_unit(world, listed):
    for symbol, record in listed.items():
        if symbol not in RATIOS:
            target = spot(record["metal"], record["target"])
            price, answer = world.together(target, f"/metals/quote?instruments={symbol}&verbose=1")
            quote = answer["quotes"][symbol]
            names = ("bid", "ask", "mid", "spread", "tsp", "dtm", "cross_rate", "unit", "metal")
            assert {name: quote[name] for name in names} == {name: price[name] for name in names}
            assert quote["metal_name"] == record["name"]


def test_a_ratio_is_one_metal_over_the_other_at_their_worse_sides(world):
    dollars = [f"{metal}USD" for metal in PRECIOUS]
    quotes = world.body(f"/metals/quote?instruments={','.join(dollars)},{','.join(RATIOS)}")["quotes"]
    for symbol, (one, other) in RATIOS.items():
        ratio, above, below = quotes[symbol], quotes[f"{one}USD"], quotes[f"{other}USD"]
        assert near(ratio["bid"], Decimal(above["bid"]) / Decimal(below["ask"]), DIGITS)
        assert near(ratio["ask"], Decimal(above["ask"]) / Decimal(below["bid"]), DIGITS)
        assert ratio["tsp"] == min(above["tsp"], below["tsp"])
    way_round = [Decimal(quotes["XAUXPT"][side]) * Decimal(quotes["XPTXPD"][side]) for side in ("bid", "ask")]
    assert way_round[0] <= Decimal(quotes["XAUXPD"]["mid"]) <= way_round[1]


def test_one_bad_instrument_among_good_ones_is_named_and_the_rest_is_answered(world):
    answer = world.body("/metals/quote?instruments=%20xagusd,FOO,XAU%2FUSD,XCUEUR,,XAUUSD")
    assert list(answer["quotes"]) == ["XAGUSD", "XAUUSD"]
    assert answer["warnings"] == {"invalid_instruments": ["FOO", "XCUEUR"]}


@pytest.mark.parametrize("asked", ["FOO,XAUBTC", "XAU", "XCUEUR", ","])
def test_a_quote_without_one_good_instrument_is_refused_and_says_which(world, asked):
    got = world.ask(f"/metals/quote?instruments={asked}")
    assert (got.status, got.cost) == (400, 0)
    assert f"[{asked.replace(',', ', ') if asked != ',' else asked}]" in got.json["error"]
    assert world.ask("/metals/quote").status == 400


def test_an_instrument_that_is_too_old_for_the_client_is_named_as_unavailable(world):
    asked = [f"{metal}USD" for metal in METALS]
    target = f"/metals/quote?instruments={','.join(asked)}"
    quotes = world.body(target)["quotes"]
    ages = {symbol: datetime.now(UTC).timestamp() - quote["tsp"] / 1000 for symbol, quote in quotes.items()}
    limits = sorted(ages.values())
    young, old = max(pairwise(limits), key=lambda between: between[1] - between[0])
    if old - young > 60:  # else all of them trade now, and all are as young
        limit = int((young + old) / 2)
        answer = world.body(f"{target}&max_age=PT{limit}S")
        assert set(answer["quotes"]) == {symbol for symbol, age in ages.items() if age < limit}
        assert answer["warnings"] == {"unavailable_instruments": [one for one in asked if ages[one] > limit]}
    got = world.ask(f"{target}&max_age=PT0.0001S")
    assert (got.status, got.cost, got.json["code"]) == (503, 0, "rate_unavailable")
    assert int(got.headers["retry-after"]) > 0

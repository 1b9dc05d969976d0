"""Metals in the currency group: by the troy ounce or the tonne, and refused by the endpoints without metals."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from msgspec import structs

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.history.fixing import GRAM, Fixing
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.pricing.pair import Pair

PLANS = read_plans(default_plans(), "plans.toml")
TODAY = date(2026, 11, 20)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
AT, FIXED_AT = "2026-11-20T11:59:58Z", "2026-11-19T13:15:00Z"
WORTH = {
    "USD": "1",
    "EUR": "1.16",
    "GBP": "1.34",
    "XAU": "4000.5",
    "XAG": "50.15",
    "XPT": "1501.5",
    "XPD": "1400",
    "XAL": "2800",
    "XCU": "10801",
}
"""Midpoints in dollars: of an ounce, of a tonne."""

METALS = [code for code in WORTH if code.startswith("X")]


def worth(code):
    return 1 / Fraction({"JPY": "150.25", "PLN": "3.65"}[code]) if code in {"JPY", "PLN"} else Fraction(WORTH[code])


def answered(client, target):
    reply = client.get(target)
    assert reply.status == 200, reply.text
    return reply.json


def shown(client, target, code):
    """Give a rate as it is written."""
    reply = client.get(target)
    assert reply.status == 200, reply.text
    found = re.search(rf'"{code}":([0-9.]+)[,}}]', reply.text)
    assert found, reply.text
    return Fraction(found[1])


def is_right(got, exact):
    """Ten digits are right."""
    return abs(got - exact) <= exact / 10**9 / 2


def is_refused(reply, status, code, *fragments):
    assert (reply.status, reply.json["code"]) == (status, code), reply.text
    assert list(reply.json) == ["error", "code"]
    assert reply.headers["x-calls-cost"] == "0"
    for fragment in fragments:
        assert fragment in reply.json["error"]
    return True


# Now


@pytest.mark.parametrize("metal", METALS)
def test_a_metal_in_dollars_is_the_midpoint_of_its_spot_price(client_dealing, metal):
    mid = Fraction(answered(client_dealing, f"/metals/spot?metal={metal}")["mid"])
    assert mid == Fraction(WORTH[metal])
    assert shown(client_dealing, f"/fetch-one?from={metal}&to=USD", "USD") == mid
    assert shown(client_dealing, f"/fetch-multi?from={metal}&to=USD,EUR", "USD") == mid


@pytest.mark.parametrize("metal", METALS)
@pytest.mark.parametrize("currency", ["EUR", "GBP", "JPY", "PLN"])
def test_a_metal_in_a_currency_lies_within_its_spot_price(client_dealing, metal, currency):
    rate = shown(client_dealing, f"/fetch-one?from={metal}&to={currency}", currency)
    assert is_right(rate, worth(metal) / worth(currency))
    answer = answered(client_dealing, f"/metals/spot?metal={metal}&currency={currency}")
    assert Fraction(answer["bid"]) <= rate <= Fraction(answer["ask"])
    assert shown(client_dealing, f"/fetch-multi?from={metal}&to={currency}", currency) == rate


@pytest.mark.parametrize("one", METALS)
@pytest.mark.parametrize("other", ["USD", "EUR", "JPY", "PLN", "XAU", "XAG", "XCU"])
def test_there_and_back_is_1_within_the_digits_shown(client_dealing, one, other):
    there = shown(client_dealing, f"/fetch-one?from={one}&to={other}", other)
    back = shown(client_dealing, f"/fetch-one?from={other}&to={one}", one)
    assert is_right(there, worth(one) / worth(other))
    assert is_right(back, worth(other) / worth(one))
    assert abs(there * back - 1) <= Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("query", "base", "result", "updated"),
    [
        ("from=XAU&to=USD", "XAU", {"USD": 4000.5}, AT),
        ("from=xau", "XAU", {"USD": 4000.5}, AT),
        ("to=XAU", "USD", {"XAU": 0.0002499687539}, AT),
        ("from=XPD&to=PLN", "XPD", {"PLN": 5110}, FIXED_AT),
        ("from=EUR&to=xcu", "EUR", {"XCU": 0.0001073974632}, AT),
        ("from=XAU&to=XPD", "XAU", {"XPD": 2.8575}, FIXED_AT),
        ("from=XCU&to=XCU", "XCU", {"XCU": 1}, AT),
    ],
)
def test_one_rate_of_a_metal_is_answered_like_any_other(client_dealing, query, base, result, updated):
    answer = answered(client_dealing, f"/fetch-one?{query}")
    assert answer | {"ms": 0} == {"base": base, "result": result, "updated": updated, "ms": 0}


def test_several_targets_are_answered_in_their_order(client_dealing):
    answer = answered(client_dealing, "/fetch-multi?from=XAU&to=PLN,xag,usd,XAU,USD")
    assert list(answer) == ["base", "results", "updated", "ms"]
    assert list(answer["results"].items()) == [
        ("PLN", 14601.825),
        ("XAG", 79.77068794),
        ("USD", 4000.5),
        ("XAU", 1),
    ]
    assert (answer["base"], answer["updated"]) == ("XAU", FIXED_AT)


def test_metals_are_targets_of_a_currency_too(client_dealing):
    results = answered(client_dealing, "/fetch-multi?from=EUR&to=XAU,XCU,USD")["results"]
    assert results == {"XAU": 0.0002899637545, "XCU": 0.0001073974632, "USD": 1.16}


# What it costs


@pytest.mark.parametrize(
    ("target", "calls"),
    [
        ("/fetch-one?from=XAU&to=USD", 1),
        ("/fetch-one?from=XAU&to=JPY", 1),
        ("/fetch-one?from=JPY&to=XAG", 1),
        ("/fetch-multi?from=XAU&to=USD", 2),
        ("/fetch-multi?from=XAU&to=EUR", 2),  # XAUEUR is quoted
        ("/fetch-multi?from=XAU&to=JPY", 3),
        ("/fetch-multi?from=XAU&to=USD,EUR,JPY", 5),  # one, three targets, one cross
        ("/fetch-multi?from=xau&to=EUR,eur,,JPY", 4),
        ("/fetch-multi?from=XAU&to=XAU,XAG", 4),
        ("/fetch-multi?from=XCU&to=USD,GBP", 4),
        ("/fetch-multi?from=EUR&to=XAU,XAG,USD", 1),
        ("/fetch-multi?to=XAU", 1),
    ],
)
def test_from_a_metal_each_target_and_each_cross_is_one_call_more(client_dealing, target, calls):
    path = target.partition("?")[0]
    for asked in (1, 2):  # made, then kept
        assert client_dealing.get(target).headers["x-calls-cost"] == str(calls)
        assert client_dealing.ledger.spent_by[1, path, TODAY] == calls * asked
    assert client_dealing.get("/usage").json["usage"][str(TODAY)] == 2 * calls


def test_what_costs_more_than_remains_is_refused_whole(dealing, key):
    plans = PLANS | {"p": structs.replace(PLANS["unlimited"], name="p", calls_a_month=5)}
    client = dealing(options={"stored_keys": {digest(key): StoredKey(1, Account(1, "one", "p"))}, "plans": plans})
    reply = client.get("/fetch-multi?from=XAU&to=USD,EUR,JPY,PLN")
    assert is_refused(reply, 429, "quota_spent", "costs [7]", "[5] remain")
    assert int(reply.headers["retry-after"]) > 0
    assert client.ledger.spent(1, TODAY) == 0
    assert client.get("/fetch-multi?from=XAU&to=PLN,JPY").status == 200
    assert client.ledger.spent(1, TODAY) == 5


# What is refused


@pytest.mark.parametrize(
    ("target", "role"),
    [
        ("/fetch-all?from={}", "source"),
        ("/fetch-many-to-one?from=EUR,{}&to=USD", "source"),
        ("/fetch-many-to-one?from=EUR&to={}", "target"),
        ("/fetch-matrix?from={}&to=EUR", "source"),
        ("/fetch-matrix?from=EUR&to=USD,{}", "target"),
        ("/historical?date=2026-10-30&to={}", "target"),
        ("/historical?date=2026-10-30&from=XAU&to=USD,{}", "target"),
        ("/time-series?to={}", "target"),
    ],
)
@pytest.mark.parametrize("metal", ["XAU", "xau", "XCU"])
def test_an_endpoint_without_metals_names_those_with_metals(client_dealing, target, role, metal):
    reply = client_dealing.get(target.format(metal))
    sentence = f"Invalid/unsupported {role} currency: [{metal}], a metal"
    assert is_refused(reply, 400, "unknown_currency", sentence, "/fetch-one", "/fetch-multi", "/metals/spot")


@pytest.mark.parametrize("target", ["/fetch-one?", "/convert?amount=1&", "/explain?", "/explain?date=2026-11-18&"])
@pytest.mark.parametrize(("base", "quote"), [("BTC", "XAU"), ("XAU", "BTC"), ("xcu", "eth"), ("USDT", "XAG")])
def test_a_coin_against_a_metal_is_refused(client_dealing, target, base, quote):
    reply = client_dealing.get(f"{target}from={base}&to={quote}")
    assert is_refused(reply, 400, "bad_parameter", f"[{base.upper()}] to [{quote.upper()}]", "USD")


SIDES = ["", "USD", "EUR", "HRK", "XAU", "XAG", "XCU", "XPB", "BTC", "DOGE", "SHIB", "EUR,XAU", "EUR,BTC", "ZZZ"]
DAYS = ["2026-10-30", "1970-01-01", "2026-11-20", "2005-06-15"]


@pytest.mark.long(every=2)
@pytest.mark.parametrize("base", SIDES)
def test_any_pair_of_currencies_metals_and_coins_is_answered_or_refused(client_dealing, base):
    failed = []
    for to, day in product(SIDES, DAYS):
        for target in (
            f"/fetch-one?from={base}&to={to}",
            f"/fetch-multi?from={base}&to={to}",
            f"/fetch-many-to-one?from={base}&to={to}",
            f"/fetch-matrix?from={base}&to={to}",
            f"/convert?amount=1&from={base}&to={to}",
            f"/historical?date={day}&from={base}&to={to}",
            f"/time-series?start={day}&end={day}&from={base}&to={to}",
            f"/explain?from={base}&to={to}",
            f"/explain?date={day}&from={base}&to={to}",
        ):
            reply = client_dealing.get(target)
            is_right_shape = list(reply.json)[-1] == ("ms" if reply.status == 200 else "code")
            if reply.status not in {200, 400, 404, 503} or not is_right_shape:
                failed.append(target)
    assert failed == []


def test_metals_are_not_listed_among_currencies(client_dealing):
    assert not set(METALS) & set(answered(client_dealing, "/fetch-all")["results"])
    assert not set(METALS) & set(answered(client_dealing, "/currencies")["currencies"])


@pytest.mark.parametrize("target", ["/fetch-one?from=XPB&to=EUR", "/fetch-one?to=XPB", "/fetch-multi?to=EUR,XPB"])
def test_a_metal_without_a_price_is_503_with_retry_after(client_dealing, target):
    assert is_refused(client_dealing.get(target), 503, "rate_unavailable", "[XPB]")


@pytest.mark.parametrize(
    "target", ["/fetch-one?from=XAU&to=EUR", "/fetch-one?to=XAU", "/fetch-multi?from=XAU&to=EUR", "/fetch-multi?to=XAU"]
)
@pytest.mark.parametrize(
    ("now", "as_of", "is_served"),
    [
        (NOON, "2026-11-20T11:45:00Z", True),
        (NOON, "2026-11-20T11:44:00Z", False),
        (SATURDAY, "2026-11-20T21:59:00Z", True),
        (SATURDAY, "2026-11-20T21:44:00Z", False),
    ],
)
def test_a_metal_is_as_fresh_as_its_spot_price(dealing, quote_of, target, now, as_of, is_served):
    gold = quote_of("XAU/USD", "4000", "4001", as_of=datetime.fromisoformat(as_of))
    reply = dealing(now=now, XAU=gold).get(target)
    if is_served:
        used = as_of if "to=XAU" in target else min(as_of, AT)  # the euro's is of Friday noon
        assert (reply.status, reply.json["updated"]) == (200, used)
    else:
        assert is_refused(reply, 503, "rate_unavailable", "[XAU]", f"[{as_of}]")
        assert int(reply.headers["retry-after"]) > 0


# Days


DAY = date(2026, 11, 18)
ROUBLES_A_GRAM, ROUBLES_A_DOLLAR = "10321.50", "80"
GOLD_OF_THE_DAY = Fraction("10321.50") * Fraction("31.1034768") / 80


@pytest.fixture
def client_of_days(client_dealing):
    """A client of an image in which a bank fixed gold by the gram and copper by the tonne, on two days."""
    bank = [
        Fixing("cbr", Pair("XAU", "RUB"), DAY, Decimal(ROUBLES_A_GRAM), unit=GRAM),
        Fixing("cbr", Pair("XCU", "RUB"), DAY, Decimal(800_000)),
        *(Fixing("cbr", Pair("USD", "RUB"), DAY + timedelta(days=days), Decimal(80)) for days in (-1, 0, 1)),
        *(Fixing("cbr", Pair("EUR", "RUB"), DAY + timedelta(days=days), Decimal(100)) for days in (-1, 0, 1)),
    ]
    client_dealing.worker_state.apply_matrix(build_rate_matrix([SourceHistory("RUB", bank, "cbr")], TODAY, "a test"))
    return client_dealing


@pytest.mark.parametrize(
    ("code", "rate"),
    [("USD", GOLD_OF_THE_DAY), ("RUB", GOLD_OF_THE_DAY * 80), ("EUR", GOLD_OF_THE_DAY * 80 / 100)],
)
@pytest.mark.parametrize("day", ["2026-11-18", "2026-11-19", "2026-11-20"])
def test_a_day_prices_a_metal_by_the_ounce_and_is_carried_forward(client_of_days, code, rate, day):
    assert is_right(shown(client_of_days, f"/historical?date={day}&from=XAU&to={code}", code), rate)
    series = answered(client_of_days, f"/time-series?from=XAU&to={code}&start=2026-11-17&end=2026-11-20")
    assert list(series) == ["start", "end", "interval", "base", "results", "ms"]
    assert list(series["results"][code]) == ["2026-11-18", "2026-11-19", "2026-11-20"]
    assert is_right(Fraction(str(series["results"][code][day])), rate)


def test_a_day_prices_a_base_metal_by_the_tonne(client_of_days):
    answer = answered(client_of_days, "/historical?date=2026-11-18&from=xcu&to=USD,EUR")
    assert answer | {"ms": 0} == {
        "date": "2026-11-18",
        "base": "XCU",
        "results": {"USD": 10_000, "EUR": 8_000},
        "fixed_on": "2026-11-18",
        "carried_days": 0,
        "ms": 0,
    }


def test_without_targets_a_past_day_of_a_metal_has_all_currencies(client_of_days):
    results = answered(client_of_days, "/historical?date=2026-11-18&from=XCU")["results"]
    assert (results["USD"], results["EUR"], results["RUB"], results["AED"]) == (10_000, 8_000, 800_000, 36_725)
    assert "XAU" not in results


@pytest.mark.parametrize(
    "target",
    [
        "/historical?date=2026-11-17&from=XAU&to=USD",
        "/historical?date=2026-11-17&from=XAU",
        "/historical?date=2026-11-18&from=XAG&to=USD",
        "/time-series?from=XAU&to=USD&start=2026-11-01&end=2026-11-17",
        "/time-series?from=XPT&to=USD",
        "/explain?from=XAG&to=USD&date=2026-11-18",
        "/explain?from=XPT&to=XPT&date=2026-11-18",
    ],
)
def test_a_metal_without_a_fixing_is_404(client_of_days, target):
    assert is_refused(client_of_days.get(target), 404, "no_rate", f"[{target.partition('from=')[2][:3]}]")


def test_the_first_days_of_a_metal_do_not_change_what_a_closed_day_costs(client_of_days):
    reply = client_of_days.get("/historical?date=2026-11-18&from=XAU&to=USD")
    assert reply.headers["x-calls-cost"] == "1"
    assert "etag" in reply.headers


def test_a_day_of_a_metal_is_explained_by_its_bank(client_of_days):
    answer = answered(client_of_days, "/explain?from=XAU&to=RUB&date=2026-11-19")
    assert is_right(Fraction(str(answer["result"]["RUB"])), GOLD_OF_THE_DAY * 80)
    (gold,) = [leg for leg in answer["legs"] if "XAU" in {leg["base"], leg["quote"]}]
    assert (gold["sources"], gold["fixed_on"], gold["carried_days"]) == (["cbr"], "2026-11-18", 1)


# Why an old price stands


@pytest.mark.parametrize(
    ("metal", "now", "as_of"),
    [
        ("XAU", SATURDAY, "2026-11-20T21:59:00Z"),
        ("XCU", SATURDAY, "2026-11-20T18:59:00Z"),
        ("XCU", datetime(2026, 12, 28, 12, tzinfo=UTC), "2026-12-24T18:59:00Z"),
    ],
)
@pytest.mark.parametrize("query", ["from={}&to=USD", "from=USD&to={}", "from={}&to=PLN"])
def test_an_explanation_says_when_the_market_is_closed(dealing, quote_of, query, metal, now, as_of):
    quote = quote_of(f"{metal}/USD", "4000", "4001", "swissquote", as_of=datetime.fromisoformat(as_of))
    legs = answered(dealing(now=now, **{metal: quote}), f"/explain?{query.format(metal)}")["legs"]
    (leg,) = [leg for leg in legs if leg["base"] == metal]
    assert (leg["as_of"], leg.get("because", "")) == (as_of, "closed")


def test_an_explanation_of_a_price_in_an_open_market_has_no_reason(client_dealing):
    for metal in ("XAU", "XCU"):
        (leg,) = answered(client_dealing, f"/explain?from={metal}&to=USD")["legs"]
        assert (leg["as_of"], leg.get("because", "")) == (AT, "")


def test_a_daily_fixing_of_a_metal_is_not_called_closed(dealing):
    legs = answered(dealing(now=SATURDAY), "/explain?from=XPD&to=USD")["legs"]
    (leg,) = legs
    assert (leg["sources"], leg["through"], leg.get("because", "")) == (["nbu"], ["USD/UAH", "XPD/UAH"], "")


# By weight and purity

GRAM_OF_750 = GOLD_OF_THE_DAY / Fraction("31.1034768") * Fraction(3, 4)
PERIOD = "start=2026-11-18&end=2026-11-20"


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ("unit=gram&purity=750", Fraction(3, 4) / Fraction("31.1034768")),
        ("unit=gram", 1 / Fraction("31.1034768")),
        ("purity=916.7", Fraction("0.9167")),
        ("unit=kilogram", 1000 / Fraction("31.1034768")),
        ("unit=oz_t", Fraction(1)),
    ],
)
def test_the_history_of_a_metal_is_by_the_weight_and_purity_asked_for(client_of_days, asked, part):
    rate = GOLD_OF_THE_DAY * 80 / 100 * part
    assert is_right(shown(client_of_days, f"/historical?date=2026-11-19&from=XAU&to=EUR&{asked}", "EUR"), rate)
    series = answered(client_of_days, f"/time-series?from=XAU&to=EUR&{PERIOD}&{asked}")
    assert {is_right(Fraction(str(each)), rate) for each in series["results"]["EUR"].values()} == {True}
    (month,) = answered(client_of_days, f"/averages?from=XAU&to=EUR&{PERIOD}&{asked}")["results"]["EUR"]
    assert is_right(Fraction(str(month["mean"])), rate)
    table = client_of_days.get(f"/time-series.csv?from=XAU&to=EUR&{PERIOD}&{asked}").text.splitlines()
    assert is_right(Fraction(table[1].split(",")[3]), rate)
    table = client_of_days.get(f"/historical.csv?date=2026-11-19&from=XAU&to=EUR&{asked}").text.splitlines()
    assert is_right(Fraction(table[1].split(",")[3]), rate)


@pytest.mark.parametrize("path", ["/historical?date=2026-11-18", f"/time-series?{PERIOD}", f"/averages?{PERIOD}"])
def test_an_answer_names_the_weight_and_purity_that_were_asked_for(client_of_days, path):
    def named(query):
        answer = answered(client_of_days, f"{path}&to=EUR&{query}")
        return answer.get("unit"), answer.get("purity")

    assert named("from=XAU&unit=gram&purity=750") == ("gram", "750")
    assert named("from=XAU&purity=585") == ("oz_t", "585")
    assert named("from=XAU&unit=gram") == ("gram", "1000")
    assert named("from=XCU&unit=kilogram") == ("kilogram", None)
    assert named("from=XAU") == (None, None)


@pytest.mark.parametrize("path", ["/historical?date=2026-11-18", f"/time-series?{PERIOD}", f"/averages?{PERIOD}"])
@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("from=EUR&to=USD&unit=gram", "Invalid unit: it is that of a metal, and [from] is [EUR]"),
        ("from=EUR&to=USD&purity=750", "Invalid purity: it is that of a metal, and [from] is [EUR]"),
        ("from=XCU&to=USD&purity=750", "Invalid purity: [XCU] is sold pure"),
        ("from=XAU&to=USD&purity=2000", "Invalid purity: [2000]"),
        ("from=XAU&to=USD&unit=stone", "Invalid unit: [stone]"),
    ],
)
def test_weights_that_cannot_be_are_refused(client_of_days, path, query, part):
    assert is_refused(client_of_days.get(f"{path}&{query}"), 400, "bad_parameter", part)

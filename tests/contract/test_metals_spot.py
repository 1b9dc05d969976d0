"""`GET /metals/spot` as the API documents it, on round figures: gold at 4000.12 to 4000.88 dollars an ounce."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import digest
from cambist.pricing.metals.mass import units_with

TODAY = date(2026, 11, 20)
AT, TSP = "2026-11-20T11:59:58Z", 1795175998000
FIXED_AT, FIXED_TSP = "2026-11-19T13:15:00Z", 1795094100000
OUNCE = Fraction("31.1034768")
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
FINENESS = {
    "XAU": "9999:999.9 999 995 990 965 958:958.3 916:916.7 900 875 833:833.3 800 750 625 585 500 417:416.7 375 "
    "333:333.3",
    "XAG": "9999:999.9 999 980 958:958.4 950 925 900 835 830 800",
    "XPT": "9995:999.5 999 950 900 850 585 500",
    "XPD": "9995:999.5 999 950 500",
}
PURITIES = [(metal, *row.partition(":")[::2]) for metal, text in FINENESS.items() for row in text.split()]
SIDES = {
    "XAU": ("4000.12", "4000.88"),
    "XAG": ("50.123", "50.177"),
    "XPT": ("1500.5", "1502.5"),
    "XPD": ("1400", "1400"),
    "XAL": ("2800", "2800"),
    "XCU": ("10800", "10802"),
}
"""Dollars an ounce or a tonne."""

GOLD = {
    "bid": "4000.1200",
    "ask": "4000.8800",
    "mid": "4000.5000",
    "spread": "0.7600",
    "metal": "XAU",
    "currency": "USD",
    "unit": "oz_t",
    "tsp": TSP,
    "dtm": AT,
    "cross_rate": False,
    "source": "swissquote",
    "source_instrument": "XAU/USD",
    "purity": "1000",
    "purity_name": "pure",
    "ms": 0,
}
COPPER = {
    "bid": "10800.000",
    "ask": "10802.000",
    "mid": "10801.000",
    "spread": "2.000",
    "metal": "XCU",
    "currency": "USD",
    "unit": "metric_tonne",
    "tsp": TSP,
    "dtm": AT,
    "cross_rate": False,
    "source": "lme cash via westmetall, moved by 3-month",
    "source_instrument": "XCU/USD",
    "ms": 0,
}


def priced(client, query=""):
    reply = client.get(f"/metals/spot?{query}")
    assert reply.status == 200, reply.text
    return reply.json


def sides(metal, part=1):
    """Give bid and ask of so many ounces or tonnes, exactly."""
    return tuple(Fraction(side) * part for side in SIDES[metal])


def says(answer, bid, ask):
    """Check decimal strings against exact sides: ten digits are right, no side is better than dealt."""
    got = {name: Fraction(answer[name]) for name in ("bid", "ask", "mid", "spread")}
    assert got["mid"] == (got["bid"] + got["ask"]) / 2
    assert got["spread"] == got["ask"] - got["bid"]
    assert 0 < got["bid"] <= got["mid"] <= got["ask"]
    below, above = bid - got["bid"], got["ask"] - ask
    if bid < ask:
        assert 0 <= below < bid / 10**9
        assert 0 <= above < ask / 10**9
    else:
        assert got["bid"] == got["ask"]
        assert abs(below) <= bid / 10**9 / 2
    return is_plain(answer)


def is_plain(answer):
    for name in ("bid", "ask", "mid", "spread"):
        assert re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", answer[name]), answer[name]
        assert name == "spread" or len(answer[name].replace(".", "").lstrip("0")) >= 8, answer[name]
    return True


# What it answers


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", GOLD),
        ("metal=XAU&currency=USD&unit=oz_t", GOLD),
        ("metal=XCU", COPPER),
        ("metal=XCU&currency=USD&unit=metric_tonne", COPPER),
    ],
)
def test_it_answers_these_fields_in_this_order(client_dealing, query, expected):
    answer = priced(client_dealing, query)
    assert answer | {"ms": 0} == expected
    assert list(answer) == list(expected)


@pytest.mark.parametrize(("metal", "unit"), [(metal, "oz_t") for metal in FINENESS] + [("XAL", ""), ("XCU", "")])
def test_a_precious_metal_is_priced_by_the_troy_ounce_and_a_base_one_by_the_tonne(client_dealing, metal, unit):
    answer = priced(client_dealing, f"metal={metal}")
    assert (answer["metal"], answer["unit"]) == (metal, unit or "metric_tonne")
    assert says(answer, *sides(metal))


@pytest.mark.parametrize(
    ("query", "source", "instrument", "tsp", "is_crossed"),
    [
        ("metal=XAU", "swissquote", "XAU/USD", TSP, False),
        ("metal=XAU&currency=EUR", "swissquote", "XAU/EUR", TSP, False),
        ("metal=XAU&currency=JPY", "swissquote", "XAU/USD", TSP, True),
        ("metal=XAU&currency=PLN", "swissquote", "XAU/USD", FIXED_TSP, True),
        ("metal=XAG&currency=EUR", "swissquote", "XAG/USD", TSP, True),
        ("metal=XPD", "nbu, daily fixing", "XPD/UAH", FIXED_TSP, True),
        ("metal=XPD&currency=JPY", "nbu, daily fixing", "XPD/UAH", FIXED_TSP, True),
        ("metal=XAL", "lme cash via westmetall", "XAL/USD", FIXED_TSP, False),
        ("metal=XAL&currency=GBP", "lme cash via westmetall", "XAL/USD", FIXED_TSP, True),
        ("metal=XCU", "lme cash via westmetall, moved by 3-month", "XCU/USD", TSP, False),
        ("metal=XCU&currency=EUR", "lme cash via westmetall, moved by 3-month", "XCU/USD", TSP, True),
    ],
)
def test_the_answer_has_the_source_the_instrument_the_time_and_whether_it_is_crossed(
    client_dealing, query, source, instrument, tsp, is_crossed
):
    answer = priced(client_dealing, query)
    found = answer["source"], answer["source_instrument"], answer["tsp"], answer["cross_rate"]
    assert found == (source, instrument, tsp, is_crossed)
    assert answer["dtm"] == (AT if tsp == TSP else FIXED_AT)


@pytest.mark.parametrize("metal", ["XAU", "XCU"])
def test_the_sandbox_is_named_as_the_source(dealing, quote_of, metal):
    quote = quote_of(f"{metal}/USD", "4000", "4001", "sandbox")
    assert priced(dealing(**{metal: quote}), f"metal={metal}")["source"] == "sandbox"


@pytest.mark.parametrize(
    ("form", "dtm"),
    [
        (DatetimeFormat.ISO, AT),
        (DatetimeFormat.SPACED, "2026-11-20 11:59:58"),
        (DatetimeFormat.UNIX_MS, "1795175998000"),
    ],
)
def test_the_time_is_also_written_as_the_account_wants_it(dealing, key, form, dtm):
    stored_key = StoredKey(1, Account(1, "one", "unlimited", form))
    answer = priced(dealing(options={"stored_keys": {digest(key): stored_key}}))
    assert (answer["tsp"], answer["dtm"]) == (TSP, dtm)


@pytest.mark.parametrize(
    ("query", "calls"),
    [
        ("", 1),
        ("currency=EUR", 1),
        ("currency=JPY", 2),
        ("currency=PLN&unit=gram&purity=750", 2),
        ("metal=XPD", 2),
        ("metal=XCU&currency=GBP", 2),
    ],
)
def test_a_crossed_price_is_one_call_more(client_dealing, query, calls):
    for asked in (1, 2):  # made, then kept
        reply = client_dealing.get(f"/metals/spot?{query}")
        assert reply.headers["x-calls-cost"] == str(calls)
        assert client_dealing.ledger.spent_by[1, "/metals/spot", TODAY] == calls * asked
    assert client_dealing.get("/usage").json["usage"][str(TODAY)] == 2 * calls


# Crossing


@pytest.mark.parametrize(
    ("query", "bid", "ask", "mid", "spread"),
    [
        ("currency=EUR", "3448.1000", "3448.9000", "3448.5000", "0.8000"),
        ("currency=JPY", "600978.0288", "601172.2288", "601075.1288", "194.2000"),  # times 150.24, 150.26
        ("currency=PLN", "14600.438", "14603.212", "14601.825", "2.774"),  # times 3.65
        ("metal=XAL&currency=PLN", "10220.000", "10220.000", "10220.000", "0.000"),
        ("metal=XPD&currency=JPY", "210335.9999", "210364.0000", "210349.99995", "28.0001"),
    ],
)
def test_selected_figures_are_written_digit_by_digit(client_dealing, query, bid, ask, mid, spread):
    answer = priced(client_dealing, query)
    assert [answer[name] for name in ("bid", "ask", "mid", "spread")] == [bid, ask, mid, spread]


@pytest.mark.parametrize("metal", SIDES)
def test_a_cross_multiplies_bid_by_bid_and_ask_by_ask(client_dealing, metal):
    bid, ask = sides(metal)
    pounds = 1 / Fraction("1.3401"), 1 / Fraction("1.3399")  # for a dollar
    answer = priced(client_dealing, f"metal={metal}&currency=GBP")
    assert says(answer, bid * pounds[0], ask * pounds[1])


@pytest.mark.parametrize("metal", SIDES)
@pytest.mark.parametrize(("currency", "leg"), [("GBP", "1.3401/1.3399"), ("JPY", "150.26/150.24"), ("PLN", "1/1")])
def test_a_crossed_price_is_never_tighter_than_its_legs(client_dealing, metal, currency, leg):
    answer = priced(client_dealing, f"metal={metal}&currency={currency}")
    gap = Fraction(answer["ask"]) / Fraction(answer["bid"])
    dearer, cheaper = map(Fraction, leg.split("/"))
    assert gap >= Fraction(SIDES[metal][1]) / Fraction(SIDES[metal][0])
    assert gap >= dearer / cheaper


def test_the_time_of_a_crossed_price_is_that_of_its_older_leg(dealing, quote_of, now):
    older, newer = now - timedelta(minutes=9), now - timedelta(minutes=2)
    gold, yen = quote_of("XAU/USD", "4000", "4001", as_of=newer), quote_of("USD/JPY", "150", "151", as_of=older)
    assert priced(dealing(XAU=gold, JPY=yen), "currency=JPY")["dtm"] == "2026-11-20T11:51:00Z"
    assert priced(dealing(XAU=gold, JPY=yen))["dtm"] == "2026-11-20T11:58:00Z"


# Units


@pytest.mark.parametrize("unit", GRAMS)
@pytest.mark.parametrize(("metal", "own"), [("XAU", OUNCE), ("XAG", OUNCE), ("XPD", OUNCE), ("XCU", 1_000_000)])
def test_every_unit_is_priced_by_what_it_weighs(client_dealing, metal, own, unit):
    answer = priced(client_dealing, f"metal={metal}&unit={unit}")
    assert answer["unit"] == unit
    assert says(answer, *sides(metal, Fraction(GRAMS[unit]) / own))


@pytest.mark.parametrize(
    ("query", "bid", "ask"),
    [
        ("unit=tola", "1500.0450", "1500.3300"),  # three eighths of an ounce
        ("unit=lb_t", "48001.440", "48010.560"),  # twelve
        ("unit=pennyweight", "200.00600", "200.04400"),  # a twentieth
        ("metal=XCU&unit=lb_av", "4.898797596", "4.899704781"),  # 0.00045359237 of a tonne
        ("metal=XCU&unit=gram", "0.010800000", "0.010802000"),
    ],
)
def test_weights_of_selected_figures_are_written_digit_by_digit(client_dealing, query, bid, ask):
    answer = priced(client_dealing, query)
    assert (answer["bid"], answer["ask"]) == (bid, ask)


@pytest.mark.parametrize("query", ["metal=XAU", "metal=XAG&currency=JPY", "metal=XAU&purity=916", "metal=XCU"])
def test_a_kilogram_is_a_thousand_grams_and_a_tonne_a_thousand_kilograms(client_dealing, query):
    gram, kilogram, tonne = (
        priced(client_dealing, f"{query}&unit={unit}") for unit in ("gram", "kilogram", "metric_tonne")
    )
    for side in ("bid", "ask"):
        assert Decimal(kilogram[side]) == 1000 * Decimal(gram[side])
        assert Decimal(tonne[side]) == 1000 * Decimal(kilogram[side])


def test_an_operator_may_mean_another_tael_and_baht(dealing):
    client = dealing(units=units_with(Decimal("37.5"), Decimal("15.16")))
    for unit, grams in [("tael", "37.5"), ("baht", "15.16"), ("tola", GRAMS["tola"])]:
        answer = priced(client, f"unit={unit}&verbose=1")
        assert says(answer, *sides("XAU", Fraction(grams) / OUNCE))
        assert grams in answer["unit_name"] or unit == "tola"


# Purity


@pytest.mark.parametrize(("metal", "code", "fineness"), PURITIES)
def test_every_purity_is_priced_by_its_fineness(client_dealing, metal, code, fineness):
    answer = priced(client_dealing, f"metal={metal}&purity={code}")
    assert answer["purity"] == code
    assert answer["purity_name"] not in {"custom", "pure", ""}
    assert says(answer, *sides(metal, Fraction(fineness or code) / 1000))


@pytest.mark.parametrize(
    "fineness",
    ["916.67", "1000", "1", "1.0", "1000.000", "999.99999999999999999999", "41.66666666666666666667", "12.5", "958.3"],
)
@pytest.mark.parametrize("metal", ["XAU", "XPD"])
def test_a_fineness_of_ones_own_is_echoed_and_named_custom(client_dealing, metal, fineness):
    answer = priced(client_dealing, f"metal={metal}&purity={fineness}")
    assert (answer["purity"], answer["purity_name"]) == (fineness, "custom")
    assert says(answer, *sides(metal, Fraction(fineness) / 1000))


@pytest.mark.parametrize("metal", FINENESS)
@pytest.mark.parametrize("purity", ["", "&purity=", "&purity=%20"])
def test_without_a_purity_the_pure_metal_is_priced(client_dealing, metal, purity):
    answer = priced(client_dealing, f"metal={metal}{purity}")
    assert (answer["purity"], answer["purity_name"]) == ("1000", "pure")
    assert says(answer, *sides(metal))


def test_a_code_of_another_metal_is_a_fineness_of_ones_own(client_dealing):
    assert priced(client_dealing, "metal=XPT&purity=916")["purity_name"] == "custom"
    answer = priced(client_dealing, "metal=XAG&purity=916")
    assert says(answer, *sides("XAG", Fraction("0.916")))  # gold of that stamp is of 916.7


@pytest.mark.parametrize("purity", ["999", "0", "24K", "-1", "grade_a", "%20"])
@pytest.mark.parametrize("metal", ["XCU", "XAL"])
def test_purity_is_ignored_for_base_metals(client_dealing, metal, purity):
    answer = priced(client_dealing, f"metal={metal}&purity={purity}")
    assert {"purity", "purity_name"}.isdisjoint(answer)
    assert says(answer, *sides(metal))


def test_a_gram_of_18_carats_is_three_quarters_of_a_pure_one(client_dealing):
    pure, carats = (priced(client_dealing, f"unit=gram{purity}") for purity in ("", "&purity=750"))
    for side in ("bid", "ask"):
        assert abs(Decimal(carats[side]) / Decimal(pure[side]) - Decimal("0.75")) < Decimal("1e-9")


# Decimal strings


@pytest.mark.parametrize(
    "text", ["4000.123456789012", "4000.1", "4000", "0.123456789", "12345678901.25", "0.000012345"]
)
def test_a_price_that_is_quoted_keeps_its_digits_exactly(dealing, quote_of, text):
    dearer = str(Decimal(text) * 2)
    client = dealing(XAU=quote_of("XAU/USD", text, dearer), XAU_EUR=quote_of("XAU/EUR", text, dearer))
    for currency in ("USD", "EUR"):
        answer = priced(client, f"currency={currency}")
        assert (Decimal(answer["bid"]), Decimal(answer["ask"])) == (Decimal(text), Decimal(dearer))
        assert Decimal(answer["mid"]) == Decimal(text) * Decimal("1.5")
        assert is_plain(answer)


@pytest.mark.parametrize(
    ("query", "metal", "grams", "fx"),
    [
        ("unit=grain&currency=KWD", "XAG", "0.06479891", ("0.3065", "0.3066")),
        ("unit=grain&currency=KWD&purity=1", "XAG", "0.00006479891", ("0.3065", "0.3066")),
        ("unit=metric_tonne&currency=IRR", "XAU", "1000000", ("1300000", "1310000")),
        ("unit=metric_tonne&currency=VND", "XAU", "1000000", ("26000", "26100")),
        ("unit=metric_tonne&currency=IRR", "XAU", "1000000", ("130000000000", "131000000000")),
    ],
)
def test_very_small_and_very_large_prices_are_plain_decimals(dealing, quote_of, query, metal, grams, fx):
    code = query.partition("currency=")[2][:3]
    client = dealing(**{code: quote_of(f"USD/{code}", *fx)})
    bid, ask = sides(metal, Fraction(grams) / OUNCE)
    assert says(priced(client, f"metal={metal}&{query}"), bid * Fraction(fx[0]), ask * Fraction(fx[1]))


def test_a_price_without_a_gap_has_a_spread_of_nothing(client_dealing):
    answer = priced(client_dealing, "metal=XPD&unit=gram")
    assert answer["bid"] == answer["mid"] == answer["ask"] == "45.0110452"  # 1400 / 31.1034768
    assert Fraction(answer["spread"]) == 0

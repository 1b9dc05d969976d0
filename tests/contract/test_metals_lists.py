"""The lists of the metals group, compared with figures copied here from the API description and its sources."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from cambist.pricing.metals.mass import units_with

TODAY = date(2026, 11, 20)

METALS = {
    "XAU": "Gold",
    "XAG": "Silver",
    "XPT": "Platinum",
    "XPD": "Palladium",
    "XAL": "Aluminium",
    "XCU": "Copper",
    "XPB": "Lead",
    "XNI": "Nickel",
    "XZN": "Zinc",
}
PRECIOUS = ["XAU", "XAG", "XPT", "XPD"]

UNITS = {
    "gram": "Gram",
    "kilogram": "Kilogram",
    "metric_tonne": "Metric tonne",
    "grain": "Grain",
    "pennyweight": "Pennyweight",
    "oz_t": "Troy ounce",
    "lb_t": "Troy pound",
    "oz_av": "Avoirdupois ounce",
    "lb_av": "Avoirdupois pound",
    "tael": "Tael (37.429 g)",
    "baht": "Baht (15.244 g)",
    "tola": "Tola",
}

PURITIES = {
    "XAU": [
        ("9999", "24 carat four nines", "999.9"),
        ("999", "24 carat", "999"),
        ("995", "Good Delivery minimum", "995"),
        ("990", "Two nines", "990"),
        ("965", "Thai gold", "965"),
        ("958", "23 carat", "958.3"),
        ("916", "22 carat", "916.7"),
        ("900", "21.6 carat coin gold", "900"),
        ("875", "21 carat", "875"),
        ("833", "20 carat", "833.3"),
        ("800", "19.2 carat Portuguese gold", "800"),
        ("750", "18 carat", "750"),
        ("625", "15 carat", "625"),
        ("585", "14 carat", "585"),
        ("500", "12 carat", "500"),
        ("417", "10 carat", "416.7"),
        ("375", "9 carat", "375"),
        ("333", "8 carat", "333.3"),
    ],
    "XAG": [
        ("9999", "Four nines fine", "999.9"),
        ("999", "Fine silver", "999"),
        ("980", "Old Mexican silver", "980"),
        ("958", "Britannia silver", "958.4"),
        ("950", "French first standard", "950"),
        ("925", "Sterling silver", "925"),
        ("900", "Coin silver", "900"),
        ("835", "835 silver", "835"),
        ("830", "Scandinavian silver", "830"),
        ("800", "800 silver", "800"),
    ],
    "XPT": [
        ("9995", "Good Delivery minimum", "999.5"),
        ("999", "Three nines fine", "999"),
        ("950", "950 platinum", "950"),
        ("900", "900 platinum", "900"),
        ("850", "850 platinum", "850"),
        ("585", "585 platinum", "585"),
        ("500", "500 platinum", "500"),
    ],
    "XPD": [
        ("9995", "Good Delivery minimum", "999.5"),
        ("999", "Three nines fine", "999"),
        ("950", "950 palladium", "950"),
        ("500", "500 palladium", "500"),
    ],
}

GRADES = {
    "XAL": ("high_grade_primary", "High Grade Primary Aluminium", 99.7),
    "XCU": ("grade_a", "Copper Grade A cathode", 99.9935),
    "XPB": ("standard_lead", "Standard Lead (refined pig)", 99.97),
    "XNI": ("primary_nickel", "Primary Nickel", 99.8),
    "XZN": ("special_high_grade", "Special High Grade Zinc", 99.995),
}


def precious(metal, target, target_name):
    return {
        "symbol": metal + target,
        "alt": f"{metal}/{target}",
        "metal": metal,
        "name": METALS[metal],
        "category": "precious_metal",
        "target": target,
        "target_name": target_name,
        "unit": "oz_t",
        "unit_name": "Troy ounce",
        "type": "spot",
        "purity": "1000",
    }


def base(metal, target="USD", target_name="US Dollar"):
    grade, grade_name, least = GRADES[metal]
    return {
        "symbol": metal + target,
        "alt": f"{metal}/{target}",
        "metal": metal,
        "name": METALS[metal],
        "category": "base_metal",
        "target": target,
        "target_name": target_name,
        "unit": "metric_tonne",
        "unit_name": "Metric tonne",
        "type": "spot",
        "grade": grade,
        "grade_name": grade_name,
        "grade_min_purity_pct": least,
    }


def ratio(metal, other):
    record = precious(metal, other, METALS[other]) | {"type": "ratio"}
    return {name: value for name, value in record.items() if not name.startswith("unit")}


IN_EUROS = precious("XAU", "EUR", "Euro")
IN_DOLLARS = [precious(metal, "USD", "US Dollar") for metal in PRECIOUS] + [base(metal) for metal in GRADES]
RATIOS = [ratio("XAU", "XAG"), ratio("XAU", "XPT"), ratio("XAU", "XPD"), ratio("XPT", "XPD")]


def listed(client, name):
    reply = client.get(f"/metals/{name}")
    assert reply.status == 200, reply.text
    assert next(iter(reply.json)) == ("metals" if name == "list" else name)
    assert list(reply.json)[-1] == "ms"
    return reply.json


def instruments_of(client):
    answer = listed(client, "instruments")
    assert list(answer) == ["instruments", "source", "ms"]
    assert all(symbol == record["symbol"] for symbol, record in answer["instruments"].items())
    return list(answer["instruments"].values())


def test_the_metals_are_these_nine_in_the_order_of_the_interface(client_dealing):
    answer = listed(client_dealing, "list")
    assert list(answer) == ["metals", "ms"]
    assert list(answer["metals"].items()) == list(METALS.items())


def test_the_units_are_these_twelve_in_the_order_of_the_interface(client_dealing):
    answer = listed(client_dealing, "units")
    assert list(answer) == ["units", "ms"]
    assert list(answer["units"].items()) == list(UNITS.items())


def test_a_tael_and_a_baht_of_the_operators_say_how_many_grams_they_are(dealing):
    units = listed(dealing(units=units_with(Decimal("37.5"), Decimal("15.16"))), "units")["units"]
    assert list(units.items()) == list((UNITS | {"tael": "Tael (37.5 g)", "baht": "Baht (15.16 g)"}).items())


@pytest.mark.parametrize("metal", PURITIES)
def test_the_purities_of_a_precious_metal_are_these_the_finest_first(client_dealing, metal):
    purities = listed(client_dealing, "purities")["purities"][metal]
    assert [list(one) for one in purities] == [["code", "name", "fineness"]] * len(purities)
    assert [tuple(one.values()) for one in purities] == PURITIES[metal]
    fineness = [Decimal(one["fineness"]) for one in purities]
    assert fineness == sorted(fineness, reverse=True)


def test_base_metals_have_no_purities(client_dealing):
    answer = listed(client_dealing, "purities")
    assert list(answer) == ["purities", "ms"]
    assert list(answer["purities"]) == PRECIOUS


def test_the_instruments_are_every_metal_in_dollars_and_directly_quoted_currencies_and_the_ratios(client_dealing):
    records = instruments_of(client_dealing)
    assert records == [IN_DOLLARS[0], IN_EUROS, *IN_DOLLARS[1:], *RATIOS]
    assert [list(record) for record in records] == [
        list(record) for record in (IN_DOLLARS[0], IN_EUROS, *IN_DOLLARS[1:], *RATIOS)
    ]


def test_their_sources_are_named_once_each(client_dealing):
    assert listed(client_dealing, "instruments")["source"] == (
        "swissquote; nbu, daily fixing; lme cash via westmetall; lme cash via westmetall, moved by 3-month"
    )


def test_a_metal_is_listed_in_each_currency_in_which_it_is_quoted(dealing, quote_of):
    dealt = {name: quote_of(name.replace("_", "/"), "10", "11") for name in ("XAU_GBP", "XAU_AUD", "XCU_EUR")}
    assert instruments_of(dealing(**dealt)) == [
        IN_DOLLARS[0],
        precious("XAU", "AUD", "Australian Dollar"),
        IN_EUROS,
        precious("XAU", "GBP", "British Pound"),
        *IN_DOLLARS[1:6],
        base("XCU", "EUR", "Euro"),
        *IN_DOLLARS[6:],
        *RATIOS,
    ]


def test_other_pairs_of_metals_and_coins_are_no_instruments(dealing, quote_of):
    dealt = {name: quote_of(name.replace("_", "/"), "10", "11") for name in ("XAG_XAU", "XAU_BTC", "EUR_XAU")}
    assert instruments_of(dealing(**dealt)) == [IN_DOLLARS[0], IN_EUROS, *IN_DOLLARS[1:], *RATIOS]


def test_before_anything_is_quoted_all_in_dollars_and_the_ratios_are_listed(client):
    assert instruments_of(client) == [*IN_DOLLARS, *RATIOS]
    assert listed(client, "instruments")["source"] == "none yet"


def test_stale_instruments_stay_listed(dealing, quote_of, now):
    old = quote_of("XAU/EUR", "3448", "3449", as_of=now - timedelta(days=3))
    assert IN_EUROS in instruments_of(dealing(XAU_EUR=old))


def test_every_listed_instrument_can_be_quoted_or_is_named_as_unavailable(client_dealing):
    symbols = [record["symbol"] for record in instruments_of(client_dealing)]
    for symbol in symbols:
        reply = client_dealing.get(f"/metals/quote?instruments={symbol}")
        assert reply.status == (503 if symbol[:3] in {"XPB", "XNI", "XZN"} else 200), symbol


@pytest.mark.parametrize("name", ["list", "units", "purities", "instruments"])
def test_a_list_costs_one_call_and_has_no_parameters(client_dealing, name):
    plain = client_dealing.get(f"/metals/{name}")
    other = client_dealing.get(f"/metals/{name}/?metal=XXX&unit=ounce&verbose=true")
    assert plain.headers["x-calls-cost"] == other.headers["x-calls-cost"] == "1"
    assert plain.json | {"ms": 0} == other.json | {"ms": 0}
    assert client_dealing.ledger.spent_by[1, f"/metals/{name}", TODAY] == 2

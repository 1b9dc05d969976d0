"""The reference tables as the page gets them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from cambist.reference.assets import COINS, METALS
from cambist.reference.code_aliases import ALIASES
from cambist.reference.countries import COUNTRIES
from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS
from cambist.reference.minor_units import MINOR_UNITS
from cambist.web.reference_data import coins_json, exact, reference_json

DOCUMENT = msgspec.json.decode(reference_json())


def rows(name: str) -> list[dict[str, Any]]:
    """The records of a table that has a list for each field."""
    table = DOCUMENT[name]
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]


BY_CODE = {currency["code"]: currency for currency in rows("currencies")}


def test_everything_that_exists_is_in_it() -> None:
    assert set(BY_CODE) == set(CURRENCIES)
    assert set(msgspec.json.decode(coins_json())["code"]) == set(COINS)
    assert [metal["code"] for metal in DOCUMENT["metals"]] == list(METALS)
    assert [unit["code"] for unit in DOCUMENT["minor_units"]] == list(MINOR_UNITS)
    assert DOCUMENT["aliases"] == ALIASES


def test_a_currency_has_its_life_its_countries_and_the_law_that_ended_it() -> None:
    lev = BY_CODE["BGN"]
    assert (lev["first_day"], lev["last_day"], lev["successor"]) == ("1999-07-05", "2025-12-31", "EUR")
    assert lev["countries"] == ["Bulgaria"]
    assert [rate for rate in rows("euro_rates") if rate["code"] == "BGN"] == [
        {"code": "BGN", "rate": "1.95583", "fixed_on": "2026-01-01", "authority": "Regulation (EU) 2025/1409"}
    ]
    changes = [change for change in rows("redenominations") if change["new"] == "BGN"]
    assert [(change["old"], change["factor"]) for change in changes] == [("BGL", "1000")]


def test_every_peg_redenomination_and_euro_rate_is_in_it() -> None:
    assert len(rows("pegs")) == len(PEGS)
    assert len(rows("redenominations")) == len(REDENOMINATIONS)
    assert {rate["code"] for rate in rows("euro_rates")} == set(EURO_RATES)
    assert all(peg["authority"] for peg in rows("pegs"))


def test_only_a_code_that_was_used_again_has_its_lives_apart() -> None:
    assert BY_CODE["EUR"]["lives"] == 0
    assert len(BY_CODE["ZWL"]["lives"]) == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [("1000", "1000"), ("6.55957", "6.55957"), ("0.0005", "0.0005"), ("1/3", "1/3"), ("27/4", "6.75")],
)
def test_legal_rates_keep_all_their_digits(value: str, text: str) -> None:
    assert exact(Fraction(value)) == text


def test_circulating_currencies_have_the_countries_that_use_them() -> None:
    missing = {code for code, one in CURRENCIES.items() if one.kind == "circulating"} - set(COUNTRIES)
    assert missing == set()
    assert "Japan" in COUNTRIES["JPY"]
    assert {"Germany", "France", "Bulgaria", "Croatia"} <= set(COUNTRIES["EUR"])

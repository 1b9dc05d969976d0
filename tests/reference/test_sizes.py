"""Sizes of quotes: powers of ten, for weak currencies only, by the worth of a dollar on one day."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cambist.reference import sizes
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.sizes import SIZES, quote_size

WORTH = Path(__file__).parents[3] / "shared/payloads/fawazahmed0/usd.json"


def test_the_table_is_sorted_and_of_currencies() -> None:
    assert list(SIZES) == sorted(SIZES)
    assert SIZES.keys() <= CURRENCIES.keys()


def test_only_currencies_that_live_have_a_size() -> None:
    assert [code for code in SIZES if CURRENCIES[code].last_day] == []


@pytest.mark.parametrize(
    ("per_dollar", "size"),
    [("100", 100), ("999", 100), ("1000", 1000), ("90000", 10_000), ("100000", 100_000), ("1400000", 100_000)],
)
def test_a_size_is_the_largest_power_of_ten_within_a_dollars_worth(per_dollar: str, size: int) -> None:
    (worth,) = sizes.SIZE_TABLE.parse(f"code,per_dollar\nIRR,{per_dollar}")
    assert worth.size == size


@pytest.mark.parametrize("code", ["ARS", "AOA", "KZT", "VES", "ETB", "AMD", "LKR", "HUF", "CRC"])
def test_weak_currencies_have_a_size_whoever_deals_them(code: str) -> None:
    assert quote_size(code, "USD") >= 100


@pytest.mark.parametrize(("alias", "code"), [("HUX", "HUF"), ("BRX", "BRL"), ("CNH", "CNY"), ("VED", "VES")])
def test_another_code_of_the_same_money_has_the_same_size(alias: str, code: str) -> None:
    assert quote_size(alias, "USD") == quote_size(code, "USD")


@pytest.mark.skipif(not WORTH.exists(), reason="the recorded payloads are not beside the project")
def test_sizes_are_by_the_rule_of_the_fixed_day() -> None:
    recorded = json.loads(WORTH.read_text(encoding="utf-8"))
    assert recorded["date"] == "2026-09-29"
    worth = {code.upper(): units for code, units in recorded["usd"].items()}
    worth["SYP"] /= 100  # the source still has the pounds before 2026
    living = {code for code, currency in CURRENCIES.items() if currency.last_day is None and code in worth}
    by_rule = {code: min(100_000, 10 ** (len(str(int(worth[code]))) - 1)) for code in living if worth[code] >= 100}
    assert {code: size for code, size in SIZES.items() if code in worth} == by_rule
    assert SIZES.keys() - worth.keys() == {"HUX"}


@pytest.mark.parametrize(
    ("base", "quote", "size"),
    [
        ("EUR", "USD", 1),
        ("IRR", "USD", 100_000),
        ("USD", "IRR", 1),
        ("JPY", "USD", 100),
        ("JPY", "KRW", 1),
        ("KRW", "JPY", 10),
        ("IRR", "LBP", 10),
        ("VND", "JPY", 100),
    ],
)
def test_a_weak_base_is_quoted_by_as_many_units_as_it_is_weaker(base: str, quote: str, size: int) -> None:
    assert quote_size(base, quote) == size


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("ZZZ,100", "code"),
        ("usd,100", "code"),
        ("IRR,1", "per_dollar"),
        ("IRR,99", "per_dollar"),
        ("IRR,150.5", "per_dollar"),
        ("IRR,-100", "per_dollar"),
        ("IRR", "row"),
    ],
)
def test_a_broken_row_names_its_file_line_and_field(line: str, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^quote_sizes\.csv, line 2, {field}: "):
        sizes.SIZE_TABLE.parse(f"code,per_dollar\n{line}")


def test_a_currency_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^quote_sizes\.csv, line 3, code: "):
        sizes.SIZE_TABLE.parse("code,per_dollar\nIRR,100\nIRR,100")

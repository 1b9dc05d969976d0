"""The decimals of currencies, and rounding to them."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest

from cambist.client import minor_units, round_to_currency
from cambist.client.minor_units import _MINOR_UNITS
from cambist.reference.currency_tables import CURRENCIES


def test_they_are_those_of_the_service() -> None:
    known = {code: each.minor_units for code, each in CURRENCIES.items() if each.minor_units is not None}
    assert known == _MINOR_UNITS


@pytest.mark.parametrize(
    ("amount", "code", "rounded"),
    [
        (Decimal("19.995"), "EUR", "20.00"),
        ("19.995", "eur", "20.00"),
        (1.005, "USD", "1.01"),
        (7, "KWD", "7.000"),
        (Decimal("-0.5"), "JPY", "-1"),
        (Decimal("1E+3"), "CHF", "1000.00"),
        (Decimal("123456789012345678901234567890.5"), "JPY", "123456789012345678901234567891"),
    ],
)
def test_an_amount_is_rounded_to_its_currency(amount: Any, code: str, rounded: str) -> None:
    assert str(round_to_currency(amount, code)) == rounded


def test_another_rounding_is_possible() -> None:
    assert str(round_to_currency("2.5", "JPY", ROUND_HALF_EVEN)) == "2"


@pytest.mark.parametrize("code", ["BTC", "XAU", "ZZZ", ""])
def test_what_has_no_minor_units_is_an_error(code: str) -> None:
    with pytest.raises(ValueError, match="no currency with minor units"):
        minor_units(code)

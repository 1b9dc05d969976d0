"""Prices as scaled integers: what is kept exactly, and how close the rest is."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.metals.digits import digits_of
from cambist.pricing.scaled import MOST_DIGITS, scaled, unscaled

DECIMALS = st.builds(
    lambda digits, power: Fraction(digits) * Fraction(10) ** power, st.integers(0, 10**18 - 1), st.integers(-40, 40)
)
PRICES = st.fractions(min_value=Fraction(1, 10**30), max_value=Fraction(10**30))


def read_again(value: Fraction) -> Fraction:
    digits, power, is_exact = scaled(value)
    assert abs(digits) < 1 << 63
    assert -128 <= power < 128
    return unscaled(digits, power, is_exact=is_exact)


@given(DECIMALS)
def test_a_decimal_of_eighteen_digits_is_exact(value: Fraction) -> None:
    assert read_again(value) == value
    assert scaled(value)[2]


@given(PRICES)
def test_any_other_price_is_within_1e17_of_itself(value: Fraction) -> None:
    assert abs(read_again(value) / value - 1) <= Fraction(1, 10**17)


@given(PRICES)
def test_a_price_that_was_rounded_is_rounded_to_the_same_again(value: Fraction) -> None:
    assert scaled(read_again(value)) == scaled(value)


@given(PRICES)
def test_digits_are_counted_as_before_up_to_eighteen(value: Fraction) -> None:
    digits = digits_of(value)
    assert digits_of(read_again(value)) == (digits if digits <= MOST_DIGITS else 0)


@pytest.mark.parametrize("text", ["0", "1", "-1.5", "0.1", "1.0850", "999999999999999999", "1e30", "0.000000000123"])
def test_usual_decimals_are_exact(text: str) -> None:
    assert read_again(Fraction(Decimal(text))) == Fraction(text)


def test_a_decimal_of_nineteen_digits_is_rounded() -> None:
    assert scaled(Fraction("1.000000000000000001")) == (10**17, -17, False)

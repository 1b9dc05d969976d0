from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.fixing import GRAM, GRAMS_OF_A_TROY_OUNCE, Fixing
from cambist.pricing.pair import Pair

DAY = date(2026, 3, 6)


def test_one_unit_is_the_value_over_the_nominal() -> None:
    assert Fixing("nbp", Pair("JPY", "PLN"), DAY, Decimal("2.5069"), 100).rate == Fraction("0.025069")


def test_without_a_nominal_the_value_is_of_one_unit() -> None:
    assert Fixing("ecb", Pair("EUR", "USD"), DAY, Decimal("1.2500")).rate == Fraction("1.25")


@given(st.decimals("0.000000001", "999999999", places=9), st.sampled_from([1, 10, 100, 1000]))
def test_the_rate_is_exact(value: Decimal, nominal: int) -> None:
    assert Fixing("nbp", Pair("JPY", "PLN"), DAY, value, nominal).rate * nominal == Fraction(str(value))


def test_the_digits_published_are_kept_as_they_were() -> None:
    fixing = Fixing("ecb", Pair("EUR", "USD"), DAY, Decimal("1.2500"))
    assert str(fixing.value) == "1.2500"
    with pytest.raises(AttributeError, match="immutable"):
        fixing.value = Decimal("1.25")  # type: ignore[misc]


def test_a_metal_by_the_gram_is_priced_by_the_ounce_when_it_is_read() -> None:
    """An ounce of gold is 31.1034768 grams, not 28.35 and not 31.1."""
    gold = Fixing("cbr", Pair("XAU", "RUB"), DAY, Decimal("10321.50"), unit=GRAM)
    assert gold.rate == Fraction("321034.5357912")  # 10321.50 times 31.1034768
    assert str(gold.value) == "10321.50"


def test_a_metal_by_the_kilogram_is_a_thousand_grams() -> None:
    assert Fixing("a bank", Pair("XAG", "RUB"), DAY, Decimal(1000), 1000, GRAM).rate == GRAMS_OF_A_TROY_OUNCE


def test_without_a_unit_a_metal_is_priced_by_what_it_trades_in() -> None:
    assert Fixing("fed", Pair("XAU", "USD"), DAY, Decimal("4000.5")).rate == Fraction("4000.5")

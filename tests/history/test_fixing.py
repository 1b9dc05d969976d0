from dataclasses import FrozenInstanceError
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.fixing import Fixing
from cambist.market.pair import Pair

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
    with pytest.raises(FrozenInstanceError):
        fixing.value = Decimal("1.25")  # type: ignore[misc]

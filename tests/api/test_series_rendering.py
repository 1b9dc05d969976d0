"""Series are written with the digits that `plain_float` writes one by one."""

from __future__ import annotations

import random
from datetime import date, timedelta
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.answer.series_rendering import rates_by_day, round_to_shown_digits
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.series import Series
from cambist.pricing.number_format import TIES_UP, plain_float
from cambist.pricing.pair import Pair

DAY = date(2026, 3, 5)
EURO_YEN = Pair("EUR", "JPY")
RATES = st.floats(min_value=1e-12, max_value=1e14)
DECIMALS = st.builds(lambda units, places: units / 10**places, st.integers(1, 10**12), st.integers(0, 12))


def written(values: list[float], first_day: date = DAY) -> str:
    return rates_by_day(Series(EURO_YEN, first_day, np.array(values))).decode()


def one_by_one(values: list[float]) -> str:
    days = [(DAY + timedelta(days=offset), value) for offset, value in enumerate(values)]
    return "{" + ",".join(f'"{day}":{plain_float(value)}' for day, value in days if not isnan(value)) + "}"


def in_ten_digits(values: np.ndarray) -> list[float]:
    return [float(f"{value:.10g}") for value in values.tolist()]


@given(st.lists(RATES | DECIMALS | st.just(nan), min_size=1).filter(lambda values: not all(map(isnan, values))))
def test_a_series_is_written_as_its_rates_one_by_one(values: list[float]) -> None:
    assert written(values) == one_by_one(values)


@pytest.mark.parametrize(
    "values",
    [
        [5.0], [150.0, 150.5, 151.0], [1.0, 1.05, 10.0, 100.0], [0.1, 0.2], [9.9999999999, 1.0], [999999999.99999],
        [1e-5, 1.00000000001e-5], [99999.99999499999], [1e9, 2.5], [0.00012345678905], [1.00000000005, 1.5],
    ],
)  # fmt: skip
def test_round_numbers_and_powers_of_ten_are_written_alike(values: list[float]) -> None:
    assert written(values) == one_by_one(values)


def test_the_first_and_the_last_day_of_all_are_written() -> None:
    assert written([1.5], FIRST_DAY) == '{"1970-01-01":1.5}'
    assert written([1.5], date(2100, 12, 31)) == '{"2100-12-31":1.5}'


@pytest.mark.parametrize("least", [1e-5, 0.001, 0.1, 1, 17, 12345, 1e8])
def test_a_column_is_rounded_as_each_of_its_numbers(least: float) -> None:
    draw = random.Random(int(1 / least + least))  # noqa: S311  not cryptography
    values = np.array([least * 10 ** draw.random() for _ in range(20_000)]) * TIES_UP
    assert round_to_shown_digits(values).tolist() == in_ten_digits(values)


@pytest.mark.parametrize("scale", [1, 1e3, 1e6, 1e9])
def test_halves_are_rounded_by_their_exact_digits(scale: float) -> None:
    """Every number is half a unit of its tenth digit away from the next, give or take a few float64."""
    draw = random.Random(int(scale))  # noqa: S311  not cryptography
    halves = [(draw.randrange(10**9, 10**10) + 0.5) / 1e9 / scale * 1e4 for _ in range(5_000)]
    values = np.array([half * (1 + draw.randrange(-3, 4) * 2.0**-53) for half in halves])
    assert round_to_shown_digits(values).tolist() == in_ten_digits(values)


def test_numbers_within_one_decade_are_rounded_alike() -> None:
    values = np.array([1.0, 1.23456789012, 9.87654321098, 9.99999999994, 9.99999999996])
    assert round_to_shown_digits(values, in_one_decade=True).tolist() == in_ten_digits(values)

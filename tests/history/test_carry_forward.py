"""Carrying fixings forward: fourteen days, over cuts in the new unit, and how old each cell is."""

from collections.abc import Mapping
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.carry_forward import NEVER, UnitChange, carry_forward

# Powers of two: a cut multiplies them exactly.
FIXED = st.dictionaries(st.integers(-30, 70), st.integers(-8, 8).map(lambda power: 2.0**power), max_size=12)
CUTS = st.lists(st.tuples(st.integers(-5, 65), st.sampled_from([0.25, 0.5, 4.0])), max_size=3)


def carried(fixed: Mapping[int, float], days: int, *cuts: UnitChange) -> tuple[list[float], list[int | None]]:
    """The cells, and how many days each was carried."""
    rows, values = np.array([*fixed], np.int64), np.array([*fixed.values()], np.float64)
    cells, ages = carry_forward(rows, values, days, cuts)
    assert (cells.dtype, ages.dtype) == (np.float64, np.int16)
    return cells.tolist(), [None if age == NEVER else age for age in ages.tolist()]


@given(FIXED, st.integers(1, 60), CUTS)
def test_nothing_is_ever_carried_more_than_fourteen_days(
    fixed: dict[int, float], days: int, cuts: list[UnitChange]
) -> None:
    cells, ages = carried(fixed, days, *cuts)
    assert len(cells) == len(ages) == days
    for row, (cell, age) in enumerate(zip(cells, ages, strict=True)):
        assert isnan(cell) is (age is None)
        if age is None:
            assert fixed.keys().isdisjoint(range(row - 14, row + 1))
        else:
            assert 0 <= age <= 14
            assert row - age == max(day for day in fixed if day <= row)


@given(FIXED, st.integers(1, 60), CUTS)
def test_a_cell_is_what_was_fixed_times_the_cuts_since(
    fixed: dict[int, float], days: int, cuts: list[UnitChange]
) -> None:
    cells, ages = carried(fixed, days, *cuts)
    for row, (cell, age) in enumerate(zip(cells, ages, strict=True)):
        if age is not None:
            expected = fixed[row - age]
            for cut_row, factor in cuts:
                expected *= factor if row - age < cut_row <= row else 1
            assert cell == expected


def test_each_cell_has_the_number_of_days_that_it_was_carried() -> None:
    cells, ages = carried({1: 10.0, 4: 20.0}, 6)
    assert isnan(cells[0])
    assert cells[1:] == [10.0, 10.0, 10.0, 20.0, 20.0]
    assert ages == [None, 0, 1, 2, 0, 1]


def test_the_fourteenth_day_is_the_last() -> None:
    cells, ages = carried({0: 10.0}, 16)
    assert ages == [*range(15), None]
    assert isnan(cells[15])


@pytest.mark.parametrize(("row", "there"), [(-1, 14), (-3, 12), (-14, 1), (-15, 0)])
def test_a_fixing_of_before_the_first_row_is_carried_into_it(row: int, there: int) -> None:
    cells, ages = carried({row: 10.0}, 20)
    assert [cell for cell in cells if not isnan(cell)] == [10.0] * there
    assert ages[:there] == list(range(-row, -row + there))


def test_a_fixing_that_is_carried_over_a_cut_is_expressed_in_the_new_unit() -> None:
    cells, ages = carried({0: 4_181_000.0}, 4, (2, 1e-6))
    assert cells == pytest.approx([4_181_000.0, 4_181_000.0, 4.181, 4.181])
    assert ages == [0, 1, 2, 3]


def test_what_is_fixed_on_the_day_of_a_cut_or_after_it_is_in_the_new_unit_already() -> None:
    assert carried({0: 100.0, 2: 1.5}, 4, (2, 0.01))[0] == [100.0, 100.0, 1.5, 1.5]
    assert carried({0: 100.0, 3: 1.5}, 4, (2, 0.01))[0] == [100.0, 100.0, 1.0, 1.5]


def test_cuts_outside_the_rows_change_nothing_within_them() -> None:
    assert carried({0: 100.0}, 2, (-400, 0.5), (2, 0.25), (900, 0.5))[0] == [100.0, 100.0]


def test_a_fixing_of_before_the_first_row_is_carried_over_a_cut_too() -> None:
    assert carried({-3: 100.0}, 1, (-1, 0.01))[0] == [1.0]
    assert carried({-3: 100.0}, 1, (0, 0.01))[0] == [1.0]
    assert carried({-3: 100.0}, 1, (-3, 0.01))[0] == [100.0]


def test_a_rate_that_is_no_number_is_carried_as_none() -> None:
    cells, ages = carried({0: nan}, 2)
    assert all(map(isnan, cells))
    assert ages == [None, None]

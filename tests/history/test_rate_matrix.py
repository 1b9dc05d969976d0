from array import array
from dataclasses import replace
from datetime import date, timedelta
from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix

FIRST = date(2026, 3, 5)
MATRIX = RateMatrix(
    revision="a test",
    first_day=FIRST,
    last_fixing=date(2026, 3, 6),
    codes=("EUR", "JPY", "USD"),
    listed_sets=((0, 2), (0, 1, 2), ()),
    listed_set_of_day=array("H", [0, 1, 0, 2]),
    cells=memoryview(array("d", [0.8, nan, 1, 0.9, 150, 1, 0.7, nan, 1, nan, nan, nan])),
)


@pytest.mark.parametrize(
    ("day", "code", "cell"),
    [
        (date(2026, 3, 5), "EUR", 0.8),
        (date(2026, 3, 6), "EUR", 0.9),
        (date(2026, 3, 6), "JPY", 150),
        (date(2026, 3, 7), "USD", 1),
    ],
)
def test_a_cell_is_found_by_day_and_code(day: date, code: str, cell: float) -> None:
    assert MATRIX.cell(day, code) == cell


@pytest.mark.parametrize(
    ("day", "code"),
    [
        (date(2026, 3, 5), "JPY"),
        (date(2026, 3, 4), "USD"),
        (date(2026, 3, 9), "USD"),
        (date(2026, 3, 6), "XXX"),
    ],
)
def test_there_is_nothing_where_no_cell_is(day: date, code: str) -> None:
    assert isnan(MATRIX.cell(day, code))


VOICED = replace(
    MATRIX,
    sources=("ecb", "boj"),
    source_indexes=memoryview(bytes([0, NOBODY, NOBODY, BY_LAW, 1, NOBODY, 0, NOBODY, NOBODY, *[NOBODY] * 3])),
    ages=memoryview(bytes([0, 255, 0, 1, 3, 0, 14, 255, 0, 255, 255, 255])),
)


@pytest.mark.parametrize(
    ("day", "code", "source_index"),
    [
        (date(2026, 3, 5), "EUR", (0, 0)),
        (date(2026, 3, 6), "EUR", (BY_LAW, 1)),
        (date(2026, 3, 6), "JPY", (1, 3)),
        (date(2026, 3, 7), "EUR", (0, 14)),
        (date(2026, 3, 7), "USD", (NOBODY, 0)),
        (date(2026, 3, 8), "JPY", (NOBODY, 255)),
    ],
)
def test_a_cell_has_a_source_index_and_an_age(day: date, code: str, source_index: tuple[int, int]) -> None:
    assert VOICED.source_and_age(day, code) == source_index


@pytest.mark.parametrize(
    ("day", "code"), [(date(2026, 3, 4), "EUR"), (date(2026, 3, 9), "EUR"), (date(2026, 3, 6), "XXX")]
)
def test_a_missing_cell_has_no_source(day: date, code: str) -> None:
    assert VOICED.source_and_age(day, code) == (NOBODY, 0)


def test_a_rate_matrix_without_source_indexes_has_no_sources() -> None:
    assert MATRIX.source_and_age(date(2026, 3, 6), "EUR") == (NOBODY, 0)


def test_nobody_and_the_law_are_no_places_among_the_sources() -> None:
    assert (NOBODY, BY_LAW) == (254, 255)


def test_the_real_rate_matrix_has_source_indexes(real_matrix: RateMatrix) -> None:
    """The last fixing is of Friday 2026-10-30; the lev was fixed by the bank itself until its end."""
    assert real_matrix.sources == ("ecb",)
    assert real_matrix.source_and_age(date(2026, 10, 30), "JPY") == (0, 0)
    assert real_matrix.source_and_age(date(2026, 11, 1), "JPY") == (0, 2)
    assert real_matrix.source_and_age(date(2025, 12, 31), "BGN") == (0, 0)
    assert real_matrix.source_and_age(date(2026, 1, 1), "BGN") == (BY_LAW, 1)
    assert real_matrix.source_and_age(date(2022, 12, 31), "HRK") == (0, 1)
    assert real_matrix.source_and_age(date(2023, 1, 1), "HRK") == (BY_LAW, 2)
    assert real_matrix.source_and_age(date(2026, 11, 1), "XOF") == (BY_LAW, 2)
    assert real_matrix.source_and_age(date(2026, 11, 1), "AED") == (BY_LAW, 0)
    assert real_matrix.source_and_age(date(2026, 11, 1), "USD") == (NOBODY, 0)
    assert real_matrix.source_and_age(date(2022, 3, 16), "RUB")[0] == NOBODY


def test_in_the_real_rate_matrix_no_value_is_more_than_two_weeks_old(real_matrix: RateMatrix) -> None:
    spoken = zip(real_matrix.source_indexes, real_matrix.ages, real_matrix.cells, strict=True)
    assert {(age <= 14, isnan(cell)) for source_index, age, cell in spoken if source_index == 0} == {(True, False)}


def test_the_rate_matrix_has_a_last_day() -> None:
    assert MATRIX.last_day == date(2026, 3, 8)


@given(st.integers(-5, 9))
def test_it_has_the_days_from_its_first_to_its_last(offset: int) -> None:
    day = FIRST + timedelta(days=offset)
    assert MATRIX.has(day) is (FIRST <= day <= MATRIX.last_day)
    assert MATRIX.row(day) == offset


def test_a_span_runs_from_the_first_value_to_the_last_that_was_fixed_and_not_to_days_ahead() -> None:
    assert MATRIX.span("EUR") == (date(2026, 3, 5), date(2026, 3, 6))
    assert MATRIX.span("JPY") == (date(2026, 3, 6), date(2026, 3, 6))


def test_a_code_that_is_not_there_has_no_span() -> None:
    assert MATRIX.span("XXX") is None


def test_the_real_rate_matrix_reaches_from_1970_past_its_last_fixing(real_matrix: RateMatrix) -> None:
    assert real_matrix.first_day == date(1970, 1, 1)
    assert real_matrix.last_fixing == date(2026, 10, 30)
    assert real_matrix.last_day > real_matrix.last_fixing + timedelta(days=365)
    assert len(real_matrix.cells) == len(real_matrix.listed_set_of_day) * len(real_matrix.codes)


def test_the_real_euro_spans_from_its_first_fixing_to_its_last_though_it_is_carried_on(real_matrix: RateMatrix) -> None:
    assert real_matrix.span("EUR") == (date(1999, 1, 4), date(2026, 10, 30))
    assert real_matrix.span("DEM") == (date(1999, 1, 4), date(2026, 10, 30))
    assert real_matrix.span("RUB") == (date(2005, 4, 1), date(2022, 3, 1))
    assert real_matrix.span("CSK") is None


def test_codes_are_in_order_and_columns_follow_them(real_matrix: RateMatrix) -> None:
    assert list(real_matrix.codes) == sorted(set(real_matrix.codes))
    assert all(real_matrix.codes[column] == code for code, column in real_matrix.columns.items())
    assert len(real_matrix.columns) == len(real_matrix.codes)

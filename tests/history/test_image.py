from array import array
from datetime import date, timedelta
from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.image import RateImage

FIRST = date(2026, 3, 5)
IMAGE = RateImage(
    revision="a test",
    first_day=FIRST,
    last_fixing=date(2026, 3, 6),
    codes=("EUR", "JPY", "USD"),
    eras=((0, 2), (0, 1, 2), ()),
    era_of_day=array("H", [0, 1, 0, 2]),
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
    assert IMAGE.cell(day, code) == cell


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
    assert isnan(IMAGE.cell(day, code))


def test_the_image_knows_its_last_day() -> None:
    assert IMAGE.last_day == date(2026, 3, 8)


@given(st.integers(-5, 9))
def test_it_has_the_days_from_its_first_to_its_last(offset: int) -> None:
    day = FIRST + timedelta(days=offset)
    assert IMAGE.has(day) is (FIRST <= day <= IMAGE.last_day)
    assert IMAGE.row(day) == offset


def test_a_span_runs_from_the_first_value_to_the_last() -> None:
    assert IMAGE.span("EUR") == (date(2026, 3, 5), date(2026, 3, 7))
    assert IMAGE.span("JPY") == (date(2026, 3, 6), date(2026, 3, 6))


def test_a_code_that_is_not_there_has_no_span() -> None:
    assert IMAGE.span("XXX") is None


def test_the_real_image_reaches_from_1970_past_its_last_fixing(real_image: RateImage) -> None:
    assert real_image.first_day == date(1970, 1, 1)
    assert real_image.last_fixing == date(2026, 10, 30)
    assert real_image.last_day > real_image.last_fixing + timedelta(days=365)
    assert len(real_image.cells) == len(real_image.era_of_day) * len(real_image.codes)


def test_the_real_euro_reads_from_its_first_fixing_until_two_weeks_after_its_last(real_image: RateImage) -> None:
    assert real_image.span("EUR") == (date(1999, 1, 4), date(2026, 11, 13))
    assert real_image.span("DEM") == (date(1999, 1, 4), date(2026, 11, 13))
    assert real_image.span("RUB") == (date(2005, 4, 1), date(2022, 3, 15))
    assert real_image.span("CSK") is None


def test_codes_are_in_order_and_columns_follow_them(real_image: RateImage) -> None:
    assert list(real_image.codes) == sorted(set(real_image.codes))
    assert all(real_image.codes[column] == code for code, column in real_image.columns.items())
    assert len(real_image.columns) == len(real_image.codes)

from array import array
from datetime import date, timedelta
from math import isnan, nan

import pytest

from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import Series, read_series
from cambist.pricing.pair import Pair

FIRST, LAST = date(2026, 3, 5), date(2026, 3, 8)
MATRIX = RateMatrix(
    revision="a test",
    first_day=FIRST,
    last_fixing=LAST,
    codes=("EUR", "JPY", "USD"),
    listed_sets=((0, 1, 2),),
    listed_set_of_day=array("H", [0, 0, 0, 0]),
    cells=memoryview(array("d", [0.5, nan, 1, 0.5, 150, 1, 0.25, 160, 1, nan, 170, 1])),
)
EURO_YEN = Pair("EUR", "JPY")


def by_day(series: Series) -> dict[date, float]:
    return {series.first_day + timedelta(days=offset): value for offset, value in enumerate(series.values)}


def test_a_series_has_every_calendar_day_and_nan_where_there_is_no_rate() -> None:
    series = read_series(MATRIX, EURO_YEN, FIRST, LAST)
    assert series.values[1:3].tolist() == [300, 640]
    assert isnan(series.values[0])
    assert isnan(series.values[3])


def test_both_ends_are_inclusive() -> None:
    series = read_series(MATRIX, Pair("EUR", "USD"), date(2026, 3, 6), date(2026, 3, 7))
    assert series.values.tolist() == [2, 4]
    assert series.first_day == date(2026, 3, 6)


def test_the_base_is_what_is_worth_so_many_of_the_quote() -> None:
    assert read_series(MATRIX, Pair("USD", "JPY"), LAST, LAST).values.tolist() == [170]
    assert read_series(MATRIX, Pair("JPY", "USD"), LAST, LAST).values.tolist() == [1 / 170]


def test_a_series_is_cut_to_the_days_of_the_rate_matrix() -> None:
    series = read_series(MATRIX, Pair("USD", "JPY"), date(1900, 1, 1), date(2100, 1, 1))
    assert (series.first_day, len(series.values)) == (FIRST, 4)


@pytest.mark.parametrize(
    ("pair", "start", "end"),
    [
        (EURO_YEN, FIRST, FIRST),
        (EURO_YEN, LAST, LAST),
        (EURO_YEN, date(2026, 3, 1), date(2026, 3, 4)),
        (EURO_YEN, date(2026, 3, 9), date(2026, 3, 12)),
        (Pair("EUR", "XXX"), FIRST, LAST),
        (Pair("XXX", "EUR"), FIRST, LAST),
    ],
)
def test_a_series_without_any_rate_is_refused_with_its_pair_and_days(pair: Pair, start: date, end: date) -> None:
    with pytest.raises(NoRate, match=rf"\[{pair.base}\] to \[{pair.quote}\] between \[{start}\] and \[{end}\]"):
        read_series(MATRIX, pair, start, end)


def test_one_day_with_a_rate_is_enough() -> None:
    assert read_series(MATRIX, EURO_YEN, FIRST, date(2026, 3, 6)).values[-1] == 300


def test_a_real_year_has_all_its_days_and_carries_its_weekends(real_matrix: RateMatrix) -> None:
    series = read_series(real_matrix, Pair("EUR", "USD"), date(2025, 1, 1), date(2025, 12, 31))
    assert len(series.values) == 365
    assert not any(map(isnan, series.values))
    values = by_day(series)
    saturdays = [day for day in values if day.weekday() == 5]
    assert all(values[day] == values[day - timedelta(days=1)] for day in saturdays)


def test_a_real_series_begins_with_the_first_fixing(real_matrix: RateMatrix) -> None:
    series = read_series(real_matrix, Pair("EUR", "USD"), date(1999, 1, 1), date(1999, 1, 4))
    assert list(map(isnan, series.values)) == [True, True, True, False]

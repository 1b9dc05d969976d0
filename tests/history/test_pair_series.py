"""Lines: fixings of one pair as arrays."""

from datetime import date
from decimal import Decimal

import pytest

from cambist.history.fixing import GRAM, Fixing
from cambist.history.pair_series import PairSeries, pair_series_of
from cambist.pricing.pair import Pair

EURO, YEN, GOLD = Pair("EUR", "USD"), Pair("JPY", "PLN"), Pair("XAU", "RUB")


def fixing(pair: Pair, day: date, value: str, nominal: int = 1, unit: str = "") -> Fixing:
    return Fixing("a source", pair, day, Decimal(value), nominal, unit)


def by_pair(*fixings: Fixing) -> dict[Pair, dict[int, float]]:
    return {
        line.pair: dict(zip(line.rows.tolist(), line.rates.tolist(), strict=True))
        for line in pair_series_of(iter(fixings))
    }


def test_fixings_are_gathered_by_pair_and_their_days_counted_from_1970() -> None:
    found = by_pair(
        fixing(EURO, date(1970, 1, 2), "1.25"),
        fixing(YEN, date(1970, 2, 1), "0.025"),
        fixing(EURO, date(1969, 12, 31), "1.20"),
    )
    assert found == {EURO: {1: 1.25, -1: 1.2}, YEN: {31: 0.025}}


def test_a_pair_and_its_inverse_are_two_lines_and_neither_is_turned() -> None:
    day = date(1970, 1, 1)
    assert by_pair(fixing(EURO, day, "1.25"), fixing(EURO.inverse, day, "0.8")) == {
        EURO: {0: 1.25},
        EURO.inverse: {0: 0.8},
    }


def test_a_rate_is_of_one_unit() -> None:
    assert by_pair(fixing(YEN, date(1970, 1, 1), "2.5", 100)) == {YEN: {0: 0.025}}


def test_a_metal_by_the_gram_becomes_one_by_the_ounce() -> None:
    found = by_pair(fixing(GOLD, date(1970, 1, 1), "10000", unit=GRAM), fixing(GOLD, date(1970, 1, 2), "20", 2, GRAM))
    assert found[GOLD] == {0: pytest.approx(311_034.768), 1: pytest.approx(311.034768)}


def test_the_last_fixing_of_a_day_counts() -> None:
    assert by_pair(fixing(EURO, date(1970, 1, 1), "1.20"), fixing(EURO, date(1970, 1, 1), "1.25")) == {EURO: {0: 1.25}}


def test_of_nothing_there_are_no_lines() -> None:
    assert list(pair_series_of([])) == []


def test_a_line_is_of_whole_rows_and_double_floats() -> None:
    (line,) = pair_series_of([fixing(EURO, date(1970, 1, 1), "1.25")])
    assert isinstance(line, PairSeries)
    assert (str(line.rows.dtype), str(line.rates.dtype)) == ("int64", "float64")

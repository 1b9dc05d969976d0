"""One source's rates in units per pivot, on both sides of a redenomination of its anchor."""

from datetime import date
from decimal import Decimal

import pytest

from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries, pair_series_of
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_history import SourceHistory
from cambist.history.source_rates import read_source_rates
from cambist.pricing.pair import Pair

LAST_OLD, FIRST_NEW = date(2004, 12, 31), date(2005, 1, 3)
PUBLISHED = (
    ("USD/TRL", LAST_OLD, "1342100"),
    ("EUR/TRL", LAST_OLD, "1826800"),
    ("USD/TRY", FIRST_NEW, "1.3363"),
    ("EUR/TRY", FIRST_NEW, "1.8233"),
)
LINES = {
    series.pair: series
    for series in pair_series_of(
        Fixing("tcmb", Pair(*pair.split("/")), day, Decimal(value)) for pair, day, value in PUBLISHED
    )
}


def by_day(code: str) -> dict[date, float]:
    found = SourceHistory("TRY", LINES.values()).line(code)
    assert found is not None
    return {date.fromordinal(FIRST_DAY.toordinal() + int(row)): float(units) for row, units in zip(*found, strict=True)}


def test_a_currency_is_crossed_through_the_code_that_the_anchor_had_on_the_day() -> None:
    assert by_day("EUR") == {
        LAST_OLD: pytest.approx(1342100 / 1826800),
        FIRST_NEW: pytest.approx(1.3363 / 1.8233),
    }


def test_each_code_of_the_anchor_has_its_own_days() -> None:
    assert by_day("TRL") == {LAST_OLD: pytest.approx(1342100)}
    assert by_day("TRY") == {FIRST_NEW: pytest.approx(1.3363)}


def test_the_series_in_the_old_code_are_read_with_those_in_the_new_one() -> None:
    def read(wanted: object, _first: date, _last: date) -> list[tuple[str, PairSeries]]:
        assert callable(wanted)
        return [("tcmb", series) for pair, series in LINES.items() if wanted("tcmb", pair)]

    rates = read_source_rates(read, {"tcmb": "TRY"}, ["EUR"], LAST_OLD, FIRST_NEW)
    assert set(rates.lines["tcmb"]) == set(LINES)
    (carried,) = rates.of("EUR")
    assert carried.ages.tolist() == [0, 1, 2, 0]

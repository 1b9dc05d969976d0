import csv
import io
import random
import zipfile
from array import array
from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from cambist.errors import NoRate
from cambist.history.as_of import CARRY_DAYS, listed_rates, rates_on
from cambist.history.carry_forward import carry_forward
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import Series, read_series
from cambist.pricing.number_format import plain, plain_float
from cambist.pricing.pair import Pair
from cambist.reference.currency_tables import CURRENCIES

DAYS = 60
FRIDAY, SUNDAY = date(2026, 10, 23), date(2026, 10, 25)
RATES = st.floats(min_value=0.001, max_value=1000)
FIXED = st.dictionaries(st.integers(0, DAYS + 20), RATES, min_size=1, max_size=12)


def shown(matrix: RateMatrix, day: date, base: str, quote: str) -> str:
    return plain_float(rates_on(matrix, day, base, [quote]).values[0])


def by_day(series: Series) -> dict[date, float]:
    return {series.first_day + timedelta(days=offset): value for offset, value in enumerate(series.values)}


def carried(fixed: Mapping[int, float], days: int) -> list[float]:
    cells, _ = carry_forward(np.array([*fixed], np.int64), np.array([*fixed.values()], np.float64), days)
    return [*map(float, cells)]


# Carrying forward


@given(FIXED, st.integers(1, DAYS))
def test_each_day_reads_the_last_fixing_of_the_two_weeks_up_to_it(fixed: dict[int, float], days: int) -> None:
    assume(min(fixed) < days)
    cells = carried(fixed, days)
    assert len(cells) == days
    for row, cell in enumerate(cells):
        near = [earlier for earlier in fixed if row - CARRY_DAYS <= earlier <= row]
        assert cell == fixed[max(near)] if near else isnan(cell)


def test_a_fixing_is_carried_fourteen_days_exactly_and_nothing_after() -> None:
    cells = carried({3: 1.5}, 30)
    assert [row for row, cell in enumerate(cells) if not isnan(cell)] == list(range(3, 3 + 14 + 1))


def test_a_fixing_is_carried_up_to_the_next_one() -> None:
    assert carried({0: 1.0, 3: 2.0}, 5) == [1.0, 1.0, 1.0, 2.0, 2.0]


def test_fixings_need_not_come_in_order() -> None:
    assert carried({3: 2.0, 0: 1.0}, 5) == carried({0: 1.0, 3: 2.0}, 5)


def test_days_past_the_end_are_left_alone() -> None:
    assert carried({1: 1.0, 7: 2.0}, 3)[1:] == [1.0, 1.0]


@pytest.mark.parametrize("fixed", [{}, {7: 1.0}])
def test_where_nothing_was_fixed_nothing_is_read(fixed: dict[int, float]) -> None:
    cells = carried(fixed, 5)
    assert len(cells) == 5
    assert all(map(isnan, cells))


def test_a_fixing_before_the_first_row_moves_no_other_day() -> None:
    assert len(carried({-3: 1.0}, 5)) == 5


# One day of the real history, by name


@pytest.mark.long
@pytest.mark.parametrize(
    ("day", "base", "quote", "written"),
    [
        (date(2026, 10, 30), "EUR", "USD", "1.1172"),
        (date(2026, 10, 30), "USD", "JPY", "157.2502685"),
        (date(2026, 10, 30), "IDR", "EUR", "0.00004932141136"),
        (date(2026, 10, 30), "USD", "AED", "3.6725"),
        (date(2026, 10, 30), "EUR", "XOF", "655.957"),
        (date(1999, 1, 4), "EUR", "USD", "1.1789"),
        (date(1999, 1, 1), "USD", "LTL", "4"),
        (date(2002, 1, 31), "EUR", "LTL", "3.4538"),
        (date(2022, 12, 30), "EUR", "HRK", "7.5365"),
        (date(2022, 12, 31), "EUR", "HRK", "7.5365"),
        (date(2023, 1, 1), "EUR", "HRK", "7.5345"),
        (date(2026, 10, 30), "EUR", "HRK", "7.5345"),
        (date(2025, 12, 31), "EUR", "BGN", "1.9558"),
        (date(2026, 1, 1), "EUR", "BGN", "1.95583"),
    ],
)
def test_a_day_reads_what_is_known_of_it(
    real_matrix: RateMatrix, day: date, base: str, quote: str, written: str
) -> None:
    assert shown(real_matrix, day, base, quote) == written


@pytest.mark.long
def test_marks_and_francs_are_worth_the_same_on_every_day_of_2001(real_matrix: RateMatrix) -> None:
    exact = plain(Fraction("6.55957") / Fraction("1.95583"))
    days = [date(2001, 1, 1) + timedelta(days=offset) for offset in range(365)]
    assert {shown(real_matrix, day, "DEM", "FRF") for day in days} == {exact}


@pytest.mark.long
def test_a_sunday_reads_fridays_fixing_alone_and_in_a_series(real_matrix: RateMatrix) -> None:
    pair = Pair("EUR", "USD")
    friday = rates_on(real_matrix, FRIDAY, pair.base, [pair.quote]).values
    assert rates_on(real_matrix, SUNDAY, pair.base, [pair.quote]).values == friday
    week = by_day(read_series(real_matrix, pair, FRIDAY, SUNDAY + timedelta(days=1)))
    assert [week[SUNDAY]] == [week[FRIDAY]] == friday
    assert week[SUNDAY + timedelta(days=1)] != week[SUNDAY]


def test_the_rouble_reads_until_two_weeks_after_its_last_fixing_and_not_a_day_more(real_matrix: RateMatrix) -> None:
    assert shown(real_matrix, date(2022, 3, 15), "EUR", "RUB") == "117.201"
    with pytest.raises(NoRate, match=r"\[RUB\] has rates from 2005-04-01 to 2022-03-01"):
        rates_on(real_matrix, date(2022, 3, 16), "EUR", ["RUB"])


# The ECB's own file, read here without any of our code


@pytest.fixture(scope="module")
def ecb_table(bundled: bytes) -> Mapping[tuple[date, str], str]:
    with zipfile.ZipFile(io.BytesIO(bundled)) as archive:
        text = archive.read(archive.namelist()[0]).decode()
    header, *rows = csv.reader(io.StringIO(text))
    return {
        (date.fromisoformat(row[0]), code): cell
        for row in rows
        for code, cell in zip(header[1:], row[1:], strict=True)
        if cell not in {"", "N/A"}
    }


def test_three_hundred_cells_are_what_the_ecb_published(
    real_matrix: RateMatrix, ecb_table: Mapping[tuple[date, str], str]
) -> None:
    for day, code in random.Random(1999).sample(sorted(ecb_table), 300):  # noqa: S311  it draws samples, not secrets
        published = Fraction(ecb_table[day, code])
        assert shown(real_matrix, day, "EUR", code) == plain(published), (day, code)
        assert shown(real_matrix, day, code, "EUR") == plain(1 / published), (day, code)


# The same through every door


@settings(deadline=None)
@example(base="PEI", quote="PEN", day=date(2000, 1, 1))  # fixed by law, and not in the matrix
@given(
    base=st.sampled_from(sorted(CURRENCIES)),
    quote=st.sampled_from(sorted(CURRENCIES)),
    day=st.dates(date(1998, 12, 1), date(2027, 1, 31)),
)
def test_a_day_reads_the_same_through_every_function(real_matrix: RateMatrix, base: str, quote: str, day: date) -> None:
    try:
        alone = rates_on(real_matrix, day, base, [quote]).values[0]
    except NoRate:
        with pytest.raises(NoRate):
            read_series(real_matrix, Pair(base, quote), day, day)
        with pytest.raises(NoRate):
            _listed(real_matrix, day, base, quote)
        return
    around = read_series(real_matrix, Pair(base, quote), day - timedelta(days=3), day + timedelta(days=3))
    assert read_series(real_matrix, Pair(base, quote), day, day).values == [alone]
    assert by_day(around)[day] == alone
    if quote == base:
        return  # a day that lists nothing else lists nothing
    if CURRENCIES[quote].lives_on(day):
        assert _listed(real_matrix, day, base, quote) == alone
    else:
        with pytest.raises(NoRate):
            _listed(real_matrix, day, base, quote)


def _listed(matrix: RateMatrix, day: date, base: str, quote: str) -> float:
    listed = listed_rates(matrix, day, base)
    if quote not in listed.codes:
        raise NoRate
    return dict(zip(listed.codes, listed.values, strict=True))[quote]


# What a day lists


def test_a_day_lists_by_code_what_lives_and_has_a_rate(real_matrix: RateMatrix) -> None:
    codes = listed_rates(real_matrix, date(2026, 10, 30), "EUR").codes
    assert list(codes) == sorted(codes)
    assert {"EUR", "USD", "JPY", "AED", "XOF"} <= set(codes)
    assert {"DEM", "HRK", "BGN", "RUB"}.isdisjoint(codes)


def test_what_a_day_lists_holds_its_base_at_one(real_matrix: RateMatrix) -> None:
    listed = listed_rates(real_matrix, date(2026, 10, 30), "EUR")
    assert dict(zip(listed.codes, listed.values, strict=True))["EUR"] == 1


def test_an_ended_currency_may_still_be_the_base(real_matrix: RateMatrix) -> None:
    listed = listed_rates(real_matrix, date(2026, 10, 30), "DEM")
    assert plain_float(dict(zip(listed.codes, listed.values, strict=True))["DEM"]) == "1"
    assert "FRF" not in listed.codes
    assert plain_float(dict(zip(listed.codes, listed.values, strict=True))["EUR"]) == plain(1 / Fraction("1.95583"))


@pytest.mark.parametrize("day", [date(1969, 12, 31), date(1998, 12, 31), date(2026, 11, 14), date(2099, 1, 1)])
def test_a_day_without_rates_says_so(real_matrix: RateMatrix, day: date) -> None:
    with pytest.raises(NoRate, match=str(day)):
        listed_rates(real_matrix, day, "JPY")
    with pytest.raises(NoRate, match=str(day)):
        rates_on(real_matrix, day, "EUR", ["USD", "JPY"])


def listing(*codes: str) -> RateMatrix:
    """Make an image of one day, with marks and dollars, that lists so many of them."""
    columns = tuple(("DEM", "USD").index(code) for code in codes)
    return RateMatrix("a test", FRIDAY, FRIDAY, ("DEM", "USD"), (columns,), [0], memoryview(array("d", [2.0, 1.0])))


def test_a_day_may_list_a_single_currency_beside_the_base() -> None:
    listed = listed_rates(listing("USD"), FRIDAY, "DEM")
    assert (listed.codes, listed.values) == (("DEM", "USD"), [1, 0.5])


@pytest.mark.parametrize("codes", [("USD",), ()])
def test_a_day_that_lists_nothing_but_the_base_has_no_rates(codes: tuple[str, ...]) -> None:
    with pytest.raises(NoRate, match="USD"):
        listed_rates(listing(*codes), FRIDAY, "USD")


def test_on_day_keeps_the_order_asked_and_leaves_out_what_has_no_rate(real_matrix: RateMatrix) -> None:
    rates = rates_on(real_matrix, date(2026, 10, 30), "EUR", ["USD", "RUB", "CSK", "JPY", "EUR"])
    assert rates.codes == ("USD", "JPY", "EUR")
    assert [plain_float(value) for value in rates.values] == ["1.1172", "175.68", "1"]


def test_a_missing_rate_names_both_codes_and_how_far_the_history_reaches(real_matrix: RateMatrix) -> None:
    with pytest.raises(NoRate, match=r"\[EUR\] to \[RUB\] on \[2026-10-30\].* 2005-04-01 to 2022-03-01"):
        rates_on(real_matrix, date(2026, 10, 30), "EUR", ["RUB"])
    with pytest.raises(NoRate, match=r"from \[RUB\] to \[EUR\] on \[2026-10-30\].* 2005-04-01 to 2022-03-01"):
        rates_on(real_matrix, date(2026, 10, 30), "RUB", ["EUR"])

"""Closed days against a library of calendars and the exchange's own prices, and what a broken row is told."""

import csv
import subprocess
import sys
from datetime import date, datetime, timedelta
from importlib import resources
from pathlib import Path

import holidays
import pytest

from cambist.reference import closures
from cambist.reference.closures import CLOSURES

FILE = resources.files("cambist.reference").joinpath("closures.csv").read_text(encoding="utf-8")
HEADER = "market,day,name"
YEARS = range(2008, 2041)
OPEN_BANK_HOLIDAYS = {date(2022, 9, 19): "the funeral of Elizabeth II: the exchange gave its prices"}
HOLES = {date(2014, 5, 19): "the series has prices of zero"}
COPPER = Path(__file__).parents[3] / "shared/history/lme_copper_cash_3m_stock_2008_2025_westmetall.csv"


@pytest.mark.parametrize("year", YEARS)
def test_base_metals_close_on_the_bank_holidays_of_england_on_weekdays(year: int) -> None:
    england = holidays.country_holidays("GB", subdiv="ENG", years=year)
    closed = {day for day in england if day.weekday() < 5} - OPEN_BANK_HOLIDAYS.keys()
    assert {day for day in CLOSURES["lme"] if day.year == year} == closed


@pytest.mark.long
@pytest.mark.skipif(not COPPER.exists(), reason="the long series are not here")
def test_base_metals_had_a_price_on_every_weekday_but_the_closures() -> None:
    rows = csv.reader(COPPER.read_text(encoding="utf-8").splitlines()[1:])
    priced = {datetime.strptime(day, "%m/%d/%Y").date() for day, cash, *_ in rows if cash != "0"}  # noqa: DTZ007
    days = [min(priced) + timedelta(days=n) for n in range((max(priced) - min(priced)).days + 1)]
    closed = {day for day in days if day.weekday() < 5 and day not in priced} - HOLES.keys()
    assert closed == {day for day in CLOSURES["lme"] if min(priced) <= day <= max(priced)}


@pytest.mark.parametrize("year", YEARS)
def test_currencies_close_on_christmas_and_new_years_day(year: int) -> None:
    days = {date(year, 1, 1), date(year, 12, 25)}
    assert {day for day in CLOSURES["currencies"] if day.year == year} == {day for day in days if day.weekday() < 5}


@pytest.mark.parametrize("year", YEARS)
def test_precious_metals_close_on_good_friday_too_and_keep_a_sunday_on_monday(year: int) -> None:
    kept = {day + timedelta(days=day.weekday() == 6) for day in (date(year, 1, 1), date(year, 12, 25))}
    good_friday = holidays.country_holidays("GB", subdiv="ENG", years=year).get_named("Good Friday")
    days = {day for day in kept if day.weekday() < 5} | set(good_friday)
    assert {day for day in CLOSURES["metals"] if day.year == year} == days


@pytest.mark.parametrize("market", ["metals", "lme"])
def test_there_are_none_of_other_years(market: str) -> None:
    assert {day.year for day in CLOSURES[market]} == set(YEARS)


@pytest.mark.parametrize(
    "day",
    [
        "2011-04-29",  # a wedding
        "2012-06-05",  # a jubilee
        "2016-12-27",  # instead of a Sunday
        "2020-05-08",  # put off by four days
        "2022-06-03",  # a jubilee
        "2023-05-08",  # a coronation
        "2026-12-28",  # instead of a Saturday
    ],
)
def test_closures_outside_the_rules_are_closed_too(day: str) -> None:
    assert date.fromisoformat(day) in CLOSURES["lme"]


@pytest.mark.parametrize("day", ["2020-05-04", "2022-05-30", "2022-09-19", "2026-12-24", "2026-07-03"])
def test_days_that_only_look_like_holidays_are_open(day: str) -> None:
    assert date.fromisoformat(day) not in CLOSURES["lme"]


def test_the_rows_are_sorted() -> None:
    rows = [(row["market"], row["day"]) for row in csv.DictReader(FILE.splitlines())]
    assert rows == sorted(rows)
    assert len(rows) == sum(map(len, CLOSURES.values()))


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("nyse,2026-12-25,Christmas Day", "market"),
        (",2026-12-25,Christmas Day", "market"),
        ("lme,2026-02-30,Leap Day", "day"),
        ("lme,25.12.2026,Christmas Day", "day"),
        ("lme,2026-12-26,Boxing Day", "day"),
        ("lme,2026-12-27,Boxing Day", "day"),
        ("lme,2026-12-25,", "name"),
        ("lme,2026-12-25", "row"),
        ("lme,2026-12-25,Christmas Day,1", "row"),
    ],
)
def test_a_broken_row_names_its_file_line_and_field(line: str, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^closures\.csv, line 3, {field}: "):
        closures.CLOSURE_TABLE.parse(f"{HEADER}\nlme,2026-04-03,Good Friday\n{line}")


def test_a_day_that_stands_twice_is_a_broken_row() -> None:
    with pytest.raises(ValueError, match=r"^closures\.csv, line 3, day: lme 2026-12-25 stands here twice$"):
        closures.CLOSURE_TABLE.parse(f"{HEADER}\nlme,2026-12-25,Christmas Day\nlme,2026-12-25,Christmas")


def test_another_header_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^closures\.csv, line 1, header: "):
        closures.CLOSURE_TABLE.parse("market,day")


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        CLOSURES["lme"] = frozenset()  # type: ignore[index]


def test_reading_it_needs_no_library_of_calendars() -> None:
    """Every worker reads it, and the library would cost each of them 20 MB."""
    script = "import sys, cambist.pricing.trading_hours; sys.exit('holidays' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

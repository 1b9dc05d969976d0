"""The London Metal Exchange's closed days against a library of calendars, and what a broken row is told."""

import csv
import subprocess
import sys
from datetime import date
from importlib import resources

import holidays
import pytest

from cambist.reference import closures
from cambist.reference.closures import CLOSURES

FILE = resources.files("cambist.reference").joinpath("closures.csv").read_text(encoding="utf-8")
HEADER = "market,day,name"
YEARS = range(2008, 2041)


@pytest.mark.parametrize("year", YEARS)
def test_a_years_closures_are_the_bank_holidays_of_england_on_weekdays(year: int) -> None:
    england = holidays.country_holidays("GB", subdiv="ENG", years=year)
    assert {day for day in CLOSURES["lme"] if day.year == year} == {day for day in england if day.weekday() < 5}


def test_there_are_none_of_other_years() -> None:
    assert {day.year for day in CLOSURES["lme"]} == set(YEARS)


@pytest.mark.parametrize(
    "day",
    [
        "2011-04-29",  # a wedding
        "2012-06-05",  # a jubilee
        "2016-12-27",  # instead of a Sunday
        "2020-05-08",  # put off by four days
        "2022-06-03",  # a jubilee
        "2022-09-19",  # a funeral
        "2023-05-08",  # a coronation
        "2026-12-28",  # instead of a Saturday
    ],
)
def test_days_that_no_rule_gives_are_closed_too(day: str) -> None:
    assert date.fromisoformat(day) in CLOSURES["lme"]


@pytest.mark.parametrize("day", ["2020-05-04", "2022-05-30", "2026-12-24", "2026-07-03"])
def test_days_that_only_look_like_holidays_are_open(day: str) -> None:
    assert date.fromisoformat(day) not in CLOSURES["lme"]


def test_the_rows_are_sorted() -> None:
    rows = [(row["market"], row["day"]) for row in csv.DictReader(FILE.splitlines())]
    assert rows == sorted(rows)
    assert len(rows) == len(CLOSURES["lme"])


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
        closures._closures(f"{HEADER}\nlme,2026-04-03,Good Friday\n{line}")


def test_a_day_that_stands_twice_is_a_broken_row() -> None:
    with pytest.raises(ValueError, match=r"^closures\.csv, line 3, day: 2026-12-25 of lme stands here twice$"):
        closures._closures(f"{HEADER}\nlme,2026-12-25,Christmas Day\nlme,2026-12-25,Christmas")


def test_another_header_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^closures\.csv, line 1, header: "):
        closures._closures("market,day")


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        CLOSURES["lme"] = frozenset()  # type: ignore[index]


def test_reading_it_needs_no_library_of_calendars() -> None:
    """Every worker reads it, and the library would cost each of them 20 MB."""
    script = "import sys, cambist.market.hours; sys.exit('holidays' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

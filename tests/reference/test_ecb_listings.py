from __future__ import annotations

import csv
import io
import zipfile
from datetime import date, timedelta

import pytest

from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.ecb_listings import ECB_LISTING_TABLE, ECB_LISTINGS, easter_sunday, target_days


@pytest.fixture(scope="module")
def history(bundled):
    """The real file of the ECB, newest day first."""
    with zipfile.ZipFile(io.BytesIO(bundled)) as archive:
        return list(csv.DictReader(io.TextIOWrapper(archive.open("eurofxref-hist.csv"), encoding="ascii")))


def test_the_days_are_those_of_the_real_file(history):
    days = [date.fromisoformat(row["Date"]) for row in reversed(history)]
    assert list(target_days(date(1990, 1, 1), days[-1])) == days


def test_the_currencies_and_their_periods_are_those_of_the_real_file(history):
    assert [code for code in history[0] if code not in {"Date", ""}] == list(ECB_LISTINGS)
    for row in history:
        day = date.fromisoformat(row["Date"])
        listed = {code for code, lives in ECB_LISTINGS.items() if any(life.holds(day) for life in lives)}
        assert {code for code in ECB_LISTINGS if row[code] != "N/A"} == listed, day


def test_every_listed_currency_is_known():
    assert set(ECB_LISTINGS) <= set(CURRENCIES)


@pytest.mark.parametrize(
    "sunday",
    ["1999-04-04", "2000-04-23", "2008-03-23", "2011-04-24", "2027-03-28", "2038-04-25", "2076-04-19", "2285-03-22"],
)
def test_easter_is_on_the_sunday_of_the_calendar(sunday):
    day = date.fromisoformat(sunday)
    assert easter_sunday(day.year) == day


def test_the_days_of_2027_leave_out_weekends_and_six_holidays():
    days = set(target_days(date(2027, 1, 1), date(2027, 12, 31)))
    weekdays = {date(2027, 1, 1) + timedelta(days=offset) for offset in range(365)}
    closed = {str(day) for day in weekdays - days if day.weekday() < 5}
    assert closed == {"2027-01-01", "2027-03-26", "2027-03-29"}


def test_a_listing_that_ends_before_it_begins_is_refused():
    with pytest.raises(ValueError, match="last_day: 2000-01-01 is before 2001-01-01"):
        ECB_LISTING_TABLE.parse("code,first_day,last_day\nUSD,2001-01-01,2000-01-01\n")

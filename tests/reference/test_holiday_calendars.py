"""The names of calendars: those that the package `holidays` lists, without importing the calendars of all countries."""

import subprocess
import sys

import holidays

from cambist.reference.holiday_calendars import is_calendar


def test_calendars_are_those_of_the_package() -> None:
    listed = {**holidays.list_supported_countries(), **holidays.list_supported_financial()}

    assert all(map(is_calendar, listed))
    assert not is_calendar("XYZ")
    assert not is_calendar("")


def test_to_check_a_name_imports_no_calendar_of_a_country() -> None:
    code = (
        "import sys; from cambist.reference.holiday_calendars import is_calendar; assert is_calendar('NO');"
        " assert 'holidays.countries.norway' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

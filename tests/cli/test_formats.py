"""Formats of values in the output of commands."""

from datetime import timedelta

import pytest

from cambist.cli.formats import format_age


@pytest.mark.parametrize(
    ("age", "text"),
    [
        (timedelta(milliseconds=20), "0.0s"),
        (timedelta(seconds=12.39), "12.3s"),
        (timedelta(seconds=59.99), "59.9s"),
        (timedelta(minutes=1), "1min"),
        (timedelta(minutes=59, seconds=59), "59min"),
        (timedelta(hours=1), "1h"),
        (timedelta(hours=47, minutes=59), "47h"),
        (timedelta(days=2), "2d"),
        (timedelta(seconds=1966026.1), "22d"),
        (timedelta(days=400, hours=23), "400d"),
        (timedelta(seconds=-5), "0.0s"),
    ],
)
def test_an_age_is_written_in_its_largest_unit(age: timedelta, text: str) -> None:
    assert format_age(age) == text

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.api.faces.dialects.ecb_sdmx.periods import FREQUENCIES, bounds, period_days, period_of
from cambist.errors import BadParameter

DAYS = st.dates(min_value=date(1999, 1, 4), max_value=date(2099, 12, 31))


@given(st.sampled_from(list(FREQUENCIES)), DAYS)
def test_a_period_is_read_back_as_the_days_that_it_was_written_for(frequency, day):
    first, last = bounds(frequency, day)
    assert first <= day <= last
    assert period_days("startPeriod", period_of(frequency, day)) == (first, last)
    assert period_of(frequency, first) == period_of(frequency, last)
    assert period_of(frequency, last + timedelta(days=1)) != period_of(frequency, day)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", "2024-01-01", "2024-12-31"),
        ("2024-S2", "2024-07-01", "2024-12-31"),
        ("2024-Q1", "2024-01-01", "2024-03-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2024-W01", "2024-01-01", "2024-01-07"),
        ("2024-02-29", "2024-02-29", "2024-02-29"),
        ("9999", "9999-01-01", "9999-12-31"),
        ("2024-02-29T12:30:00Z", "2024-02-29", "2024-02-29"),
    ],
)
def test_all_kinds_of_periods_are_read(text, first, last):
    assert tuple(map(str, period_days("startPeriod", text))) == (first, last)


@pytest.mark.parametrize("text", ["", "24", "2024-13", "2024-02-30", "2024-Q5", "2024-S3", "2024-W54", "now", "0000"])
def test_what_is_no_period_is_refused_with_what_is_allowed(text):
    with pytest.raises(BadParameter, match=r"Invalid endPeriod: .*, use YYYY"):
        period_days("endPeriod", text)

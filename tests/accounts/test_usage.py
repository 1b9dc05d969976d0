from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.accounts.quota import Period, period_of
from cambist.accounts.usage import usage_record

TODAY = date(2026, 3, 10)
PERIOD = Period(date(2026, 3, 1), date(2026, 3, 31))
DAYS = st.dates(date(1999, 1, 1), date(2030, 12, 31))


def calls(**by_day: int) -> Counter[date]:
    """Calls by day, given as `d2026_03_10=5`; other days have none."""
    return Counter({date.fromisoformat(day[1:].replace("_", "-")): count for day, count in by_day.items()})


@given(today=DAYS, anchor=st.integers(1, 31))
def test_it_shows_exactly_fifteen_days_oldest_first_ending_today(today: date, anchor: int) -> None:
    record = usage_record(lambda _: 0, 100, period_of(anchor, today), today)
    assert list(record.by_day) == [today - timedelta(days=back) for back in range(14, -1, -1)]


def test_days_without_a_call_are_shown_as_zero() -> None:
    record = usage_record(calls(d2026_03_10=7, d2026_03_08=2).__getitem__, 100, PERIOD, TODAY)
    assert list(record.by_day.values()) == [0] * 12 + [2, 0, 7]


def test_the_days_shown_reach_into_former_periods_and_their_sum_does_not() -> None:
    spent = calls(d2026_02_24=100, d2026_02_28=50, d2026_03_01=7, d2026_03_10=3)
    record = usage_record(spent.__getitem__, 1000, PERIOD, TODAY)
    assert record.by_day[date(2026, 2, 24)] == 100
    assert record.by_day[date(2026, 2, 28)] == 50
    assert record.used == 10


def test_the_day_before_those_shown_is_not_shown() -> None:
    record = usage_record(calls(d2026_02_23=9, d2026_02_24=1).__getitem__, 1000, PERIOD, TODAY)
    assert sum(record.by_day.values()) == 1


def test_the_period_is_added_up_from_its_start_also_where_that_is_not_shown() -> None:
    today = date(2026, 3, 31)
    spent = calls(d2026_03_01=1, d2026_03_02=2, d2026_03_31=4, d2026_02_28=100)
    record = usage_record(spent.__getitem__, 1000, PERIOD, today)
    assert (record.used, sum(record.by_day.values())) == (7, 4)


def test_on_the_first_day_of_a_period_only_that_day_counts() -> None:
    record = usage_record(calls(d2026_02_28=8, d2026_03_01=3).__getitem__, 10, PERIOD, PERIOD.start)
    assert (record.used, record.remaining) == (3, 7)


def test_what_is_counted_on_a_day_to_come_is_summed_and_not_shown() -> None:
    record = usage_record(calls(d2026_03_11=5).__getitem__, 10, PERIOD, TODAY)
    assert (record.used, sum(record.by_day.values())) == (5, 0)


@pytest.mark.parametrize(("quota", "used", "left"), [(100, 0, 100), (100, 99, 1), (100, 100, 0), (100, 130, 0)])
def test_what_remains_is_the_quota_less_what_was_used_and_never_below_nothing(quota: int, used: int, left: int) -> None:
    record = usage_record(calls(d2026_03_10=used).__getitem__, quota, PERIOD, TODAY)
    assert (record.quota, record.used, record.remaining) == (quota, used, left)


def test_without_a_quota_both_are_none_whatever_was_used() -> None:
    record = usage_record(calls(d2026_03_10=5).__getitem__, None, PERIOD, TODAY)
    assert (record.quota, record.remaining, record.used) == (None, None, 5)


def test_a_quota_of_nothing_is_not_the_same_as_none() -> None:
    record = usage_record(lambda _: 0, 0, PERIOD, TODAY)
    assert (record.quota, record.remaining) == (0, 0)


@given(
    today=DAYS,
    anchor=st.integers(1, 31),
    spent=st.dictionaries(st.integers(0, 60), st.integers(0, 10**6), max_size=30),
)
def test_used_is_the_sum_of_the_days_from_the_periods_start_to_today(
    today: date, anchor: int, spent: dict[int, int]
) -> None:
    by_day = Counter({today - timedelta(days=back): count for back, count in spent.items()})
    period = period_of(anchor, today)
    record = usage_record(by_day.__getitem__, 10**9, period, today)
    assert record.period == period
    assert record.used == sum(count for day, count in by_day.items() if period.start <= day <= today)
    assert record.remaining == 10**9 - record.used

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cambist.accounts.account import Account
from cambist.accounts.plan import Plan
from cambist.accounts.quota import NO_QUOTA, Period, period_of, quota_of, seconds_to_end, spread_anchor_day

ANCHORS = st.integers(1, 31)
DAYS = st.dates(date(1970, 1, 1), date(2200, 12, 31))
DAY = timedelta(days=1)
NOVEMBER = Period(date(2026, 11, 1), date(2026, 11, 30))


def plan(calls: int | None) -> Plan:
    return Plan(name="gold", calls_a_month=calls, tags=("admin",))


@pytest.mark.parametrize(
    ("anchor", "day", "start", "end"),
    [
        (1, "2026-11-20", "2026-11-01", "2026-11-30"),
        (20, "2026-11-20", "2026-11-20", "2026-12-19"),
        (21, "2026-11-20", "2026-10-21", "2026-11-20"),
        (15, "2026-01-03", "2025-12-15", "2026-01-14"),
        (31, "2026-01-31", "2026-01-31", "2026-02-27"),
        (31, "2026-02-27", "2026-01-31", "2026-02-27"),
        (31, "2026-02-28", "2026-02-28", "2026-03-30"),
        (31, "2026-03-31", "2026-03-31", "2026-04-29"),
        (31, "2026-04-30", "2026-04-30", "2026-05-30"),
        (29, "2024-02-29", "2024-02-29", "2024-03-28"),
        (29, "2023-02-28", "2023-02-28", "2023-03-28"),
        (31, "2025-12-31", "2025-12-31", "2026-01-30"),
    ],
)
def test_a_period_begins_on_the_anchor_day_or_a_shorter_months_last(
    anchor: int, day: str, start: str, end: str
) -> None:
    expected = Period(date.fromisoformat(start), date.fromisoformat(end))
    assert period_of(anchor, date.fromisoformat(day)) == expected


@given(ANCHORS, DAYS)
@example(31, date(2024, 2, 29))
@example(30, date(2023, 2, 28))
def test_every_day_lies_in_its_own_period(anchor: int, day: date) -> None:
    period = period_of(anchor, day)
    assert period.start <= day <= period.end
    assert 28 <= (period.end - period.start).days + 1 <= 31


@given(ANCHORS, DAYS)
@example(31, date(2024, 2, 29))
@example(29, date(2023, 2, 28))
def test_periods_tile_time_without_gap_or_overlap(anchor: int, day: date) -> None:
    period = period_of(anchor, day)
    days = [period.start + offset * DAY for offset in range((period.end - period.start).days + 1)]
    assert {period_of(anchor, each) for each in days} == {period}
    assert period_of(anchor, period.end + DAY).start == period.end + DAY
    assert period_of(anchor, period.start - DAY).end == period.start - DAY


@given(DAYS)
def test_periods_anchored_on_the_first_are_the_months(day: date) -> None:
    period = period_of(1, day)
    assert {(day.year, day.month)} == {(end.year, end.month) for end in (period.start, period.end)}
    assert (period.end + DAY).day == 1


def test_a_quota_is_what_the_plan_gives_and_what_was_bought_for_the_period() -> None:
    bought = ((date(2026, 10, 1), 1), (date(2026, 11, 1), 20), (date(2026, 11, 1), 300))
    assert quota_of(plan(5000), Account(1, "acme", "gold", bought=bought), NOVEMBER) == 5320


def test_a_plan_of_no_calls_has_those_that_were_bought() -> None:
    account = Account(1, "acme", "gold", bought=((date(2026, 11, 1), 20),))
    assert quota_of(plan(0), account, NOVEMBER) == 20


def test_a_plan_without_a_quota_has_none_whatever_was_bought() -> None:
    account = Account(1, "acme", "gold", bought=((date(2026, 11, 1), 20),))
    assert quota_of(plan(None), account, NOVEMBER) is None


def test_no_quota_is_the_largest_number_that_a_float_keeps_exact() -> None:
    assert NO_QUOTA == 2**53 - 1 == int(float(NO_QUOTA))


@pytest.mark.parametrize(
    ("now", "seconds"),
    [
        (datetime(2026, 11, 1, tzinfo=UTC), 30 * 86_400),
        (datetime(2026, 11, 30, tzinfo=UTC), 86_400),
        (datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), 1),
        (datetime(2026, 11, 30, 23, 59, 59, 999_999, tzinfo=UTC), 1),
        (datetime(2026, 12, 1, tzinfo=UTC), 0),
        (datetime(2026, 12, 2, tzinfo=UTC), 0),
    ],
)
def test_a_period_ends_with_its_last_day_in_utc(now: datetime, seconds: int) -> None:
    assert seconds_to_end(NOVEMBER, now) == seconds


@given(st.datetimes(datetime(2026, 11, 1), datetime(2026, 11, 30, 23, 59, 59, 999_999)))  # noqa: DTZ001
def test_waiting_for_the_end_is_waiting_long_enough(moment: datetime) -> None:
    now = moment.replace(tzinfo=UTC)
    assert (now + timedelta(seconds=seconds_to_end(NOVEMBER, now))).date() > NOVEMBER.end


def test_accounts_for_which_no_day_is_chosen_begin_on_all_days_that_every_month_has() -> None:
    days = Counter(spread_anchor_day(f"account-{number}") for number in range(28_000))
    assert set(days) == set(range(1, 29))
    assert all(900 < count < 1100 for count in days.values())
    assert spread_anchor_day("shop") == spread_anchor_day("shop") == 11

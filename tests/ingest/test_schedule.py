from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.ingest.schedule import next_due
from cambist.reference.holiday_calendars import on_calendar
from cambist.sources.base import EVERY_DAY, Schedule

BERLIN, SYDNEY, TORONTO = ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Sydney"), ZoneInfo("America/Toronto")
FRANKFURT = Schedule(start=time(15, 55), end=time(18), every=timedelta(minutes=10), holidays="XECB")
CANBERRA = Schedule(start=time(16), end=time(19), holidays="AU")
OTTAWA = Schedule(start=time(16, 30), end=time(19), every=timedelta(minutes=15), holidays="CA")
SOURCES = {"Frankfurt": (FRANKFURT, BERLIN), "Canberra": (CANBERRA, SYDNEY), "Ottawa": (OTTAWA, TORONTO)}


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# Worked by hand with a calendar and the zones' offsets of those days.
DUE = [
    ("before the window of a winter's day", "Frankfurt", "2026-03-06 11:00", "2026-03-06 14:55"),
    ("before the window of a summer's day", "Frankfurt", "2026-07-03 11:00", "2026-07-03 13:55"),
    ("at the very opening", "Frankfurt", "2026-03-06 14:55", "2026-03-06 15:05"),
    ("within the window", "Frankfurt", "2026-03-06 15:00", "2026-03-06 15:10"),
    ("just before the window, so that it is open next time", "Frankfurt", "2026-03-06 14:50", "2026-03-06 15:00"),
    ("up to the very end of the window", "Frankfurt", "2026-03-05 16:50", "2026-03-05 17:00"),
    ("too late for once more today", "Frankfurt", "2026-03-05 16:51", "2026-03-06 14:55"),
    ("at night", "Frankfurt", "2026-03-05 23:30", "2026-03-06 14:55"),
    ("over a weekend", "Frankfurt", "2026-03-06 17:30", "2026-03-09 14:55"),
    ("on a Sunday within the hours", "Frankfurt", "2026-03-08 15:30", "2026-03-09 14:55"),
    ("over the weekend on which summer time begins", "Frankfurt", "2026-03-27 17:30", "2026-03-30 13:55"),
    ("over Easter", "Frankfurt", "2026-04-02 17:30", "2026-04-07 13:55"),
    ("on Christmas Eve, when it works", "Frankfurt", "2026-12-24 12:00", "2026-12-24 14:55"),
    ("over Christmas", "Frankfurt", "2026-12-24 17:30", "2026-12-28 14:55"),
    ("where it is Monday already", "Canberra", "2026-03-08 22:00", "2026-03-09 05:00"),
    ("where the week has ended already", "Canberra", "2026-03-06 08:30", "2026-03-09 05:00"),
    ("over Australia Day", "Canberra", "2026-01-23 09:00", "2026-01-27 05:00"),
    ("where it is still Friday", "Ottawa", "2026-03-06 23:40", "2026-03-06 23:55"),
    ("where summer time begins on that weekend", "Ottawa", "2026-03-07 00:30", "2026-03-09 20:30"),
    ("on Canada Day", "Ottawa", "2026-07-01 20:40", "2026-07-02 20:30"),
]


@pytest.mark.parametrize(("source", "now", "due"), [row[1:] for row in DUE], ids=[row[0] for row in DUE])
def test_a_source_is_polled_in_its_own_hours(source: str, now: str, due: str) -> None:
    schedule, zone = SOURCES[source]
    found = next_due(schedule, zone, utc(now))
    assert found == utc(due)
    assert found.utcoffset() == timedelta(0)


def test_a_source_that_publishes_every_day_is_polled_at_its_interval() -> None:
    schedule = Schedule(every=timedelta(minutes=1), days=EVERY_DAY)
    assert next_due(schedule, ZoneInfo("UTC"), utc("2026-03-08 12:00")) == utc("2026-03-08 12:01")


def test_over_midnight_the_new_day_opens_at_once() -> None:
    schedule = Schedule(every=timedelta(minutes=1), days=EVERY_DAY)
    assert next_due(schedule, ZoneInfo("UTC"), utc("2026-03-08 23:58:30")) == utc("2026-03-09")
    assert next_due(schedule, ZoneInfo("UTC"), utc("2026-03-08 23:59:30")) == utc("2026-03-09 00:00:30")


def test_at_the_opening_of_a_window_that_is_shorter_than_a_round_the_next_day_is_next() -> None:
    short = Schedule(start=time(9), end=time(9, 10), every=timedelta(minutes=20), days=EVERY_DAY)
    assert next_due(short, ZoneInfo("UTC"), utc("2026-03-06 09:00")) == utc("2026-03-07 09:00")


def test_a_late_window_of_a_day_that_is_over_elsewhere_is_not_missed() -> None:
    evening = Schedule(start=time(21), end=time(23))
    # Friday at eight in the evening, five hours behind.
    assert next_due(evening, TORONTO, utc("2026-02-07 01:00")) == utc("2026-02-07 02:00")


def test_holidays_can_be_passed_in() -> None:
    asked: list[tuple[str, date]] = []

    def first_week_off(name: str, day: date) -> bool:
        asked.append((name, day))
        return day < date(2026, 3, 9)

    assert next_due(FRANKFURT, BERLIN, utc("2026-03-02 12:00"), first_week_off) == utc("2026-03-09 14:55")
    assert {name for name, _ in asked} == {"XECB"}


def test_without_a_calendar_there_are_no_holidays() -> None:
    schedule = Schedule(start=time(15, 55), end=time(18))
    assert next_due(schedule, BERLIN, utc("2026-04-02 17:30"), lambda *_: True) == utc("2026-04-03 13:55")


def test_a_source_without_working_days_is_polled_daily() -> None:
    never = Schedule(days=frozenset())
    assert next_due(never, BERLIN, utc("2026-03-06 12:00")) == utc("2026-03-07 12:00")


def test_a_month_of_holidays_is_skipped() -> None:
    def closed(_: str, day: date) -> bool:
        return day < date(2026, 3, 31)

    assert next_due(FRANKFURT, BERLIN, utc("2026-03-02 12:00"), closed) == utc("2026-03-31 13:55")


ZONES = st.sampled_from([BERLIN, SYDNEY, TORONTO, ZoneInfo("UTC"), ZoneInfo("Asia/Kolkata")])
# From four in the morning on no clock is put forward or back.
TIMES = st.times(time(4), time(23, 59)).map(lambda each: each.replace(microsecond=0, second=0))
DAYS = st.frozensets(st.integers(0, 6), min_size=1)
MOMENTS = st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001  the zone follows


@given(zone=ZONES, hours=st.tuples(TIMES, TIMES), minutes=st.integers(1, 600), days=DAYS, now=MOMENTS)
def test_the_next_time_is_in_the_window_and_leaves_no_opening_out(
    zone: ZoneInfo, hours: tuple[time, time], minutes: int, days: frozenset[int], now: datetime
) -> None:
    every = timedelta(minutes=minutes)
    schedule = Schedule(start=min(hours), end=max(hours), every=every, days=days)
    due = next_due(schedule, zone, now)
    there = due.astimezone(zone)
    assert due > now
    assert there.weekday() in days
    assert schedule.start <= there.time() <= schedule.end
    openings = [
        opens
        for ahead in range(-1, 9)
        if (opens := datetime.combine(now.date() + timedelta(days=ahead), schedule.start, zone)).weekday() in days
    ]
    assert due == now + every or due == min(opens for opens in openings if opens > now)


@pytest.mark.parametrize(
    ("name", "day", "is_holiday"),
    [
        ("NO", date(2026, 5, 14), True),  # Ascension
        ("NO", date(2026, 5, 15), False),
        ("XECB", date(2026, 5, 1), True),
        ("XECB", date(2026, 4, 3), True),
        ("XECB", date(2026, 12, 24), False),
        ("US", date(2026, 7, 3), True),  # the fourth is a Saturday
        ("US", date(2027, 1, 1), True),
        ("US", date(2026, 4, 3), False),
    ],
)
def test_calendars_know_the_days_of_countries_and_of_markets(name: str, day: date, is_holiday: bool) -> None:  # noqa: FBT001  a row's cell
    assert on_calendar(name, day) is is_holiday

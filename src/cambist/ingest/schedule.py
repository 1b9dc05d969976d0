"""When to poll a source: in its own time zone, on its working days, in the window in which it publishes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from cambist.reference.holiday_calendars import on_calendar
from cambist.sources.base import Schedule

IsHoliday = Callable[[str, date], bool]

_LONGEST_SHUT = 31


def next_due(schedule: Schedule, zone: ZoneInfo, now: datetime, is_holiday: IsHoliday | None = None) -> datetime:
    """Return the next moment (UTC) after `now` to poll: within the window, or when the next one opens."""
    is_holiday = is_holiday or on_calendar
    soon = (now + schedule.every).astimezone(zone)
    if works_on(schedule, soon.date(), is_holiday) and schedule.start <= soon.time() <= schedule.end:
        return soon.astimezone(UTC)
    there = now.astimezone(zone)
    for ahead in range(_LONGEST_SHUT):
        day = there.date() + timedelta(days=ahead)
        opens = datetime.combine(day, schedule.start, zone)
        if opens > there and works_on(schedule, day, is_holiday):
            return opens.astimezone(UTC)
    return now + timedelta(days=1)


def works_on(schedule: Schedule, day: date, is_holiday: IsHoliday | None = None) -> bool:
    """Return whether a source publishes on a day: a working day that is no holiday in its calendar."""
    is_holiday = is_holiday or on_calendar
    return day.weekday() in schedule.days and not (schedule.holidays and is_holiday(schedule.holidays, day))

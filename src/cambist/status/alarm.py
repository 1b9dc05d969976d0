"""Alarms: when a trouble becomes one, and when it has ended. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

BEGUN, ENDED = "alarm", "resolved"


class Trouble(Struct, frozen=True):
    """Something that is wrong now.

    `key` is its kind and what it is about, such as `source:ecb`. A higher `level` is worse, and is told again. A
    trouble `at_once` is told when it is found, others when they have lasted for a while.
    """

    key: str
    text: str
    level: int = 1
    at_once: bool = False

    @property
    def kind(self) -> str:
        """What sort of trouble it is, such as `source`."""
        return self.key.partition(":")[0]


class Alarm(Struct, frozen=True):
    """A trouble since it was first found: the level that was told (0: none yet), and since when it is gone, if so."""

    trouble: Trouble
    since: datetime
    told: int = 0
    gone_since: datetime | None = None


class Acknowledgement(Struct, frozen=True):
    """That an operator knows of an alarm: the one of this key, up to this level, that began at `since`."""

    key: str
    since: datetime
    level: int
    who: str
    at: datetime
    note: str = ""

    def covers(self, alarm: Alarm) -> bool:
        """Return whether it is about an alarm as it is now: one that has become worse is news."""
        return self.key == alarm.trouble.key and self.since == alarm.since and alarm.trouble.level <= self.level


class EndedAlarm(Struct, frozen=True):
    """An alarm that has ended, and the acknowledgement of it, if there was one."""

    key: str
    text: str
    since: datetime
    ended_at: datetime
    acknowledged: Acknowledgement | None = None


class RecordedAlarms(Struct, frozen=True):
    """What is kept of alarms: those of now by key, and those that have ended, newest first."""

    alarms: dict[str, Alarm] = {}
    ended: tuple[EndedAlarm, ...] = ()


class Notice(Struct, frozen=True):
    """The message that an alarm begins (`alarm`) or has ended (`resolved`)."""

    state: str
    key: str
    text: str
    since: datetime
    at: datetime


def update_alarms(
    alarms: Mapping[str, Alarm],
    troubles: Iterable[Trouble],
    now: datetime,
    after: timedelta,
    unknown: AbstractSet[str] = frozenset(),
) -> tuple[dict[str, Alarm], list[Notice]]:
    """Return the alarms with the troubles of now, and what is to be told.

    A trouble is told when it has lasted for `after`, and its end when it has been gone for as long. Alarms of the kinds
    `unknown`, of which nothing can be known now, stay as they are.
    """
    found = {trouble.key: trouble for trouble in troubles}
    current: dict[str, Alarm] = {}
    notices: list[Notice] = []
    for key in sorted(alarms.keys() | found.keys()):
        trouble, before = found.get(key), alarms.get(key)
        if trouble is None:
            alarm = before if before and before.trouble.kind in unknown else _gone(before, now, after, notices)
        else:
            alarm = _present(trouble, before, now, after, notices)
        if alarm is not None:
            current[key] = alarm
    return current, notices


def ended_alarms(
    before: Mapping[str, Alarm], notices: Iterable[Notice], known: Mapping[str, Acknowledgement]
) -> list[EndedAlarm]:
    """Return the alarms that the notices say have ended, each with its end: when it was first seen to be gone."""
    found = []
    for notice in notices:
        alarm = before.get(notice.key)
        if notice.state == ENDED and alarm is not None:
            acknowledged = known.get(notice.key)
            is_known = acknowledged is not None and acknowledged.since == alarm.since
            ended_at = alarm.gone_since or notice.at
            found.append(EndedAlarm(notice.key, notice.text, alarm.since, ended_at, acknowledged if is_known else None))
    return found


def with_history(
    ended: Iterable[EndedAlarm], history: Iterable[EndedAlarm], now: datetime, days: int, most: int
) -> tuple[EndedAlarm, ...]:
    """Return the history with what has ended, newest first: at most so many alarms of so many days."""
    kept = [each for each in (*ended, *history) if now - each.ended_at <= timedelta(days=days)]
    return tuple(sorted(kept, key=lambda each: each.ended_at, reverse=True)[:most])


def _present(
    trouble: Trouble, before: Alarm | None, now: datetime, after: timedelta, notices: list[Notice]
) -> Alarm | None:
    alarm = Alarm(trouble, now) if before is None else replace(before, gone_since=None)
    if alarm.trouble.level != trouble.level:  # the text may differ each time, as ages do
        alarm = replace(alarm, trouble=trouble)
    is_due = trouble.at_once or now - alarm.since >= after
    if trouble.level <= alarm.told or not is_due:
        return alarm
    notices.append(Notice(BEGUN, trouble.key, trouble.text, alarm.since, now))
    return replace(alarm, told=trouble.level)


def _gone(before: Alarm | None, now: datetime, after: timedelta, notices: list[Notice]) -> Alarm | None:
    """Return the alarm while it may come back; None when it has ended. One that nobody was told of ends at once."""
    if before is None or not before.told:
        return None
    alarm = before if before.gone_since else replace(before, gone_since=now)
    if not before.trouble.at_once and now - (alarm.gone_since or now) < after:
        return alarm
    notices.append(Notice(ENDED, before.trouble.key, before.trouble.text, before.since, now))
    return None

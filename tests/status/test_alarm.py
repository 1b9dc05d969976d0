"""When a trouble becomes an alarm, and when that has ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cambist.status.alarm import Alarm, Trouble, update_alarms

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
AFTER = timedelta(minutes=10)
LATE = Trouble("source:ecb", "The source ecb is late")
SPENT = Trouble("quota:acme", "80 %", 1, at_once=True)


class Watch:
    """The alarms of a service, and what was told."""

    def __init__(self) -> None:
        self.alarms: dict[str, Alarm] = {}

    def at(self, minute: float, *troubles: Trouble, unknown: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
        now = NOON + timedelta(minutes=minute)
        self.alarms, notices = update_alarms(self.alarms, troubles, now, AFTER, unknown)
        return [(notice.state, notice.text) for notice in notices]


def test_a_trouble_is_told_once_when_it_has_lasted_and_its_end_once() -> None:
    watch = Watch()
    assert watch.at(0, LATE) == watch.at(9, LATE) == []
    assert watch.at(10, LATE) == [("alarm", "The source ecb is late")]
    assert watch.at(11, LATE) == watch.at(100, LATE) == []
    assert watch.at(101) == watch.at(110) == []
    assert watch.at(111) == [("resolved", "The source ecb is late")]
    assert watch.at(112) == []
    assert watch.alarms == {}


def test_a_short_trouble_is_not_told_and_neither_is_its_end() -> None:
    watch = Watch()
    assert watch.at(0, LATE) == watch.at(5) == watch.at(60) == []
    assert watch.at(61, LATE) == watch.at(70, LATE) == []  # it begins anew
    assert watch.at(71, LATE) == [("alarm", "The source ecb is late")]


def test_a_trouble_that_comes_and_goes_is_one_alarm() -> None:
    watch = Watch()
    watch.at(0, LATE)
    assert len(watch.at(10, LATE)) == 1
    assert watch.at(15) == watch.at(20, LATE) == watch.at(25) == watch.at(34) == []
    assert watch.at(35) == [("resolved", "The source ecb is late")]


def test_a_worse_level_is_told_again_and_a_better_one_is_not() -> None:
    watch, worse = Watch(), Trouble("quota:acme", "100 %", 2, at_once=True)
    assert watch.at(0, SPENT) == [("alarm", "80 %")]
    assert watch.at(1, worse) == [("alarm", "100 %")]
    assert watch.at(2, SPENT) == watch.at(3, worse) == []
    assert watch.at(4) == [("resolved", "100 %")]


def test_a_trouble_that_is_at_its_worst_at_once_is_told_once() -> None:
    watch, worse = Watch(), Trouble("quota:acme", "100 %", 2, at_once=True)
    assert watch.at(0, worse) == [("alarm", "100 %")]
    assert watch.at(1, worse) == []


def test_what_cannot_be_known_now_neither_ends_nor_begins() -> None:
    watch = Watch()
    watch.at(0, SPENT)
    assert watch.at(1, unknown=frozenset({"quota"})) == watch.at(90, unknown=frozenset({"quota"})) == []
    assert watch.at(91, SPENT) == []
    assert watch.at(92) == [("resolved", "80 %")]


def test_troubles_are_told_apart_by_their_keys() -> None:
    watch, other = Watch(), Trouble("source:fed", "The source fed fails")
    watch.at(0, LATE)
    assert watch.at(10, LATE, other) == [("alarm", "The source ecb is late")]
    assert watch.at(20, LATE, other) == [("alarm", "The source fed fails")]

"""The problems of a service: those of now, with who has acknowledged them, and those that have ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cambist.accounts.names import echo
from cambist.admin.operators.audit import AuditRecorder, local_operator
from cambist.errors import BadParameter
from cambist.registry.node.acknowledgements import acknowledgements, forget_acknowledgement, record_acknowledgement
from cambist.settings import Settings
from cambist.status.alarm import Acknowledgement, Alarm, EndedAlarm, RecordedAlarms
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.suggestions import did_you_mean

_LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True)
class OpenProblem:
    """A problem of now, and its acknowledgement; None while nobody has made one."""

    alarm: Alarm
    acknowledged: Acknowledgement | None


class ProblemAdmin:
    """Shows the problems of a data directory, and acknowledges them; `who` is recorded in the audit log."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        self._folder = DataDirectory(settings.data)
        self._clock = clock
        self._who = who or local_operator()
        self._audit = AuditRecorder(settings, clock, who)

    def problems(self) -> list[OpenProblem]:
        """Return the problems of now: first those that nobody has acknowledged, of these the worst, then the oldest."""
        known = acknowledgements(self._folder)
        found = [_problem(alarm, known) for alarm in self._recorded().alarms.values() if alarm.gone_since is None]
        return sorted(found, key=_order)

    def history(self) -> tuple[EndedAlarm, ...]:
        """Return the alarms that have ended within the last 30 days, newest first, at most 500."""
        return self._recorded().ended

    def acknowledge(self, key: str, note: str = "") -> OpenProblem:
        """Record that a problem is known, until it ends or becomes worse. Errors: BadParameter, Unwritable."""
        with self._audit.action("problem.acknowledge", key, note):
            alarm = self._alarm(key)
            if len(note) > _LONGEST_NOTE or not note.isprintable():
                raise BadParameter(
                    f"Invalid note: [{echo(note)}], it takes at most {_LONGEST_NOTE} printable characters"
                )
            made = Acknowledgement(key, alarm.since, alarm.trouble.level, self._who, self._clock(), note.strip())
            record_acknowledgement(self._folder, made)
        return OpenProblem(alarm, made)

    def withdraw(self, key: str) -> OpenProblem:
        """Take an acknowledgement back. Errors: BadParameter if there is none."""
        with self._audit.action("problem.withdraw", key):
            found = _problem(self._alarm(key), acknowledgements(self._folder))
            if found.acknowledged is None:
                raise BadParameter(f"The problem [{echo(key)}] is not acknowledged")
            forget_acknowledgement(self._folder, key)
        return OpenProblem(found.alarm, None)

    def _recorded(self) -> RecordedAlarms:
        return read_json_file(self._folder.alarms, RecordedAlarms) or RecordedAlarms()

    def _alarm(self, key: str) -> Alarm:
        current = {each.alarm.trouble.key: each.alarm for each in self.problems()}
        if key not in current:
            raise BadParameter(f"There is no problem [{echo(key)}] now; {did_you_mean(key, current)}")
        return current[key]


def _order(problem: OpenProblem) -> tuple[bool, int, datetime, str]:
    alarm = problem.alarm
    return problem.acknowledged is not None, -alarm.trouble.level, alarm.since, alarm.trouble.key


def problem_record(problem: OpenProblem) -> dict[str, Any]:
    """Return a problem as JSON has it; `told` is whether it has lasted long enough that an alarm was sent of it."""
    alarm, made = problem.alarm, problem.acknowledged
    return {
        "key": alarm.trouble.key,
        "kind": alarm.trouble.kind,
        "text": alarm.trouble.text,
        "level": alarm.trouble.level,
        "since": alarm.since,
        "told": alarm.told > 0,
        "acknowledged": acknowledgement_record(made),
    }


def ended_record(ended: EndedAlarm) -> dict[str, Any]:
    """Return an alarm that has ended as JSON has it."""
    return {
        "key": ended.key,
        "kind": ended.key.partition(":")[0],
        "text": ended.text,
        "since": ended.since,
        "ended_at": ended.ended_at,
        "seconds": (ended.ended_at - ended.since).total_seconds(),
        "acknowledged": acknowledgement_record(ended.acknowledged),
    }


def acknowledgement_record(made: Acknowledgement | None) -> dict[str, Any] | None:
    """Return who has acknowledged a problem, when, and the note."""
    return None if made is None else {"who": made.who, "at": made.at, "note": made.note}


def _problem(alarm: Alarm, known: dict[str, Acknowledgement]) -> OpenProblem:
    made = known.get(alarm.trouble.key)
    return OpenProblem(alarm, made if made is not None and made.covers(alarm) else None)

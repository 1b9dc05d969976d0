"""A panel: what several sources published of one code on some days, beside the truth, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, isnan, log

import numpy as np

from cambist.verdicts.facts import NO_REFERENCE, CodeFixings, CodeReference, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.rules import RULES, Rules
from cambist.verdicts.verdict import FixingStatus, Judgement


@dataclass(frozen=True, slots=True)
class Event:
    """A source publishes a value (log units per dollar) for a day, at an hour counted from 1970-01-01."""

    hour: float
    source: str
    day: int
    value: float


@dataclass(slots=True)
class Panel:
    """Sources by rank, their events in order, and the true rate of days; `jump` is the day of the true jump, or -1."""

    name: str
    truth: dict[int, float]
    events: list[Event]
    sources: tuple[SourceFacts, ...]
    jump: int = -1
    skip: int = 6
    reference: CodeReference = NO_REFERENCE
    peg: float | None = None
    others: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.events = sorted(self.events, key=lambda event: (event.hour, event.source, event.day))


@dataclass(slots=True)
class Known:
    """The newest revisions by day and source: what has been received so far."""

    panel: Panel
    rows: dict[int, dict[str, float]] = field(default_factory=dict)

    def receive(self, event: Event) -> None:
        """Add a fixing, or revise it."""
        self.rows.setdefault(event.day, {})[event.source] = event.value

    def fixings(self) -> CodeFixings:
        """Return what is known as columns."""
        days = sorted(self.rows)
        columns = {source.key: column for column, source in enumerate(self.panel.sources)}
        values = np.full((len(days), len(columns)), np.nan)
        for row, day in enumerate(days):
            for key, value in self.rows[day].items():
                values[row, columns[key]] = value
        taken: dict[tuple[int, int], str] = {}
        for code, level in self.panel.others.items():
            for row, column in np.argwhere(np.abs(values - level) < 0.02).tolist():
                taken[row, column] = code
        return CodeFixings(np.array(days, np.int64), self.panel.sources, values, taken_for=taken)

    def judge(self, rules: Rules) -> Judgement:
        """Judge what is known."""
        fixings, reference = self.fixings(), self.panel.reference
        if self.panel.peg is not None:
            reference = CodeReference(
                np.full(len(fixings.days), self.panel.peg), reference.redenominations, reference.plausible
            )
        return judge(fixings, reference, rules)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a panel was judged.

    It has the days on which the live and the final value were wrong, the hours from the jump until it was served (-1 if
    never), and the fixings that were held in the end although they were true.
    """

    live: int
    final: int
    hours: float
    held: int
    fixings: int


Tolerance = Callable[[float, float], float]


def one_percent(_value: float, _before: float) -> float:
    """Allow one percent."""
    return 0.01


def published_value(judgement: Judgement, row: int = -1) -> float:
    """Return the published value of a row, a fixing's own, in the unit of the row's day; NaN if there is none."""
    source = int(judgement.source[row])
    if source < 0:
        return float("nan")
    of = int(np.searchsorted(judgement.days, judgement.source_day[row]))
    return float(judgement.values[of, source] + judgement.level[row] - judgement.level[of])


def run(panel: Panel, rules: Rules = RULES, tolerance: Tolerance = one_percent) -> Outcome:
    """Receive the events of each day, judge, and compare what would be served at its end with the truth."""
    known = Known(panel)
    first, last = min(panel.truth), max(panel.truth)
    queue, live, hours, served = list(reversed(panel.events)), {}, -1.0, float("nan")
    started = min((event.hour for event in panel.events if event.hour >= panel.jump * 24), default=0.0)
    for day in range(first, last + 1):
        received = False
        while queue and queue[-1].hour < (day + 1) * 24:
            event = queue.pop()
            known.receive(event)
            received = True
            if 0 <= panel.jump <= day and hours < 0 and day in panel.truth:
                value = published_value(known.judge(rules))
                if abs(value - panel.truth[day]) < 0.01:
                    hours = event.hour - started
        if received:
            served = published_value(known.judge(rules))
        live[day] = served
    judgement = known.judge(rules)
    rows = {day: row for row, day in enumerate(judgement.days.tolist())}
    wrong_live = wrong_final = 0
    truth = before = float("nan")
    final = float("nan")
    for day in range(first, last + 1):
        allowed = 0.01
        if day in panel.truth:
            before, truth = truth, panel.truth[day]
            allowed = tolerance(truth, truth if isnan(before) else before)
        if day in rows:
            final = published_value(judgement, rows[day])
        if day >= first + panel.skip:
            wrong_live += abs(live[day] - truth) > allowed
            wrong_final += abs(final - truth) > allowed
    held = total = 0
    for day, row in rows.items():
        for column in np.flatnonzero(judgement.fixing_status[row] != FixingStatus.ABSENT).tolist():
            total += 1
            is_true = day in panel.truth and abs(judgement.values[row, column] - panel.truth[day]) <= 0.01
            held += is_true and judgement.fixing_status[row, column] == FixingStatus.HELD
    return Outcome(wrong_live, wrong_final, hours, held, total)


def rounded(value: float, digits: int = 5) -> float:
    """Return a value as if it had been published with so many digits."""
    return log(float(f"{exp(value):.{digits}g}"))

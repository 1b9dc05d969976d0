"""A panel: what several sources published of one code, beside the truth, and how it is judged day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import exp, log, nan

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
        return CodeFixings(np.array(days, np.int64), self.panel.sources, values)

    def reference(self) -> CodeReference:
        """Return the reference tables, with the peg for each day."""
        reference = self.panel.reference
        if self.panel.peg is None:
            return reference
        return CodeReference(np.full(len(self.rows), self.panel.peg), reference.redenominations, reference.plausible)

    def judge(self, rules: Rules) -> Judgement:
        """Judge what is known."""
        return judge(self.fixings(), self.reference(), rules)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What went wrong.

    The days on which the live and the final value were wrong, the hours from the jump until it was served (-1 if
    never), and the fixings held in the end although they were true.
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
    live, hours = _serve(known, rules)
    judgement = known.judge(rules)
    final = {day: published_value(judgement, row) for row, day in enumerate(judgement.days.tolist())}
    allowed = _allowed(panel, tolerance)
    days = [day for day in sorted(live) if day >= min(live) + panel.skip]
    truth, finally_ = _carried(panel.truth, live), _carried(final, live)
    is_true = np.array(
        [
            [abs(value - panel.truth.get(day, nan)) <= 0.01 for value in row]
            for day, row in zip(judgement.days.tolist(), judgement.values.tolist(), strict=True)
        ]
    )
    return Outcome(
        sum(abs(live[day] - truth[day]) > allowed.get(day, 0.01) for day in days),
        sum(abs(finally_[day] - truth[day]) > allowed.get(day, 0.01) for day in days),
        hours,
        int(np.count_nonzero((judgement.fixing_status == FixingStatus.HELD) & is_true)),
        int(np.count_nonzero(judgement.fixing_status != FixingStatus.ABSENT)),
    )


def _serve(known: Known, rules: Rules) -> tuple[dict[int, float], float]:
    """Return what is served at the end of each day, and how many hours after it happened a jump was served."""
    panel = known.panel
    queue, live, hours, served = list(reversed(panel.events)), {}, -1.0, nan
    started = min((event.hour for event in panel.events if event.hour >= panel.jump * 24), default=0.0)
    for day in range(min(panel.truth), max(panel.truth) + 1):
        has_received = False
        while queue and queue[-1].hour < (day + 1) * 24:
            event = queue.pop()
            known.receive(event)
            has_received = True
            if 0 <= panel.jump <= day and hours < 0 and day in panel.truth:
                is_served = abs(published_value(known.judge(rules)) - panel.truth[day]) < 0.01
                hours = event.hour - started if is_served else hours
        served = published_value(known.judge(rules)) if has_received else served
        live[day] = served
    return live, hours


def _carried(values: dict[int, float], days: Iterable[int]) -> dict[int, float]:
    carried, value = {}, nan
    for day in days:
        value = values.get(day, value)
        carried[day] = value
    return carried


def _allowed(panel: Panel, tolerance: Tolerance) -> dict[int, float]:
    days = sorted(panel.truth)
    return {
        day: tolerance(panel.truth[day], panel.truth[before])
        for before, day in zip([days[0], *days], days, strict=False)
    }


def rounded(value: float, digits: int = 5) -> float:
    """Return a value as if it had been published with so many digits."""
    return log(float(f"{exp(value):.{digits}g}"))

"""Validation of the fixings of one code: the plain ones as columns, the others one by one."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan

import numpy as np

from cambist.history.rate_matrix import FIRST_DAY
from cambist.ingest.delivery_columns import DeliveryColumns
from cambist.ingest.fixing_columns import CARRY, LARGEST_MOVE, FixingColumns, Ints, JudgedColumns, judge_columns
from cambist.ingest.other_sources import MedianRange
from cambist.pricing.validation import Candidate, refusal_reason
from cambist.reference.tables import REDENOMINATIONS

_NEAR_REDENOMINATION = timedelta(days=30)
_DEFAULT_MOVE = 0.005
"""The assumed move from one fixing to the next of a currency whose own moves are not known yet."""

_MEMORY = 0.8
"""The weight of the previous average move when a new move is added."""

_REDENOMINATIONS_IN_PLACE = {change.old: change for change in REDENOMINATIONS if change.old == change.new}


@dataclass(slots=True)
class Run:
    """The last accepted rate of a code, in units per pivot; it has been unchanged since `since`."""

    day: date
    units: float
    since: date
    seen_on: date
    still: int = 0
    recent_move: float = _DEFAULT_MOVE

    def add(self, day: date, units: float) -> None:
        """Add a further accepted fixing."""
        self.recent_move = _average_move(self.recent_move, abs(units / self.units - 1))
        if self.units == units:
            self.still += 1
        else:
            self.units, self.since, self.still = units, day, 0
        self.day = self.seen_on = day

    def is_at(self, judged: JudgedColumns, index: int) -> bool:
        """Return whether the run is as if all fixings up to this one were accepted."""
        if index < 0 or self.units != judged.units[index] or self.seen_on != judged.day(index):
            return False
        since = int(judged.unchanged_from[index])
        return self.still == index - since and self.since == judged.day(since)

    def skip(self, judged: JudgedColumns, start: int, end: int) -> None:
        """Add the accepted fixings from `start` to `end`; the run is at the one before."""
        for move in judged.moves[start:end].tolist():
            self.recent_move = _average_move(self.recent_move, move)
        since = int(judged.unchanged_from[end - 1])
        self.units, self.since, self.still = float(judged.units[end - 1]), judged.day(since), end - 1 - since
        self.day = self.seen_on = judged.day(end - 1)


@dataclass(slots=True)
class CodeValidator:
    """Validates the fixings of one code in a delivery, oldest first.

    `run` is the source's last fixing before the delivery, if any. `refused` has the reasons by index of `columns`.
    """

    code: str
    columns: FixingColumns
    delivery: DeliveryColumns
    today: date
    run: Run | None = None
    refused: dict[int, str] = field(default_factory=dict)

    def validate(self, rows: Ints) -> None:
        """Validate the fixings at `rows`, all with a known positive rate."""
        change = _REDENOMINATIONS_IN_PLACE.get(self.code)
        cut = None if change is None else (change.first_day - FIRST_DAY).days
        judged = judge_columns(self.columns, rows, cut, 1.0 if change is None else float(change.factor))
        unusual = [*np.flatnonzero(~judged.is_plain).tolist(), len(rows)]
        index = 0
        while index < len(rows):
            if self.run is not None and self.run.is_at(judged, index - 1):
                end = unusual[bisect_left(unusual, index)]
                if end == len(rows):
                    return
                if end > index:
                    self.run.skip(judged, index, end)
                    index = end
            self._validate_one(int(rows[index]))
            index += 1

    def _validate_one(self, index: int) -> None:
        fixing, units = self.columns.fixings[index], float(self.columns.units[index])
        reason = None if self.columns.is_settled[index] else self._reason(index, fixing.day, units)
        if reason is not None:
            self.refused[index] = reason
            if self.run is not None:
                # A refused fixing keeps the past from expiring: without one, anything would be accepted.
                self.run.seen_on = fixing.day
        elif self.run is None:
            self.run = Run(fixing.day, units, fixing.day, fixing.day)
        else:
            self.run.add(fixing.day, units)

    def _reason(self, index: int, day: date, units: float) -> str | None:
        run, middle = self.run, self.columns.others(index)
        is_near = run is not None and day - run.seen_on <= CARRY
        previous = run.units / _redenomination_between(self.code, run.day, day) if run and is_near else None
        still, moved = self._unchanged(units, middle)
        return refusal_reason(
            Candidate(
                code=self.code,
                day=day,
                units=units,
                today=self.today,
                previous=previous,
                following=self._following(index, day),
                others=None if middle is None else middle.nearest(units),
                peg=_known(self.columns.pegs[index]),
                factor=_redenomination_near(self.code, day),
                correction=_known(self.columns.corrections[index]),
                unchanged=still,
                others_moved=moved,
                recent_move=run.recent_move if run else _DEFAULT_MOVE,
            )
        )

    def _following(self, index: int, day: date) -> float | None:
        """Return the rate of the next fixing of the same pair, in the unit of the day."""
        following = self.columns.following[index]
        if following < 0 or not self.columns.is_positive[following]:
            return None
        later = float(self.columns.units[following])
        return _known(later * _redenomination_between(self.code, day, self.columns.fixings[following].day))

    def _unchanged(self, units: float, others: MedianRange | None) -> tuple[int, float]:
        """Return for how many fixings a source's rate has not changed, and how far the others have moved since."""
        run = self.run
        if run is None or units != run.units or others is None:
            return 0, 0.0
        before = self.delivery.others_on(self.code, run.since)
        return (0, 0.0) if before is None else (run.still + 1, abs(others.centre / before.centre - 1))


def _known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _average_move(recent_move: float, move: float) -> float:
    """Return the average move after a further one; a redenomination is no move of that size."""
    return _MEMORY * recent_move + (1 - _MEMORY) * min(move, LARGEST_MOVE)


def _redenomination_between(code: str, earlier: date, later: date) -> float:
    """Return the factor of a redenomination under the same code between two days, 1 if there was none."""
    change = _REDENOMINATIONS_IN_PLACE.get(code)
    return float(change.factor) if change is not None and earlier < change.first_day <= later else 1.0


def _redenomination_near(code: str, day: date) -> float | None:
    change = _REDENOMINATIONS_IN_PLACE.get(code)
    is_near = change is not None and abs(day - change.first_day) <= _NEAR_REDENOMINATION
    return float(change.factor) if change is not None and is_near else None

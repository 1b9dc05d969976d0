"""Verdicts: what is derived for each day of a code, as columns, and one day of them as a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from cambist.verdicts.facts import Floats, Ints, SourceFacts
from cambist.verdicts.frontier import Frontier
from cambist.verdicts.measured import SEEN_ROWS
from cambist.verdicts.trail import Trail


class DayStatus(IntEnum):
    """How a day's level was found.

    NONE: nothing credible is known. AGREED: all fixings of the day, two or more. MAJORITY: more than half of them.
    SINGLE: the only fixing of the day. DISPUTED: others who publish say something else. HELD: all fixings of the day
    are held, and the level before stands. WITHDRAWN: one source's level, which all others refuted later: no value.
    """

    NONE = 0
    AGREED = 1
    MAJORITY = 2
    SINGLE = 3
    DISPUTED = 4
    HELD = 5
    WITHDRAWN = 6


class FixingStatus(IntEnum):
    """What a fixing was found to be. EARLY: published before the jump of that day."""

    ABSENT = 0
    AGREED = 1
    EARLY = 2
    HELD = 3


class Reason(IntEnum):
    """Why a fixing is held, the most specific one first."""

    NONE = 0
    REJECTED = 1
    UNIT = 2
    OFF_PEG = 3
    REPEATED = 4
    DAY_LATE = 5
    JUMP = 6
    CONTRADICTED = 7


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on one code, as columns with a row for each of `days`: those that were judged.

    `values` are the fixings of these days. `level` is the agreed rate (log units per dollar in the unit of the day),
    NaN without one. The published value is the one of `source` (a column, -1 for none) for `source_day`, which is the
    day itself unless the day is held: one source's own digits. `other` is the level that most of the rest say, NaN if
    nobody does. `fixing_status`, `reason`, `weight` and `distance` (from the level) have a column for each source. The
    rest is what a frontier and an explanation are made of.
    """

    days: Ints
    sources: tuple[SourceFacts, ...]
    values: Floats
    level: Floats
    status: Ints
    source: Ints
    source_day: Ints
    other: Floats
    fixing_status: Ints
    reason: Ints
    weight: Floats
    distance: Floats
    trail: Trail
    said_by: Ints
    said_day: Ints
    seen: Floats
    shift: Floats

    @property
    def withdrawals(self) -> list[tuple[int, int]]:
        """The days on which levels were withdrawn, first and last; verdicts before the first row may be among them."""
        return [(since, int(self.days[row]) - 1) for since, row in self.trail.withdrawn]

    def without(self, since: int, until: int) -> Judgement:
        """Return the verdicts with those of some days withdrawn, both inclusive."""
        is_withdrawn = (self.days >= since) & (self.days <= until)
        return replace(
            self,
            level=np.where(is_withdrawn, np.nan, self.level),
            status=np.where(is_withdrawn, int(DayStatus.WITHDRAWN), self.status),
            source=np.where(is_withdrawn, -1, self.source),
            source_day=np.where(is_withdrawn, 0, self.source_day),
        )

    def frontier(self, row: int = -1) -> Frontier:
        """Return the frontier after a row, from which verdicts can be continued."""
        row %= len(self.level)
        states = self.trail.states_after(row)
        end = len(self.seen) - len(self.level) + row + 1
        found = Frontier(int(self.days[row]), states, seen=self.seen[max(end - SEEN_ROWS, 0) : end])
        oldest = max(row - found.depth + 1, 0)
        if self.said_by[oldest] < 0:
            return found
        source = self.sources[int(self.said_by[oldest])].key
        return replace(found, source=source, source_day=int(self.said_day[oldest]))

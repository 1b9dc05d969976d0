"""Verdicts: what is derived for each day of a code, as columns, and one day of them as a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from cambist.verdicts.facts import CodeFixings, Floats, Ints
from cambist.verdicts.frontier import Frontier
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
    OTHER_CODE = 3
    OFF_PEG = 4
    REPEATED = 5
    DAY_LATE = 6
    JUMP = 7
    CONTRADICTED = 8


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another level that the newest day may turn out to have, and how much dearer its path is (in weights)."""

    level: float
    cost: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on one code, as columns with a row for each day of its fixings, valid from row `first` on.

    `level` is the agreed rate (log units per dollar in the unit of the day), NaN without one. The published value is
    the fixing of `source` (a column of the fixings, -1 for none) on row `source_row`, which is the row itself unless
    the day is held: one source's own digits. `other` is the level that most of the rest say, NaN if nobody does.
    `fixing_status`, `reason`, `weight` and `distance` (from the level) have a column for each source. The rest is what
    a frontier is made of.
    """

    fixings: CodeFixings
    first: int
    level: Floats
    status: Ints
    source: Ints
    source_row: Ints
    other: Floats
    fixing_status: Ints
    reason: Ints
    weight: Floats
    distance: Floats
    trail: Trail
    said_by: Ints
    said_row: Ints

    def frontier(self, row: int = -1) -> Frontier:
        """Return the frontier after a row, from which verdicts can be continued."""
        row %= len(self.level)
        found = Frontier(int(self.fixings.days[row]), self.trail.states_after(row))
        said = int(self.said_row[max(row - found.depth + 1, 0)])
        if said < 0:
            return found
        source = self.fixings.sources[int(self.said_by[said])].key
        return replace(found, source=source, source_day=int(self.fixings.days[said]))

"""Explanation: the verdict of one day as a record, with what else it may turn out to be and what would settle it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cambist.verdicts.verdict import DayStatus, FixingStatus, Judgement, Reason


@dataclass(frozen=True, slots=True)
class FixingVerdict:
    """What became of a fixing: its `weight`, its `distance` from the level (log), and why it is held."""

    source: str
    value: float
    status: FixingStatus
    reason: Reason
    weight: float
    distance: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another level that a day may turn out to have, and how much dearer its path is, in weights of one original."""

    level: float
    cost: float


@dataclass(frozen=True, slots=True)
class DayVerdict:
    """The verdict of a day; fields without a value are None. Levels are log units per dollar.

    `originals_needed` is how many more originals would have to say another level to change the verdict, None if none
    is open.
    """

    day: int
    status: DayStatus
    level: float | None
    source: str | None
    source_day: int | None
    other: float | None
    fixings: tuple[FixingVerdict, ...]
    alternatives: tuple[Alternative, ...]
    originals_needed: int | None


def explain_day(judgement: Judgement, row: int = -1) -> DayVerdict:
    """Return the verdict of a row; alternatives are those that were open after its day."""
    row %= len(judgement.days)
    source = int(judgement.source[row])
    states, shift = judgement.trail.states_after(row), float(judgement.shift[row])
    others = [Alternative(state.level - shift, state.cost - states[0].cost) for state in states[1:]]
    return DayVerdict(
        day=int(judgement.days[row]),
        status=DayStatus(int(judgement.status[row])),
        level=_known(float(judgement.level[row])),
        source=judgement.sources[source].key if source >= 0 else None,
        source_day=int(judgement.source_day[row]) if source >= 0 else None,
        other=_known(float(judgement.other[row])),
        fixings=tuple(_fixing(judgement, row, column) for column in _present(judgement, row)),
        alternatives=tuple(others),
        originals_needed=int(others[0].cost // 1) + 1 if others else None,
    )


def _present(judgement: Judgement, row: int) -> list[int]:
    present: list[int] = np.flatnonzero(judgement.fixing_status[row] != FixingStatus.ABSENT).tolist()
    return present


def _fixing(judgement: Judgement, row: int, column: int) -> FixingVerdict:
    return FixingVerdict(
        source=judgement.sources[column].key,
        value=float(judgement.values[row, column]),
        status=FixingStatus(int(judgement.fixing_status[row, column])),
        reason=Reason(int(judgement.reason[row, column])),
        weight=float(judgement.weight[row, column]),
        distance=float(judgement.distance[row, column]),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value

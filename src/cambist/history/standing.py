"""The standing of a code: the verdict on its newest day, each source's newest fixing, and since when it is open."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from cambist.history.as_of import CARRY_DAYS
from cambist.verdicts.explanation import DayVerdict, explain_day
from cambist.verdicts.facts import Bools
from cambist.verdicts.rules import RULES
from cambist.verdicts.verdict import DayStatus, FixingStatus, Judgement, Reason


@dataclass(frozen=True, slots=True)
class NewestFixing:
    """The newest fixing of a source, in units per dollar.

    `distance` is that from the level (log), None if the fixing was rejected. `held_since` is the first day since which
    the source's fixings are held without a break, None if this one is not.
    """

    source: str
    day: int
    units: float
    status: FixingStatus
    reason: Reason
    weight: float
    distance: float | None
    held_since: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds of a code on its newest day. `newest` has the sources that published within two weeks before it.

    `since` is the first day of those, up to the newest one, on which what is published was open without a break; None
    if it is not open. `units` is the published rate, None without one. `is_cut` says whether a first day may be
    earlier, before all that was judged.
    """

    verdict: DayVerdict
    newest: tuple[NewestFixing, ...]
    since: int | None
    units: float | None
    is_cut: bool


def standing_of(judgement: Judgement) -> Standing:
    """Return the standing of a code after a judgement, which has at least one row."""
    verdict = explain_day(judgement)
    row = len(judgement.days) - 1
    while row >= 0 and is_open(judgement, row):
        row -= 1
    last_rows = enumerate(_last_rows(judgement, len(judgement.days) - 1))
    newest = tuple(_newest(judgement, at, column) for column, at in last_rows if at >= 0)
    first, begin = int(judgement.days[0]), row + 1
    is_cut = row < 0 or any(each.held_since == first for each in newest) or _is_before(verdict.source_day, first)
    return Standing(
        verdict=verdict,
        newest=newest,
        since=int(judgement.days[begin]) if begin < len(judgement.days) else None,
        units=_published(judgement, verdict),
        is_cut=is_cut,
    )


def is_peaceful(judgement: Judgement) -> bool:
    """Return whether nothing is open on the newest day of a code, and nobody's fixing of the last two weeks is held."""
    row = len(judgement.days) - 1
    first = int(np.searchsorted(judgement.days, judgement.days[row] - CARRY_DAYS))
    is_held = judgement.fixing_status[first:] == int(FixingStatus.HELD)
    return not is_held.any() and not is_open(judgement, row)


def is_open(judgement: Judgement, row: int) -> bool:
    """Return whether a day is disputed or held, or the newest fixing of a source before the published one is held.

    What the operator has accepted or rejected is open no more.
    """
    published, status = int(judgement.source[row]), judgement.status[row]
    if published >= 0 and judgement.weight[row, published] >= RULES.accepted_weight:
        return False
    if status == DayStatus.DISPUTED:
        return True
    if status == DayStatus.HELD:
        return bool(_is_held(judgement, row, slice(None)).any())
    rows = enumerate(_last_rows(judgement, row)) if published >= 0 else ()
    return any(
        at >= 0 and _is_held(judgement, at, column)
        for column, at in rows
        if _rank(judgement, column) < _rank(judgement, published)
    )


def _is_held(judgement: Judgement, at: object, column: object) -> Bools:
    """Return which of some fixings are held, and not because they were rejected."""
    status, reason = judgement.fixing_status[at, column], judgement.reason[at, column]  # type: ignore[index]
    found: Bools = (status == FixingStatus.HELD) & (reason != Reason.REJECTED)
    return found


def _rank(judgement: Judgement, column: int) -> tuple[bool, int]:
    return judgement.sources[column].compiled, column


def _last_rows(judgement: Judgement, row: int) -> list[int]:
    """Return the row of each source's newest fixing on the two weeks up to a row; -1 if it has none there."""
    first = int(np.searchsorted(judgement.days, judgement.days[row] - CARRY_DAYS))
    present: Bools = judgement.fixing_status[first : row + 1] != FixingStatus.ABSENT
    last = row - np.argmax(present[::-1], axis=0)
    found: list[int] = np.where(present.any(axis=0), last, -1).tolist()
    return found


def _newest(judgement: Judgement, row: int, column: int) -> NewestFixing:
    distance = float(judgement.distance[row, column])
    return NewestFixing(
        source=judgement.sources[column].key,
        day=int(judgement.days[row]),
        units=rounded(float(judgement.values[row, column])),
        status=FixingStatus(int(judgement.fixing_status[row, column])),
        reason=Reason(int(judgement.reason[row, column])),
        weight=float(judgement.weight[row, column]),
        distance=None if np.isnan(distance) else distance,
        held_since=_held_since(judgement, row, column),
    )


def _held_since(judgement: Judgement, row: int, column: int) -> int | None:
    """Return since when the fixings of a source are held without a break; None if that of this row is not."""
    of_source = judgement.fixing_status[: row + 1, column]
    rows = np.flatnonzero(of_source != FixingStatus.ABSENT)
    is_held = _is_held(judgement, rows, column)
    if not is_held[-1]:
        return None
    ended = np.flatnonzero(~is_held)
    return int(judgement.days[rows[ended[-1] + 1 if len(ended) else 0]])


def _published(judgement: Judgement, verdict: DayVerdict) -> float | None:
    if verdict.source is None or verdict.source_day is None:
        return None
    row = int(np.searchsorted(judgement.days, verdict.source_day))
    if row < len(judgement.days) and judgement.days[row] == verdict.source_day:
        column = [source.key for source in judgement.sources].index(verdict.source)
        return rounded(float(judgement.values[row, column]))
    return None if verdict.level is None else rounded(verdict.level)


def rounded(level: float) -> float:
    """Return the rate of a level without the last digits, which a logarithm does not keep."""
    return float(f"{exp(level):.12g}")


def _is_before(day: int | None, first: int) -> bool:
    return day is not None and day < first

"""How many real fixings are held: the ECB's and the Federal Reserve's since 1999, on arrival and in the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tools.judge.series import HISTORY, Series, ecb_codes, ecb_series, fed_series

from cambist.verdicts.facts import CodeFixings, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.measured import CONTEXT_ROWS
from cambist.verdicts.rules import RULES, Rules
from cambist.verdicts.verdict import FixingStatus, Judgement

SOURCES = (SourceFacts("ecb", fixed_at=13.25), SourceFacts("fed", fixed_at=17.0))
NEAR = 0.004
"""A fixing so near to the last level is never held, so its arrival is not judged again."""


@dataclass(frozen=True, slots=True)
class HeldFixings:
    """Of so many fixings of a code, these were held on arrival and in the end, as days and columns."""

    code: str
    fixings: int
    on_arrival: list[tuple[int, int]]
    finally_held: list[tuple[int, int]]


def real_fixings(code: str, folder: Path = HISTORY) -> CodeFixings:
    """Return what both published about a code since 1999."""
    ecb = ecb_series(code)
    fed: Series = {day: value for day, value in fed_series(code, folder).items() if ecb and day >= min(ecb)}
    days = np.array(sorted({*ecb, *fed}), np.int64)
    values = np.array([[each.get(day, np.nan) for each in (ecb, fed)] for day in days.tolist()])
    return CodeFixings(days, SOURCES, values.reshape(-1, 2))


def held_fixings(code: str, rules: Rules = RULES, folder: Path = HISTORY, *, arrivals: bool = True) -> HeldFixings:
    """Judge a code's real fixings from the beginning, and each of them as it arrived."""
    fixings = real_fixings(code, folder)
    whole = judge(fixings, rules=rules)
    held = np.argwhere(whole.fixing_status == FixingStatus.HELD)
    at_first = list(_held_on_arrival(fixings, whole, rules)) if arrivals else []
    return HeldFixings(
        code,
        int(np.count_nonzero(~np.isnan(fixings.values))),
        [(int(fixings.days[row]), column) for row, column in at_first],
        [(int(fixings.days[row]), column) for row, column in held.tolist()],
    )


def _held_on_arrival(fixings: CodeFixings, whole: Judgement, rules: Rules) -> Iterator[tuple[int, int]]:
    for row in range(1, len(fixings.days)):
        moved = np.abs(fixings.values[row] - fixings.values[row - 1])
        if np.nanmax(np.abs(fixings.values[row] - whole.level[row - 1])) < NEAR and not (moved > NEAR).any():
            continue
        after = whole.frontier(row - 1)
        first = max(row - after.depth - CONTEXT_ROWS, 0)
        for column in np.flatnonzero(~np.isnan(fixings.values[row])).tolist():
            values = fixings.values[first : row + 1].copy()
            values[-1, column + 1 :] = np.nan
            known = judge(CodeFixings(fixings.days[first : row + 1], fixings.sources, values), rules=rules, after=after)
            if known.fixing_status[-1, column] == FixingStatus.HELD:
                yield row, column


def all_held(rules: Rules = RULES, folder: Path = HISTORY, *, arrivals: bool = True) -> list[HeldFixings]:
    """Judge every code of the ECB."""
    return [held_fixings(code, rules, folder, arrivals=arrivals) for code in ecb_codes()]

"""Invariants of verdicts against the truth, on codes that the operator has decided nothing about.

- A true jump is served with the fixing of the k-th source, as soon as k of n sources say it, two or more and more than
  half of them, if all fixings so far are right. Where a law fixes the rate, three must say it.
- Where two or more honest sources say something, and more honest ones than others, no day is wrong in the end.
- A wrong fixing of one day is not published in the end if another source said something right on that day.

The issuer of a currency weighs more than the others, so these hold only as far as it is not among those who are wrong,
or late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from math import exp, log

import numpy as np
from tools.simulation.reference_rates import legal_rate
from tools.simulation.reference_verdicts import CodeVerdicts
from tools.simulation.scenario import Jump
from tools.simulation.scripted_source import ScriptedSource
from tools.simulation.violation import require

from cambist.history.code_judgement import day_number, day_of
from cambist.history.code_rates import HELD
from cambist.verdicts.facts import Bools
from cambist.verdicts.rules import RULES

JUMP_SERVED = "a true jump is served with the fixing that makes a majority"
NO_WRONG_DAY = "no day is wrong in the end where most sources are honest"
NO_SPIKE = "no wrong fixing of one day is published in the end"

_RIGHT = 0.003
_SERVED = 0.015
_WRONG = 0.10
_SPIKE_ROWS = 2
_CALM_DAYS = 5
_LEAST, _LEAST_OFF_PEG = 2, 3


class TruthInvariants:
    """What is published, beside what is true."""

    def __init__(self, scripted: Mapping[str, ScriptedSource], first_day: date, jumps: Sequence[Jump]) -> None:
        self._scripted = scripted
        self._jumps = [(day_number(first_day) + each.day, each) for each in jumps]

    def check_jump(self, found: CodeVerdicts) -> None:
        """Check what is published of the newest day of a code that has jumped."""
        row, day = len(found.days) - 1, int(found.days[-1])
        past = [jump for on, jump in self._jumps if jump.code == found.code and on <= day]
        if not past or not self._right(found).all():
            return
        level = self._true(found, len(found.sources), day)
        said = found.said(row)
        new = {key for key, units in said.items() if _distance(units, level) < _RIGHT}
        recent = slice(int(np.searchsorted(found.days, day - RULES.carried_days)), None)
        speaking = {
            source.key for column, source in enumerate(found.sources) if not np.isnan(found.units[recent, column]).all()
        }
        issuers = {source.key for source in found.sources if source.anchor == found.code} & speaking
        originals = {source.key for source in found.sources if not source.compiled}
        least = _LEAST if legal_rate(found.code, day_of(day)) is None else _LEAST_OFF_PEG
        if len(new & originals) >= least and 2 * len(new) > len(speaking) and issuers <= new:
            key = found.published[row]
            sentence = f"{found.code} on {day_of(day)} is [{key}] of {said}, where {sorted(new)} say {level}"
            require(key != HELD and _distance(said.get(key, 0.0), level) < _SERVED, JUMP_SERVED, sentence)

    def check_end(self, found: CodeVerdicts) -> None:
        """Check all days of a code at the end."""
        right = self._right(found)
        self._check_majorities(found, right)
        self._check_spikes(found, right)

    def _check_majorities(self, found: CodeVerdicts, right: Bools) -> None:
        honest: Bools = np.all(right, axis=0)
        if not all(honest[column] for column, source in enumerate(found.sources) if source.anchor == found.code):
            return
        is_original = np.array([not source.compiled for source in found.sources])
        is_said = ~np.isnan(found.units)
        for row in np.flatnonzero((is_said & honest & is_original).sum(axis=1) > 1).tolist():
            by_honest = found.units[row][is_said[row] & honest]
            if len(by_honest) > (is_said[row] & ~honest).sum() and honest.sum() > (~honest).sum():
                served = _served(found, row)
                distance = min(_distance(served, units) for units in by_honest.tolist())
                sentence = f"{found.code} on {day_of(int(found.days[row]))} is {served}, of {found.said(row)}"
                require(distance < _SERVED, NO_WRONG_DAY, sentence)

    def _check_spikes(self, found: CodeVerdicts, right: Bools) -> None:
        is_said, near = ~np.isnan(found.units), 2 * _SPIKE_ROWS
        for row, column in np.argwhere(is_said & ~right).tolist():
            day, own = int(found.days[row]), np.flatnonzero(is_said[:, column])
            place = int(np.searchsorted(own, row))
            is_between = _SPIKE_ROWS <= row < len(found.days) - _SPIKE_ROWS and 0 < place < len(own) - 1
            is_calm = all(jump.code != found.code or abs(on - day) > _CALM_DAYS for on, jump in self._jumps)
            around = right[max(row - near, 0) : row + near + 1].copy()
            around[row - max(row - near, 0), column] = True
            if is_between and is_calm and around.all() and is_said[row].sum() > 1:
                truth = self._true(found, column, day)
                others = [found.units[row, each] for each in np.flatnonzero(is_said[row]) if each != column]
                is_spike = _distance(found.units[row, column], truth) > _WRONG
                distance = min(_distance(_served(found, row), units) for units in others)
                sentence = f"{found.code} on {day_of(day)} is {_served(found, row)}, of {found.said(row)}"
                require(not is_spike or distance < _SERVED, NO_SPIKE, sentence)

    def _right(self, found: CodeVerdicts) -> Bools:
        """Return which fixings are right, those that are not there too."""
        true = [[self._true(found, column, day) for column in range(len(found.sources))] for day in found.days.tolist()]
        with np.errstate(invalid="ignore"):
            is_right: Bools = ~(np.abs(np.log(found.units / np.array(true))) >= _RIGHT)
        return is_right

    def _true(self, found: CodeVerdicts, column: int, day: int) -> float:
        """Return the true rate of a day at the hour of a source; at the end of the day for no source."""
        scripted = self._scripted[found.sources[min(column, len(found.sources) - 1)].key]
        on = day_of(day)
        hours = () if column == len(found.sources) else (scripted.hour_of(on),)
        return scripted.truth.units(found.code, on, *hours)


def _served(found: CodeVerdicts, row: int) -> float:
    """Return the rate that is in force on a row; NaN without one."""
    judgement = found.judgement
    if judgement.source[row] < 0:
        return float("nan")
    level = found.units[int(np.searchsorted(found.days, judgement.source_day[row])), judgement.source[row]]
    return float(level) if not np.isnan(level) else exp(judgement.level[row])


def _distance(one: float, other: float) -> float:
    """Return how far (log) two rates are from one another; one that is not there is far from all."""
    return abs(log(one / other)) if one > 0 and other > 0 else float("inf")

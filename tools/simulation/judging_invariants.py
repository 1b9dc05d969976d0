"""Invariants of judging: the log and what a node remembers are what follows from all fixings, and what it costs.

What is compared with is derived from the beginning, from days in their order. So equal verdicts also say that neither
the order of arrival, nor batches, nor restarts have made a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from math import log

from tools.simulation.reference_verdicts import CodeVerdicts, ReferenceVerdicts
from tools.simulation.stored_rows import Rows
from tools.simulation.truth_invariants import TruthInvariants
from tools.simulation.violation import require

from cambist.history.code_judgement import day_of
from cambist.history.code_rates import HELD, PREFERRED, WITHDRAWN
from cambist.history.judging import Judging
from cambist.history.standing import Standing, standing_of
from cambist.verdicts.rules import RULES

DERIVED = "verdicts are what follows from all fixings"
NOTHING_NEW = "a verdict is logged when it changes"
COST = "a delivery costs no more than judging its codes"
NO_UNIT_JUMP = "one source alone never moves a level by a unit"

_JUDGINGS_OF_A_CODE = 2
_AGREED = 0.02


class JudgingInvariants:
    """Compares the log with the reference after each judging, for the codes that it was about.

    `dirty` are the codes of which something was filed or decided since the verdicts were compared last, `changed_days`
    are the first days on which verdicts have changed meanwhile.
    """

    def __init__(self, rows: Rows, reference: ReferenceVerdicts, truth: TruthInvariants, judged_every: int = 1) -> None:
        self._rows = rows
        self._reference = reference
        self._truth = truth
        self._judged_every = judged_every
        self._count = 0
        self._is_first = True
        self._seen = 0
        self._logged: dict[str, dict[int, str]] = {}
        self._known: dict[str, CodeVerdicts] = {}
        self.dirty: set[str] = set()
        self.changed_days: set[int] = set()

    def reset(self, rows: Rows, reference: ReferenceVerdicts) -> None:
        """Begin again with what a database has after its machine lost power."""
        self._rows, self._reference = rows, reference
        self._seen, self._logged, self._known, self._is_first = 0, {}, {}, True
        self.dirty = set(reference.codes)

    def begin_again(self) -> None:
        """Note that a node may have to judge everything: it has begun, it has failed, or another process has judged."""
        self._is_first = True

    def check(self, judged: Iterable[str], judging: Judging | None, *, is_due: bool = False) -> None:
        """Check which codes were judged, and the verdicts on the dirty ones; `judging` is what a node remembers.

        Verdicts are compared now and then, or if it `is_due`.
        """
        self.dirty |= self._reference.decide(self._rows.decisions())
        self._check_cost(judged)
        self._count, self._is_first = self._count + 1, False
        self._read_log()
        if is_due or self._count % self._judged_every == 0:
            for code in sorted(self.dirty):
                found = self._check_code(code)
                if found is not None and code not in self._reference.decided:
                    self._truth.check_jump(found)
                if found is not None and judging is not None:
                    _check_remembered(judging, found)
            self.dirty.clear()

    def check_whole(self) -> None:
        """Check all verdicts at the end, when everything is judged."""
        self._reference.decide(self._rows.decisions())
        self._read_log()
        for code in sorted(self._reference.codes):
            found = self._check_code(code)
            if found is not None and code not in self._reference.decided:
                self._truth.check_end(found)

    def _read_log(self) -> None:
        for row in self._rows.verdicts(self._seen):
            of_code = self._logged.setdefault(row.code, {})
            before = of_code.pop(row.day, PREFERRED)
            require(before != row.outcome, NOTHING_NEW, f"{row} changes nothing")
            if row.outcome != PREFERRED:
                of_code[row.day] = row.outcome
            self._seen = row.number

    def _check_code(self, code: str) -> CodeVerdicts | None:
        found = self._reference.verdicts(code)
        if found is None:
            return None
        for name, expected in self._reference.outcomes(code).items():
            logged = self._logged.get(name, {})
            for day in sorted({*logged, *expected}):
                own, due = logged.get(day, PREFERRED), expected.get(day, PREFERRED)
                said = found.said(int(found.days.searchsorted(day)))
                require(own == due, DERIVED, f"{name} on {day_of(day)} is [{own}] in the log, not [{due}]: {said}")
        check_unit_jumps(found)
        self.changed_days |= _first_change(self._known.get(code), found)
        self._known[code] = found
        return found

    def _check_cost(self, judged: Iterable[str]) -> None:
        for code, count in Counter(judged).items():
            is_due = self._is_first or code in self.dirty
            require(is_due, COST, f"{code} was judged, of which nothing was filed or decided")
            is_once = self._is_first or count <= _JUDGINGS_OF_A_CODE
            require(is_once, COST, f"{code} was judged {count} times at once")


def _first_change(before: CodeVerdicts | None, now: CodeVerdicts) -> set[int]:
    """Return the first day on which what is published of a code has changed, or what is held of its issuers."""
    if before is None:
        return {int(now.days[0])}
    days = before.by_day.keys() | now.by_day.keys()
    changed = {day for day in days if before.by_day.get(day) != now.by_day.get(day)}
    held = before.held_by_issuers(), now.held_by_issuers()
    for key in held[0].keys() | held[1].keys():
        changed |= held[0].get(key, frozenset()) ^ held[1].get(key, frozenset())
    return {min(changed)} if changed else set()


def _check_remembered(judging: Judging, found: CodeVerdicts) -> None:
    """Check what a node remembers of the newest day of a code: to the last digit."""
    if found.code in judging.standings:
        own, expected = _comparable(judging.standings[found.code]), _comparable(standing_of(found.judgement))
        require(own == expected, DERIVED, f"{found.code} stands as {own}, not as {expected}")
    elif found.code in judging.peaceful:
        standing = standing_of(found.judgement)
        is_open = standing.since is not None or any(each.held_since is not None for each in standing.newest)
        require(not is_open, DERIVED, f"{found.code} is taken for peaceful, but stands as {standing}")


def _comparable(standing: Standing) -> str:
    """Return all of a standing but whether it may begin earlier, which depends on how much was judged."""
    return repr(replace(standing, is_cut=False))


def check_unit_jumps(found: CodeVerdicts) -> None:
    """Check that no level moves by the factor of a unit unless two originals say so, or the operator."""
    before: tuple[int, float] | None = None
    for row, (day, key) in enumerate(found.by_day.items()):
        if key in {HELD, WITHDRAWN}:
            continue
        said = found.said(row)
        units = said[key]
        if before is not None and day - before[0] <= RULES.restart_days and _is_unit(before[1], units):
            originals = [
                column
                for column, source in enumerate(found.sources)
                if not source.compiled and source.key in said and abs(log(said[source.key] / units)) < _AGREED
            ]
            is_decided = float(found.judgement.weight[row].max()) >= RULES.accepted_weight
            sentence = f"{found.code} is {units} by {key} on day {day}, after {before[1]}; said are {said}"
            require(len(originals) > 1 or is_decided, NO_UNIT_JUMP, sentence)
        before = day, units


def _is_unit(old: float, new: float) -> bool:
    size = abs(log(new / old))
    is_exchanged = abs(log(new * old)) < RULES.unit_tolerance
    if size <= RULES.jump_most:
        return False
    return is_exchanged or any(abs(size - log(factor)) < RULES.unit_tolerance / 2 for factor in RULES.units)

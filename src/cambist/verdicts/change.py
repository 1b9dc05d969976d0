"""A change of past fixings: which days have to be judged again, and which verdicts stand."""

from __future__ import annotations

import numpy as np

from cambist.verdicts.facts import NO_REFERENCE, Bools, CodeFixings, CodeReference, Floats
from cambist.verdicts.frontier import BEGINNING, Frontier
from cambist.verdicts.judge import judge
from cambist.verdicts.measured import CONTEXT_ROWS
from cambist.verdicts.rules import RULES, Rules
from cambist.verdicts.verdict import Judgement


def judge_changed(
    fixings: CodeFixings,
    before: Judgement,
    changed: tuple[int, int],
    reference: CodeReference = NO_REFERENCE,
    rules: Rules = RULES,
) -> Judgement:
    """Return the verdicts on the days that fixings changed between two days (both inclusive) can have changed.

    `fixings` are all that are known now, `before` the verdicts on all that was known before. Verdicts `before` on days
    after the last one of the result stand, and so do those before its second one, unless its `withdrawals` reach back
    to them. A change reaches as many rows as its day decides the scale of; the result goes on beyond them only while
    more than one level is possible, or another one than before.
    """
    oldest, newest = changed
    row = int(np.searchsorted(before.days, oldest)) - 1
    after = before.frontier(row) if row >= 0 else BEGINNING
    start = int(np.searchsorted(fixings.days, after.day, side="right"))
    first = max(start - after.depth - CONTEXT_ROWS, 0)
    reach = CONTEXT_ROWS + rules.window + 1
    end = int(np.searchsorted(fixings.days, newest, side="right")) + reach
    while True:
        part = judge(_rows(fixings, first, end), _reference(reference, first, end), rules, after)
        if end >= len(fixings.days):
            return part
        if _is_as_before(part.frontier(), before):
            return _with_later_withdrawals(part, before)
        end += reach


def _is_as_before(frontier: Frontier, before: Judgement) -> bool:
    row = int(np.searchsorted(before.days, frontier.day))
    return len(frontier.states) == 1 and row < len(before.days) and frontier == before.frontier(row)


def _with_later_withdrawals(part: Judgement, before: Judgement) -> Judgement:
    last = int(part.days[-1])
    for since, until in before.withdrawals:
        if until >= last:
            part = part.without(since, until)
    return part


def _rows(fixings: CodeFixings, first: int, end: int) -> CodeFixings:
    def part(column: Bools | None) -> Bools | None:
        return None if column is None else column[first:end]

    return CodeFixings(
        fixings.days[first:end],
        fixings.sources,
        fixings.values[first:end],
        part(fixings.accepted),
        part(fixings.rejected),
        {(row - first, column): code for (row, column), code in fixings.taken_for.items() if first <= row < end},
    )


def _reference(reference: CodeReference, first: int, end: int) -> CodeReference:
    pegs: Floats | None = None if reference.pegs is None else reference.pegs[first:end]
    return CodeReference(pegs, reference.redenominations, reference.plausible)

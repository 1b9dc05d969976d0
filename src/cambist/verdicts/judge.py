"""The judge: derives the verdicts on one code from all its fixings.

Where all sources agree and nothing jumps, a day's verdict depends on that day alone, and all such days are judged
together, as columns. Only the days between are judged one by one, by the cheapest path.
"""

from __future__ import annotations

import numpy as np

from cambist.verdicts.clusters import Cluster, clusters_of
from cambist.verdicts.facts import NO_REFERENCE, CodeFixings, CodeReference
from cambist.verdicts.frontier import BEGINNING, Frontier, State
from cambist.verdicts.measured import Measured, measure_rows, plain_rows
from cambist.verdicts.path import Day, begin, step
from cambist.verdicts.publication import verdict_columns
from cambist.verdicts.rules import RULES, Rules
from cambist.verdicts.trail import Trail
from cambist.verdicts.verdict import Judgement


def judge(
    fixings: CodeFixings,
    reference: CodeReference = NO_REFERENCE,
    rules: Rules = RULES,
    after: Frontier = BEGINNING,
) -> Judgement:
    """Return the verdicts on a code.

    With `after`, only the rows after that frontier are judged, and those before it that were still open. The 76 rows
    before those must be among the fixings. The result is the same as from the beginning, bit for bit.
    """
    start = int(np.searchsorted(fixings.days, after.day, side="right"))
    first = max(start - after.depth, 0)
    measured = measure_rows(fixings, reference, first, rules)
    trail = Trail((source.key for source in fixings.sources), measured.consent, start, after.states, rules)
    for row in range(first, start):
        trail.clusters[row] = _clusters(fixings, measured, row)
    contested = np.append(
        np.flatnonzero(~plain_rows(fixings.days, measured, rules)[start:]) + start, len(fixings.days)
    ).tolist()
    row, place = start, 0
    while row < len(fixings.days):
        while contested[place] < row:
            place += 1
        if contested[place] > row and _is_where_agreed(trail.states, measured, row - 1):
            trail.pass_plain_rows(contested[place])
            row = contested[place]
            continue
        trail.clusters[row] = _clusters(fixings, measured, row)
        day = _day(fixings, measured, row, trail.clusters[row])
        is_first = row == 0 or not trail.states or fixings.days[row] - fixings.days[row - 1] > rules.restart_days
        if is_first:
            plausible = None if row else reference.plausible
            trail.append(begin(day, plausible, trail.states[0] if trail.states else None, rules))
        else:
            trail.append(step(trail.states, day, rules))
        row += 1
    trail.finish()
    return verdict_columns(fixings, measured, trail, after, rules)


def _is_where_agreed(states: tuple[State, ...], measured: Measured, row: int) -> bool:
    return len(states) == 1 and states[0].level == float(measured.consent.level[row])


def _clusters(fixings: CodeFixings, measured: Measured, row: int) -> list[Cluster]:
    return clusters_of(measured.values[row], measured.weights[row], float(measured.scale.same[row]), fixings.sources)


def _day(fixings: CodeFixings, measured: Measured, row: int, clusters: list[Cluster]) -> Day:
    weights = measured.carried_weights[row]
    peg = float(measured.pegs[row])
    accepted = fixings.accepted[row] if fixings.accepted is not None else ()
    return Day(
        day=int(fixings.days[row]),
        clusters=clusters,
        carried=measured.carried[row][weights > 0],
        carried_weights=weights[weights > 0],
        same=float(measured.scale.same[row]),
        jump=float(measured.jumps[row]),
        moves=float(measured.scale.moves[row]),
        shift=float(measured.shift[row]),
        peg=None if np.isnan(peg) else peg,
        accepted=frozenset(np.flatnonzero(accepted).tolist()),
        taken_for=frozenset(column for at, column in fixings.taken_for if at == row),
    )

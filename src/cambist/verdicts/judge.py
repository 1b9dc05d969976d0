"""The judge: derives the verdicts on one code from all its fixings.

Where all sources agree and nothing jumps, a day's verdict depends on that day alone, and all such days are judged
together, as columns. Only the days between are judged one by one, by the cheapest path.
"""

from __future__ import annotations

import numpy as np

from cambist.verdicts.clusters import Cluster, clusters_of
from cambist.verdicts.facts import NO_REFERENCE, CodeFixings, CodeReference
from cambist.verdicts.frontier import BEGINNING, HOLD, Frontier, State
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

    With `after`, only the rows after that frontier are judged, and those before it that were still open; of the others
    only the last `CONTEXT_ROWS` and the one that was published last must be among the fixings. The result is the same
    as from the beginning, bit for bit.
    """
    start = int(fixings.days.searchsorted(after.day, side="right"))
    first = max(start - after.depth, 0)
    measured = measure_rows(fixings, reference, after, first, rules)
    trail = Trail((source.key for source in fixings.sources), measured.consent, start - first, after.states, rules)
    is_open = (
        after.depth > 1 or any(state.cluster == HOLD for state in after.states) or not measured.consent.is_one.all()
    )
    for row in range(start - first if is_open else 0):
        trail.clusters[row] = _clusters(fixings, measured, row)
    is_contested = ~plain_rows(measured, rules)
    ends = np.array([*np.flatnonzero(is_contested).tolist(), len(is_contested)])
    row = start - first
    while row < len(is_contested):
        if not is_contested[row] and _is_where_agreed(trail.states, measured, row - 1):
            row = int(ends[ends.searchsorted(row)])
            trail.pass_plain_rows(row)
            continue
        trail.clusters[row] = _clusters(fixings, measured, row)
        trail.append(_states(trail.states, _day(fixings, measured, first, row, trail.clusters[row]), reference, rules))
        row += 1
    trail.finish()
    return verdict_columns(fixings, measured, trail, after, rules)


def _states(states: tuple[State, ...], day: Day, reference: CodeReference, rules: Rules) -> tuple[State, ...]:
    if not states:
        return begin(day, reference.plausible, None, rules)
    return begin(day, None, states[0], rules) if day.gap > rules.restart_days else step(states, day, rules)


def _is_where_agreed(states: tuple[State, ...], measured: Measured, row: int) -> bool:
    return len(states) == 1 and states[0].level == float(measured.consent.level[row])


def _clusters(fixings: CodeFixings, measured: Measured, row: int) -> list[Cluster]:
    return clusters_of(measured.values[row], measured.weights[row], float(measured.scale.same[row]), fixings.sources)


def _day(fixings: CodeFixings, measured: Measured, first: int, row: int, clusters: list[Cluster]) -> Day:
    weights, peg = measured.carried_weights[row], float(measured.pegs[row])
    accepted = fixings.accepted[first + row] if fixings.accepted is not None else ()
    return Day(
        day=int(measured.days[row]),
        gap=int(measured.days[row] - fixings.days[first + row - 1]) if first + row else 0,
        clusters=clusters,
        carried=measured.carried[row][weights > 0],
        carried_weights=weights[weights > 0],
        same=float(measured.scale.same[row]),
        jump=float(measured.jumps[row]),
        moves=float(measured.scale.moves[row]),
        shift=float(measured.shift[row]),
        peg=None if np.isnan(peg) else peg,
        accepted=frozenset(np.flatnonzero(accepted).tolist()),
    )

"""Publication: which source's fixing is published of a day, and how sure it is."""

from __future__ import annotations

import numpy as np

from cambist.verdicts.facts import Bools, CodeFixings, Floats, Ints
from cambist.verdicts.fixing_statuses import fixing_statuses, reasons
from cambist.verdicts.frontier import HOLD, Frontier
from cambist.verdicts.measured import Measured
from cambist.verdicts.rules import Rules
from cambist.verdicts.trail import Trail
from cambist.verdicts.verdict import DayStatus, Judgement


def verdict_columns(fixings: CodeFixings, measured: Measured, trail: Trail, after: Frontier, rules: Rules) -> Judgement:
    """Return the verdicts of the rows of a trail, which continues from a frontier."""
    with np.errstate(invalid="ignore"):
        chosen = _chosen(measured, trail)
        source = _published(measured, trail.level, chosen, rules)
        status = _day_statuses(measured, trail, chosen, rules)
        found = fixing_statuses(measured, trail.level, rules)
        why = reasons(measured, trail.level, found, rules)
    said_by, said_day = _carried_on(source, measured.days, after, fixings)
    status[(said_by < 0) & (status == DayStatus.HELD)] = DayStatus.NONE
    has_value = status != DayStatus.NONE
    judgement = Judgement(
        days=measured.days,
        sources=fixings.sources,
        values=fixings.values[len(fixings.days) - len(status) :],
        level=np.where(has_value, trail.level - measured.shift, np.nan),
        status=status,
        source=np.where(has_value, said_by, -1),
        source_day=np.where(has_value, said_day, 0),
        other=_others(measured, trail, status),
        fixing_status=found,
        reason=why,
        weight=measured.weights,
        distance=measured.values - trail.level[:, None],
        trail=trail,
        said_by=said_by,
        said_day=said_day,
        seen=measured.seen,
        shift=measured.shift,
    )
    for since, until in judgement.withdrawals:
        judgement = judgement.without(since, until)
    return judgement


def _carried_on(source: Ints, days: Ints, after: Frontier, fixings: CodeFixings) -> tuple[Ints, Ints]:
    """Return of which source and day the published fixing is, on held days the last one before."""
    keys = [each.key for each in fixings.sources]
    number = keys.index(after.source) if after.source else -1
    last = np.maximum.accumulate(np.where(source >= 0, np.arange(len(source)), -1))
    return np.where(last >= 0, source[last], number), np.where(last >= 0, days[last], after.source_day)


def _chosen(measured: Measured, trail: Trail) -> Bools:
    """Return which fixings say the level of their day."""
    chosen: Bools = (measured.weights > 0) & (trail.cluster != HOLD)[:, None]
    for row, groups in trail.clusters.items():
        chosen[row] = False
        if trail.cluster[row] != HOLD:
            chosen[row, groups[trail.cluster[row]].columns] = True
    return chosen


def _published(measured: Measured, level: Floats, chosen: Bools, rules: Rules) -> Ints:
    """Return the source whose fixing is published, -1 where none is: the best-ranked that is near to the level."""
    scale = measured.scale
    near = np.maximum(np.maximum(rules.near_least, rules.near_spreads * scale.spreads), rules.near_moves * scale.moves)
    is_pair = chosen.sum(axis=1, keepdims=True) == 2
    is_near = (np.abs(measured.values - level[:, None]) <= near[:, None]) | is_pair
    eligible = chosen
    for preferred in (~measured.kinds.compiled, is_near, ~measured.late):
        better = eligible & preferred
        eligible = np.where(better.any(axis=1, keepdims=True), better, eligible)
    published: Ints = np.where(eligible.any(axis=1), np.argmax(eligible, axis=1), -1)
    return published


def _others(measured: Measured, trail: Trail, status: Ints) -> Floats:
    """Return what most of the rest say on days that are disputed or held."""
    other = np.full(len(status), np.nan)
    for row, groups in trail.clusters.items():
        rest = [group for group in groups if group.number != trail.cluster[row]]
        if rest and status[row] in {DayStatus.DISPUTED, DayStatus.HELD, DayStatus.NONE}:
            other[row] = max(rest, key=lambda group: group.weight).level - measured.shift[row]
    return other


def _day_statuses(measured: Measured, trail: Trail, chosen: Bools, rules: Rules) -> Ints:
    reach = measured.scale.same + measured.jumps
    is_here = np.abs(measured.carried - trail.level[:, None]) <= reach[:, None]
    here = (measured.weights * chosen).sum(axis=1)
    elsewhere = measured.weights.sum(axis=1) - here + (measured.carried_weights * ~is_here).sum(axis=1)
    fixings = (measured.weights > 0).sum(axis=1)
    agreeing = chosen.sum(axis=1)
    status = np.full(len(fixings), int(DayStatus.DISPUTED))
    status[2 * agreeing > fixings] = DayStatus.MAJORITY
    status[agreeing == fixings] = DayStatus.AGREED
    status[elsewhere >= rules.disputed * (here + elsewhere)] = DayStatus.DISPUTED
    status[fixings == 1] = DayStatus.SINGLE
    status[trail.cluster == HOLD] = DayStatus.HELD
    return status

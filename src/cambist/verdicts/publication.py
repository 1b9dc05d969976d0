"""Publication: which source's fixing is published of a day, how sure it is, and what became of every fixing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cambist.verdicts.clusters import Cluster
from cambist.verdicts.facts import Bools, CodeFixings, Floats, Ints
from cambist.verdicts.frontier import HOLD
from cambist.verdicts.measured import Measured
from cambist.verdicts.rules import Rules
from cambist.verdicts.trail import Trail
from cambist.verdicts.verdict import DayStatus, FixingStatus, Judgement, Reason


def verdict_columns(
    fixings: CodeFixings,
    measured: Measured,
    trail: Trail,
    clusters: Mapping[int, list[Cluster]],
    first: int,
    rules: Rules,
) -> Judgement:
    """Return the verdicts of the rows of a trail."""
    with np.errstate(invalid="ignore"):
        chosen = _chosen(measured, trail, clusters)
        said_by = _published(fixings, measured, trail.level, chosen, rules)
        distance = measured.values - trail.level[:, None]
        is_here = (measured.scale.same + measured.jumps)[:, None] >= np.abs(measured.carried - trail.level[:, None])
        elsewhere = (measured.weights * ~chosen).sum(axis=1) + (measured.carried_weights * ~is_here).sum(axis=1)
        status = _statuses(measured, trail, chosen, elsewhere, rules)
        found = _fixing_statuses(fixings, measured, trail.level, rules)
        reasons = (
            _reasons(measured, trail.level, found, rules)
            if (found == FixingStatus.HELD).any()
            else np.zeros_like(found)
        )
    rows = np.arange(len(status))
    row_of = np.maximum.accumulate(np.where(said_by >= 0, rows, -1))
    source = np.where(row_of >= 0, said_by[row_of], -1)
    level = trail.level - measured.shift
    nothing = (row_of < 0) & (status == DayStatus.HELD)
    status[nothing] = DayStatus.NONE
    for since, row in trail.withdrawn:
        status[(fixings.days >= since) & (rows < row)] = DayStatus.WITHDRAWN
    no_value = (status == DayStatus.NONE) | (status == DayStatus.WITHDRAWN)
    level[no_value], source[no_value], row_of[no_value] = np.nan, -1, -1
    other = np.full(len(status), np.nan)
    for row, groups in clusters.items():
        rest = [group for group in groups if group.number != trail.cluster[row]]
        if rest and status[row] in {DayStatus.DISPUTED, DayStatus.HELD}:
            other[row] = max(rest, key=lambda group: group.weight).level - measured.shift[row]
    return Judgement(
        fixings, first, level, status, source, row_of, other, found, reasons, measured.weights, distance, trail
    )


def _chosen(measured: Measured, trail: Trail, clusters: Mapping[int, list[Cluster]]) -> Bools:
    """Return which fixings say the level of their day."""
    chosen: Bools = (measured.weights > 0) & (trail.cluster != HOLD)[:, None]
    for row, groups in clusters.items():
        chosen[row] = False
        if trail.cluster[row] != HOLD:
            chosen[row, groups[trail.cluster[row]].columns] = True
    return chosen


def _published(fixings: CodeFixings, measured: Measured, level: Floats, chosen: Bools, rules: Rules) -> Ints:
    """Return the source whose fixing is published, -1 where none is: the best-ranked that is near to the level."""
    scale = measured.scale
    near = np.maximum(np.maximum(rules.near_least, rules.near_spreads * scale.spreads), rules.near_moves * scale.moves)
    is_near: Bools = np.abs(measured.values - level[:, None]) <= near[:, None]
    is_near |= (np.count_nonzero(chosen, axis=1) == 2)[:, None]
    is_original: Bools = np.array([[not source.compiled for source in fixings.sources]], np.bool_)
    eligible = chosen
    for preferred in (is_original, is_near, ~measured.late):
        better = eligible & preferred
        eligible = np.where(better.any(axis=1)[:, None], better, eligible)
    published: Ints = np.where(eligible.any(axis=1), np.argmax(eligible, axis=1), -1)
    return published


def _statuses(measured: Measured, trail: Trail, chosen: Bools, elsewhere: Floats, rules: Rules) -> Ints:
    fixings = np.count_nonzero(measured.weights > 0, axis=1)
    agreeing = np.count_nonzero(chosen, axis=1)
    here = (measured.weights * chosen).sum(axis=1)
    is_disputed = elsewhere >= rules.disputed * (here + elsewhere)
    return np.select(
        [trail.cluster == HOLD, fixings == 1, is_disputed, agreeing == fixings, 2 * agreeing > fixings],
        [DayStatus.HELD, DayStatus.SINGLE, DayStatus.DISPUTED, DayStatus.AGREED, DayStatus.MAJORITY],
        DayStatus.DISPUTED,
    )


def _fixing_statuses(fixings: CodeFixings, measured: Measured, level: Floats, rules: Rules) -> Ints:
    reach = rules.agreed_same * measured.scale.same
    before = np.concatenate(([np.nan], level[:-1]))
    is_jump = np.abs(level - before) > reach
    low, high = np.minimum(level, before) - reach, np.maximum(level, before) + reach
    is_between = (measured.values >= low[:, None]) & (measured.values <= high[:, None])
    return np.select(
        [
            np.isnan(fixings.values),
            np.abs(measured.values - level[:, None]) <= reach[:, None],
            is_jump[:, None] & is_between,
        ],
        [FixingStatus.ABSENT, FixingStatus.AGREED, FixingStatus.EARLY],
        FixingStatus.HELD,
    )


def _reasons(measured: Measured, level: Floats, found: Ints, rules: Rules) -> Ints:
    apart = np.abs(measured.values - level[:, None])
    is_unit = np.zeros(apart.shape, np.bool_)
    for factor in rules.units:
        is_unit |= np.abs(apart - np.log(factor)) < rules.unit_tolerance
    is_unit |= np.abs(measured.values + level[:, None] - 2 * measured.shift[:, None]) < rules.unit_tolerance
    several = np.count_nonzero(~np.isnan(measured.values), axis=1) > 1
    reasons = np.select(
        [
            np.isnan(measured.values),
            is_unit,
            measured.repeated,
            measured.late,
            np.broadcast_to(several[:, None], apart.shape),
        ],
        [Reason.REJECTED, Reason.UNIT, Reason.REPEATED, Reason.DAY_LATE, Reason.CONTRADICTED],
        Reason.JUMP,
    )
    return np.where(found == FixingStatus.HELD, reasons, Reason.NONE)

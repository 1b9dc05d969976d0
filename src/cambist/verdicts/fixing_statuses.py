"""What became of every fixing of a code, and why some are held."""

from __future__ import annotations

import numpy as np

from cambist.verdicts.facts import Bools, Floats, Ints
from cambist.verdicts.measured import Measured
from cambist.verdicts.rules import Rules
from cambist.verdicts.verdict import FixingStatus, Reason


def fixing_statuses(measured: Measured, level: Floats, rules: Rules) -> Ints:
    """Return what each fixing was found to be, by the level of its day and of the row before."""
    reach = rules.agreed_same * measured.scale.same
    before = np.concatenate(([np.nan], level[:-1]))
    is_jump = np.abs(level - before) > reach
    found = np.full(measured.values.shape, int(FixingStatus.HELD))
    if is_jump.any():
        low, high = np.minimum(level, before) - reach, np.maximum(level, before) + reach
        is_between = (measured.values >= low[:, None]) & (measured.values <= high[:, None])
        found[is_jump[:, None] & is_between] = FixingStatus.EARLY
    found[np.abs(measured.values - level[:, None]) <= reach[:, None]] = FixingStatus.AGREED
    found[np.isnan(measured.values) & ~measured.rejected] = FixingStatus.ABSENT
    return found


def reasons(measured: Measured, level: Floats, found: Ints, rules: Rules) -> Ints:
    """Return why fixings are held, the most specific reason of each."""
    held = np.flatnonzero((found == FixingStatus.HELD).any(axis=1))
    why = np.full(found.shape, int(Reason.NONE))
    if not len(held):
        return why
    values, agreed, pegs = measured.values[held], level[held, None], measured.pegs[held, None]
    is_denied = np.count_nonzero(~np.isnan(values), axis=1, keepdims=True) > 1
    of_held = np.where(is_denied, int(Reason.CONTRADICTED), int(Reason.JUMP)) + np.zeros(values.shape, np.int64)
    for reason, applies in (
        (Reason.DAY_LATE, measured.late[held]),
        (Reason.REPEATED, measured.repeated[held]),
        (Reason.OFF_PEG, (np.abs(agreed - pegs) <= rules.peg) & (np.abs(values - pegs) > rules.peg)),
        (Reason.UNIT, _is_unit(values, agreed, measured, held, rules)),
        (Reason.REJECTED, np.isnan(values)),
    ):
        of_held[applies] = reason
    why[held] = np.where(found[held] == FixingStatus.HELD, of_held, int(Reason.NONE))
    return why


def _is_unit(values: Floats, agreed: Floats, measured: Measured, held: Ints, rules: Rules) -> Bools:
    """Return which fixings are wrong by the factor of a mistaken unit, or have exchanged sides, as for the path."""
    near = np.maximum(rules.unit_tolerance, measured.jumps[held, None])
    is_unit: Bools = np.abs(values + agreed - 2 * measured.shift[held, None]) < near
    for factor in rules.units:
        is_unit |= np.abs(np.abs(values - agreed) - np.log(factor)) < near
    return is_unit

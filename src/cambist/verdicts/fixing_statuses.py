"""What became of every fixing of a code, and why some are held."""

from __future__ import annotations

import numpy as np

from cambist.verdicts.facts import CodeFixings, Floats, Ints
from cambist.verdicts.measured import Measured
from cambist.verdicts.rules import Rules
from cambist.verdicts.verdict import FixingStatus, Reason


def fixing_statuses(measured: Measured, level: Floats, rules: Rules) -> Ints:
    """Return what each fixing was found to be, by the level of its day and of the row before."""
    reach = rules.agreed_same * measured.scale.same
    before = np.concatenate(([np.nan], level[:-1]))
    is_jump = np.abs(level - before) > reach
    low, high = np.minimum(level, before) - reach, np.maximum(level, before) + reach
    is_between = (measured.values >= low[:, None]) & (measured.values <= high[:, None])
    return np.select(
        [
            np.isnan(measured.values) & ~measured.rejected,
            np.abs(measured.values - level[:, None]) <= reach[:, None],
            is_jump[:, None] & is_between,
        ],
        [FixingStatus.ABSENT, FixingStatus.AGREED, FixingStatus.EARLY],
        FixingStatus.HELD,
    )


def reasons(fixings: CodeFixings, measured: Measured, level: Floats, found: Ints, rules: Rules) -> Ints:
    """Return why fixings are held, the most specific reason of each."""
    held = np.where((found == FixingStatus.HELD).any(axis=1))[0]
    why = np.full(found.shape, int(Reason.NONE))
    if not len(held):
        return why
    values, agreed = measured.values[held], level[held, None]
    apart = np.abs(values - agreed)
    is_unit = np.abs(values + agreed - 2 * measured.shift[held, None]) < rules.unit_tolerance
    for factor in rules.units:
        is_unit |= np.abs(apart - np.log(factor)) < rules.unit_tolerance
    is_other = np.zeros(found.shape, np.bool_)
    first = len(fixings.days) - len(level)
    for row, column in fixings.taken_for:
        if row >= first:
            is_other[row - first, column] = True
    pegs = measured.pegs[held, None]
    is_off_peg = (np.abs(agreed - pegs) <= rules.peg) & (np.abs(values - pegs) > rules.peg)
    is_denied = np.broadcast_to((~np.isnan(values)).sum(axis=1, keepdims=True) > 1, values.shape)
    by_reason = {
        Reason.REJECTED: np.isnan(values),
        Reason.UNIT: is_unit,
        Reason.OTHER_CODE: is_other[held],
        Reason.OFF_PEG: is_off_peg,
        Reason.REPEATED: measured.repeated[held],
        Reason.DAY_LATE: measured.late[held],
        Reason.CONTRADICTED: is_denied,
    }
    why[held] = np.select(list(by_reason.values()), list(by_reason), Reason.JUMP)
    return np.where(found == FixingStatus.HELD, why, int(Reason.NONE))

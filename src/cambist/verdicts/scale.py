"""The scale of a day: how far apart fixings of one level may be, and how large a move is a jump.

It is measured on the fixings of the rows before, never on verdicts, so it depends on no earlier decision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cambist.verdicts.columns import medians_of_others, row_medians, rows_of_last, trailing_medians
from cambist.verdicts.facts import Bools, Floats, Ints
from cambist.verdicts.rules import Rules

CONTEXT_ROWS = 76
"""So many rows before a row decide its scale and weights: 30 whose moves begin at most 45 days earlier."""

_OWN_MOVE_DAYS = 45
_NORMAL = 1.4826
"""The standard deviation of a normal distribution per median absolute deviation."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Columns by row: `moves` are the usual daily moves, `spreads` the usual distances between sources.

    Within `same` two fixings are at one level. Beyond `jumps` a move is a jump, for the only fixing of a day beyond
    `lone_jumps`.
    """

    moves: Floats
    spreads: Floats
    same: Floats
    jumps: Floats
    lone_jumps: Floats


def measure(days: Ints, values: Floats, first: int, rules: Rules) -> Scale:
    """Return the scale of the rows from `first`; the rows before it are NaN."""
    move, spread = _daily_moves(days, values), _daily_spreads(values)
    moves = _usual(move, rules.volatility, (rules.window, rules.short_window), 8, first)
    spreads = _usual(spread, rules.spread, (rules.window,), 6, first)
    same = np.minimum(
        np.maximum(np.maximum(rules.same_spreads * spreads, rules.same_moves * moves), rules.same_least),
        rules.same_most,
    )
    jumps = np.maximum(np.maximum(rules.jump_moves * moves, rules.jump_same * same), rules.jump_least)
    lone = np.maximum(jumps, np.maximum(rules.lone_moves * moves, rules.lone_least))
    aftershocks = rules.aftershock * _aftershocks(move, first, rules)
    stretch = np.empty(len(days) - first)
    if len(days):
        gaps = np.diff(days, prepend=days[0] - 1)[first:]
        stretch = np.minimum(np.sqrt(gaps), 1.5) * np.sqrt(np.maximum(gaps, 7) / 7)
    limit = np.minimum(jumps, rules.jump_most) * stretch
    lone_limit = np.maximum(limit, np.minimum(lone, rules.jump_most))
    return Scale(
        *(
            _padded(each, first)
            for each in (moves, spreads, same, np.maximum(limit, aftershocks), np.maximum(lone_limit, aftershocks))
        )
    )


def _daily_moves(days: Ints, values: Floats) -> Floats:
    """Return how far at least half of the sources moved from their own fixing before."""
    present = ~np.isnan(values)
    last = rows_of_last(present)
    gaps = days[:, None] - days[last]
    usable = present & (last >= 0) & (gaps <= _OWN_MOVE_DAYS)
    before = np.take_along_axis(values, np.maximum(last, 0), axis=0)
    stretch = np.where(gaps > 3, np.sqrt(np.maximum(gaps, 7) / 7) * 1.5, 1.0)
    return row_medians(np.where(usable, np.abs(values - before) / stretch, np.nan))[0]


def _daily_spreads(values: Floats) -> Floats:
    """Return the median distance of a row's fixings from their middle; NaN for a single one."""
    middle = row_medians(values)[1]
    is_several = np.count_nonzero(~np.isnan(values), axis=1) > 1
    return np.where(is_several, row_medians(np.abs(values - middle[:, None]))[1], np.nan)


def _usual(
    daily: Floats, limits: tuple[float, float, float], windows: tuple[int, ...], least: int, first: int
) -> Floats:
    smallest, assumed, largest = limits
    usual = _NORMAL * trailing_medians(daily, windows[0], first, least)
    for window in windows[1:]:
        usual = np.fmax(usual, _NORMAL * trailing_medians(daily, window, first, window))
    return np.where(np.isnan(usual), assumed, np.clip(usual, smallest, largest))


def _aftershocks(move: Floats, first: int, rules: Rules) -> Floats:
    """Return the largest of the last moves, each faded with the rows after it."""
    largest = np.zeros(len(move) - first)
    for back in range(1, rules.aftershock_rows + 1):
        shifted = np.concatenate((np.zeros(back), move))[first : len(move)]
        largest = np.fmax(largest, np.minimum(shifted, 1.0) * rules.aftershock_decay ** (back - 1))
    return largest


def late_sources(values: Floats, scale: Scale, first: int, rules: Rules) -> Bools:
    """Return which sources publish what the others published the day before, by row."""
    late = np.zeros(values.shape, np.bool_)
    restless = scale.moves[first:] > rules.late_volatility
    if values.shape[1] < 2 or not restless.any():
        return late
    others = medians_of_others(values)
    without = np.where(np.isnan(others), row_medians(values)[1][:, None], others)
    apart = np.abs(values - others)
    before = np.full(values.shape, np.nan)
    before[1:] = np.abs(values[1:] - without[:-1])
    unknown = np.isnan(apart) | np.isnan(before)
    apart, before = (np.where(unknown, np.nan, each) for each in (apart, before))
    end = len(values)
    for column in range(values.shape[1]):
        same = trailing_medians(np.append(apart[:, column], np.nan), rules.late_rows, first + 1, rules.late_least)[
            : end - first
        ]
        late_by = trailing_medians(np.append(before[:, column], np.nan), rules.late_rows, first + 1, rules.late_least)[
            : end - first
        ]
        late[first:, column] = restless & (late_by < rules.late_ratio * same) & (same > 0.6 * scale.spreads[first:])
    return late


def _padded(column: Floats, first: int) -> Floats:
    return np.concatenate((np.full(first, np.nan), column))

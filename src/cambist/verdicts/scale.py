"""The scale of a day: how far apart fixings of one level may be, and how large a move is a jump.

It is measured on the fixings of the rows before, never on verdicts, so it depends on no earlier decision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cambist.verdicts.columns import at_rows, medians_of_others, row_medians, trailing_medians
from cambist.verdicts.facts import Bools, Floats, Ints
from cambist.verdicts.rules import Rules

OWN_MOVE_DAYS = 45
"""A source's fixing is compared with its own before, if that is not older."""

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


def daily(days: Ints, values: Floats, last: Ints, first: int) -> Floats:
    """Return two columns about the rows from `first`.

    They are how far at least half of the sources moved from their own fixing before (in the row `last`), and the median
    distance of the fixings from their middle; NaN where there is nothing to compare.
    """
    now, last = values[first:], last[first:]
    gaps = days[first:, None] - days[last]
    before = at_rows(values, last)
    stretch = np.where(gaps > 3, 1.5 * np.sqrt(np.maximum(gaps, 7) / 7), 1.0)
    is_usable = (last >= 0) & (gaps <= OWN_MOVE_DAYS)
    move = row_medians(np.where(is_usable, np.abs(now - before) / stretch, np.nan))[0]
    spread = row_medians(np.abs(now - row_medians(now)[1][:, None]))[1]
    is_several = np.count_nonzero(~np.isnan(now), axis=1) > 1
    return np.column_stack((move, np.where(is_several, spread, np.nan)))


def measure(days: Ints, seen: Floats, first: int, rules: Rules) -> Scale:
    """Return the scale of the rows from `first`, by what `daily` returned for the rows until then."""
    move, spread = seen[:, 0], seen[:, 1]
    moves = _usual(move, rules.volatility, (rules.window, rules.short_window), 8, first)
    spreads = _usual(spread, rules.spread, (rules.window,), 6, first)
    same = np.maximum(np.maximum(rules.same_spreads * spreads, rules.same_moves * moves), rules.same_least)
    same = np.minimum(same, rules.same_most)
    jumps = np.maximum(np.maximum(rules.jump_moves * moves, rules.jump_same * same), rules.jump_least)
    lone = np.maximum(np.maximum(jumps, rules.lone_moves * moves), rules.lone_least)
    gaps = np.diff(days, prepend=days[:1] - 1)[first:]
    jumps = np.minimum(jumps, rules.jump_most) * np.minimum(np.sqrt(gaps), 1.5) * np.sqrt(np.maximum(gaps, 7) / 7)
    lone = np.maximum(jumps, np.minimum(lone, rules.jump_most))
    shocks = rules.aftershock * _aftershocks(move, first, rules)
    return Scale(moves, spreads, same, np.maximum(jumps, shocks), np.maximum(lone, shocks))


def _usual(
    column: Floats, limits: tuple[float, float, float], windows: tuple[int, ...], least: int, first: int
) -> Floats:
    smallest, assumed, largest = limits
    rows = np.arange(first, len(column))
    usual = _NORMAL * trailing_medians(column, windows[0], rows, least)
    for window in windows[1:]:
        usual = np.fmax(usual, _NORMAL * trailing_medians(column, window, rows, window))
    return np.where(np.isnan(usual), assumed, np.clip(usual, smallest, largest))


def _aftershocks(move: Floats, first: int, rules: Rules) -> Floats:
    """Return the largest of the last moves, each faded with the rows after it."""
    faded = rules.aftershock_decay ** np.arange(rules.aftershock_rows - 1, -1, -1.0)
    padded = np.concatenate((np.zeros(rules.aftershock_rows), np.fmin(np.fmax(move, 0.0), 1.0)))[:-1]
    windows = np.lib.stride_tricks.sliding_window_view(padded, rules.aftershock_rows)[first:]
    largest: Floats = (windows * faded).max(axis=1, initial=0.0)
    return largest


def late_sources(values: Floats, scale: Scale, first: int, rules: Rules) -> Bools:
    """Return which sources publish what the others published the day before, for the rows from `first`."""
    late = np.zeros(values[first:].shape, np.bool_)
    restless = np.flatnonzero(scale.moves > rules.late_volatility)
    if values.shape[1] < 2 or not len(restless):
        return late
    begin = max(first - rules.late_rows, 0)
    values = values[begin:]
    others = medians_of_others(values)
    apart = np.abs(values[1:] - others[1:])
    before = np.abs(values[1:] - np.where(np.isnan(others), row_medians(values)[1][:, None], others)[:-1])
    is_known = ~np.isnan(apart) & ~np.isnan(before)
    ends = restless + first - begin  # the row itself is the last of its window
    same, earlier = (
        trailing_medians(np.where(is_known, each, np.nan), rules.late_rows, ends, rules.late_least)
        for each in (apart, before)
    )
    late[restless] = (earlier < rules.late_ratio * same) & (same > 0.6 * scale.spreads[restless, None])
    return late

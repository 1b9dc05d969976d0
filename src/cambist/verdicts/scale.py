"""The scale of a day: how far apart fixings of one level may be, and how large a move is a jump.

It is measured on the fixings of the rows before, never on verdicts, so it depends on no earlier decision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cambist.verdicts.columns import at_rows, medians_of_others, row_medians, trailing_medians, windows_before
from cambist.verdicts.facts import Bools, Floats, Ints
from cambist.verdicts.rules import Rules

OWN_MOVE_DAYS = 45
"""A source's fixing is compared with its own before, if that is not older."""

_NORMAL = 1.4826
"""The standard deviation of a normal distribution per median absolute deviation."""

_LEAST = np.array((8, 6))
"""So many moves and spreads must be known to measure what is usual."""


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
    is_several = (~np.isnan(now)).sum(axis=1) > 1
    return np.array((move, np.where(is_several, spread, np.nan))).T


def measure(days: Ints, seen: Floats, first: int, rules: Rules) -> Scale:
    """Return the scale of the rows from `first`, by what `daily` returned for the rows until then."""
    rows, move = np.arange(first, len(seen)), seen[:, 0]
    usual = trailing_medians(seen, rules.window, rows, _LEAST)
    restless = trailing_medians(move, rules.short_window, rows, rules.short_window)
    moves = _limited(np.fmax(usual[:, 0], restless), rules.volatility)
    spreads = _limited(usual[:, 1], rules.spread)
    same = np.maximum(np.maximum(rules.same_spreads * spreads, rules.same_moves * moves), rules.same_least)
    same = np.minimum(same, rules.same_most)
    jumps = np.maximum(np.maximum(rules.jump_moves * moves, rules.jump_same * same), rules.jump_least)
    lone = np.maximum(np.maximum(jumps, rules.lone_moves * moves), rules.lone_least)
    gaps = np.diff(days, prepend=days[:1] - 1)[first:]
    jumps = np.minimum(jumps, rules.jump_most) * np.minimum(np.sqrt(gaps), 1.5) * np.sqrt(np.maximum(gaps, 7) / 7)
    lone = np.maximum(jumps, np.minimum(lone, rules.jump_most))
    shocks = rules.aftershock * _aftershocks(move, rows, rules)
    return Scale(moves, spreads, same, np.maximum(jumps, shocks), np.maximum(lone, shocks))


def _limited(medians: Floats, limits: tuple[float, float, float]) -> Floats:
    smallest, assumed, largest = limits
    usual = _NORMAL * medians
    return np.where(np.isnan(usual), assumed, np.minimum(np.maximum(usual, smallest), largest))


def _aftershocks(move: Floats, rows: Ints, rules: Rules) -> Floats:
    """Return the largest of the last moves, each faded with the rows after it."""
    faded = rules.aftershock_decay ** np.arange(rules.aftershock_rows - 1, -1, -1.0)
    windows = windows_before(np.fmin(np.fmax(move, 0.0), 1.0), rules.aftershock_rows, rows, 0.0)
    largest: Floats = (windows * faded).max(axis=-1, initial=0.0)
    return largest


def late_sources(values: Floats, scale: Scale, first: int, rules: Rules) -> Bools:
    """Return which sources publish what the others published the day before, for the rows from `first`."""
    late = np.zeros(values[first:].shape, np.bool_)
    restless = np.flatnonzero(scale.moves > rules.late_volatility)
    if values.shape[1] < 2 or len(values) <= rules.late_least or not len(restless):
        return late
    begin = max(first - rules.late_rows, 0)
    values = values[begin:]
    others = medians_of_others(values)
    apart = np.abs(values[1:] - others[1:])
    before = np.abs(values[1:] - np.where(np.isnan(others), values, others)[:-1])
    is_unknown = np.isnan(apart) | np.isnan(before)
    apart[is_unknown] = before[is_unknown] = np.nan
    ends = restless + first - begin  # the row itself is the last of its window
    both = trailing_medians(np.concatenate((apart, before), axis=1), rules.late_rows, ends, rules.late_least)
    same, earlier = both[:, : values.shape[1]], both[:, values.shape[1] :]
    late[restless] = (earlier < rules.late_ratio * same) & (same > 0.6 * scale.spreads[restless, None])
    return late

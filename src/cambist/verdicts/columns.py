"""Arithmetic with columns in which NaN means that there is nothing: sorted rows, medians, values carried forward.

Every result of a row depends on the values of that row, or of its window, and on nothing else: not on how many rows or
empty columns there are. So verdicts that are continued are the same, bit for bit, as those from the beginning.
"""

from __future__ import annotations

import numpy as np

from cambist.verdicts.facts import Bools, Floats, Ints


def row_medians(values: Floats) -> tuple[Floats, Floats]:
    """Return the lower median of each row, and the middle of lower and upper median; NaN for an empty row."""
    ordered = np.sort(values, axis=-1)
    counts = np.count_nonzero(~np.isnan(ordered), axis=-1)
    lower = _pick(ordered, np.maximum(counts - 1, 0) // 2)
    upper = _pick(ordered, counts // 2)
    return lower, np.where(counts % 2 == 1, lower, (lower + upper) / 2)


def trailing_medians(values: Floats, window: int, rows: Ints, least: int) -> Floats:
    """Return for each of some rows the median of the `window` rows before it, by column; NaN of fewer than `least`."""
    padded = np.concatenate((np.full((window, *values.shape[1:]), np.nan), values))
    windows = np.moveaxis(padded[rows[:, None] + np.arange(window)], 1, -1)
    is_enough = np.count_nonzero(~np.isnan(windows), axis=-1) >= least
    return np.where(is_enough, row_medians(windows)[1], np.nan)


def medians_of_others(values: Floats) -> Floats:
    """Return for each value the median of the others of its row; NaN where there are none."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = at_columns(values, order)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(values.shape[1]), values.shape), axis=1)
    others = np.count_nonzero(~np.isnan(values), axis=1)[:, None] - ~np.isnan(values)
    low, high = np.maximum(others - 1, 0) // 2, others // 2
    low, high = low + (low >= ranks), high + (high >= ranks)
    last = values.shape[1] - 1
    middle = (at_columns(ordered, np.minimum(low, last)) + at_columns(ordered, np.minimum(high, last))) / 2
    return np.where(others > 0, middle, np.nan)


def rows_of_last(present: Bools) -> Ints:
    """Return for each row and column the last row before it that is present, -1 if there is none."""
    rows = np.where(present, np.arange(len(present))[:, None], -1)
    last = np.full_like(rows, -1)
    np.maximum.accumulate(rows[:-1], axis=0, out=last[1:])
    return last


def at_rows(values: Floats, rows: Ints) -> Floats:
    """Return for each column its values in these rows; a row of -1 stands for any."""
    found: Floats = values[np.maximum(rows, 0), np.arange(values.shape[1])]
    return found


def at_columns(ordered: Floats, places: Ints) -> Floats:
    """Return for each row its values in these columns."""
    found: Floats = ordered[np.arange(len(ordered))[:, None], places]
    return found


def _pick(ordered: Floats, places: Ints) -> Floats:
    rows = ordered.reshape(-1, ordered.shape[-1])
    found: Floats = rows[np.arange(len(rows)), places.reshape(-1)].reshape(places.shape)
    return found

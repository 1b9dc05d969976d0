"""Arithmetic with columns in which NaN means that there is nothing: sorted rows, medians, values carried forward.

Every result of a row depends on the values of that row, or of its window, and on nothing else: not on how many rows or
empty columns there are. So verdicts that are continued are the same, bit for bit, as those from the beginning.
"""

from __future__ import annotations

import numpy as np

from cambist.verdicts.facts import Bools, Floats, Ints


def row_medians(values: Floats) -> tuple[Floats, Floats]:
    """Return the lower median of each row, and the middle of lower and upper median; NaN for an empty row."""
    ordered = values.copy()
    ordered.sort(axis=-1)
    return _medians(ordered, (~np.isnan(ordered)).sum(axis=-1))


def trailing_medians(values: Floats, window: int, rows: Ints, least: int | Ints) -> Floats:
    """Return for each of some rows the median of the `window` rows before it, by column; NaN of fewer than `least`."""
    ordered = windows_before(values, window, rows, np.nan).copy()
    ordered.sort(axis=-1)
    counts = (~np.isnan(ordered)).sum(axis=-1)
    return np.where(counts >= least, _medians(ordered, counts)[1], np.nan)


def windows_before(values: Floats, window: int, rows: Ints, missing: float) -> Floats:
    """Return for each of some rows the `window` values before it, by column; `missing` before the first row."""
    places = rows[:, None] + np.arange(-window, 0)
    found: Floats = values.take(np.maximum(places, 0), axis=0)
    early = int(rows.searchsorted(window))  # the rows that have fewer before them
    found[:early][places[:early] < 0] = missing
    return found.swapaxes(1, -1)


def medians_of_others(values: Floats) -> Floats:
    """Return for each value the median of the others of its row; NaN where there are none."""
    ordered = values.copy()
    ordered.sort(axis=1)
    is_known = ~np.isnan(values)
    counts = is_known.sum(axis=1)
    halves = []
    for place in (np.maximum(counts - 2, 0) // 2, np.maximum(counts - 1, 0) // 2):
        here = _pick(ordered, place)[:, None]
        above = _pick(ordered, np.minimum(place + 1, values.shape[1] - 1))[:, None]
        halves.append(np.where(values <= here, above, here))
    middle = np.where(is_known, (halves[0] + halves[1]) / 2, _medians(ordered, counts)[1][:, None])
    middle[(counts == 1)[:, None] & is_known] = np.nan
    return middle


def rows_of_last(present: Bools) -> Ints:
    """Return for each row and column the last row before it that is present, -1 if there is none."""
    rows = np.where(present, np.arange(len(present))[:, None], -1)
    last = np.empty_like(rows)
    last[:1] = -1
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


def _medians(ordered: Floats, counts: Ints) -> tuple[Floats, Floats]:
    """Return the lower median of ordered rows with so many values each, and the middle of lower and upper median."""
    lower = _pick(ordered, np.maximum(counts - 1, 0) // 2)
    return lower, (lower + _pick(ordered, counts // 2)) / 2


def _pick(ordered: Floats, places: Ints) -> Floats:
    rows = ordered.reshape(-1, ordered.shape[-1])
    found: Floats = rows[np.arange(len(rows)), places.reshape(-1)].reshape(places.shape)
    return found

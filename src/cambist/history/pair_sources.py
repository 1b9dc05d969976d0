"""The sources of a pair's rates, day by day: those of its two legs, as `/explain` names them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from cambist.history.rate_matrix import BY_LAW, NOBODY, RateMatrix
from cambist.history.series import Series
from cambist.pricing.parity import parities_on, parity_periods

LAW = "law"
"""What stands in place of a source where parities alone decide a rate."""

_Indexes = NDArray[np.uint16]


def pair_sources(matrix: RateMatrix, series: Series) -> _Indexes:
    """Return for each day of a series a number for the sources of its legs; `source_keys` reads it.

    A leg by law has the source of its anchor. A rate that parities alone decide has no source.
    """
    found = np.empty(len(series.values), np.uint16)
    row = matrix.row(series.first_day)
    for start, end in parity_periods(series.first_day, len(series.values)):
        day = series.first_day + timedelta(days=start)
        anchors = {parity.code: parity.anchor for parity in parities_on(day)}
        rows = slice(row + start, row + end)
        base, base_root = _leg(matrix, series.pair.base, rows, anchors)
        quote, quote_root = _leg(matrix, series.pair.quote, rows, anchors)
        is_by_law = base_root == quote_root
        found[start:end] = np.where(is_by_law, NOBODY << 8 | NOBODY, base << 8 | quote)
    return found


def _leg(matrix: RateMatrix, code: str, rows: slice, anchors: Mapping[str, str]) -> tuple[_Indexes, NDArray[np.str_]]:
    """Return the index of the source of each day, and the code that this source has fixed."""
    own = _own_sources(matrix, code, rows)
    fixed = np.full(len(own), code)
    if code not in anchors:
        return np.where(own == BY_LAW, NOBODY, own), fixed
    anchor, root = _leg(matrix, anchors[code], rows, anchors)
    is_by_law = (own == BY_LAW) | (own == NOBODY)
    return np.where(is_by_law, anchor, own), np.where(is_by_law, root, fixed)


def _own_sources(matrix: RateMatrix, code: str, rows: slice) -> _Indexes:
    column = matrix.columns.get(code)
    if column is None or not matrix.source_indexes:
        return np.full(rows.stop - rows.start, NOBODY, np.uint16)
    cells = np.asarray(matrix.source_indexes).reshape(-1, len(matrix.codes))
    return cells[rows, column].astype(np.uint16)


def source_keys(matrix: RateMatrix, sources: int) -> tuple[str, ...]:
    """Return the keys of the sources behind a number of `pair_sources`: that of the base first, each once."""
    indexes = dict.fromkeys(index for index in (sources >> 8, sources & 0xFF) if index < len(matrix.sources))
    return tuple(matrix.sources[index] for index in indexes)

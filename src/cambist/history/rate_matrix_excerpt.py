"""Excerpts of the rate matrix: the part that a response was made from, as bytes, to detect whether it has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

import numpy as np

from cambist.history.rate_matrix import RateMatrix


def rows(matrix: RateMatrix, day: date) -> Iterator[bytes]:
    """Yield all cells of a day and the currencies that it lists."""
    if matrix.has(day):
        listed_set = matrix.listed_sets[matrix.listed_set_of_day[matrix.row(day)]]
        yield ",".join([*matrix.codes, *map(str, listed_set)]).encode()
        width = len(matrix.codes)
        yield from _sliced(matrix, slice(matrix.row(day) * width, (matrix.row(day) + 1) * width))


def columns(matrix: RateMatrix, codes: Iterable[str], start: date, end: date) -> Iterator[bytes]:
    """Yield the cells of some codes from `start` to `end`, both inclusive, with the age and the source of each rate."""
    first, last, width = max(start, matrix.first_day), min(end, matrix.last_day), len(matrix.codes)
    yield f"{first} {last}".encode()
    for code in codes:
        column = matrix.columns.get(code)
        yield f"{code} {column is not None} ".encode()
        if column is not None and first <= last:
            begin, stop = matrix.row(first) * width + column, (matrix.row(last) + 1) * width
            yield from _sliced(matrix, slice(begin, stop, width))


def _sliced(matrix: RateMatrix, part: slice) -> Iterator[bytes]:
    """Yield the values, ages and source indexes of some cells."""
    for cells in (matrix.cells, matrix.ages, matrix.source_indexes):
        yield np.asarray(cells)[part].tobytes()  # several times faster than from a memoryview

"""Excerpts: the part of the image that an answer is read from, as bytes, to tell whether it has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from cambist.history.rate_matrix import RateMatrix


def rows(image: RateMatrix, day: date) -> Iterator[bytes]:
    """Give all cells of a day, and which of them it lists."""
    if image.has(day):
        era = image.eras[image.era_of_day[image.row(day)]]
        yield ",".join([*image.codes, *map(str, era)]).encode()
        width = len(image.codes)
        yield from _sliced(image, slice(image.row(day) * width, (image.row(day) + 1) * width))


def columns(image: RateMatrix, codes: Iterable[str], start: date, end: date) -> Iterator[bytes]:
    """Give the cells of some codes from `start` to `end`, both inclusive."""
    first, last, width = max(start, image.first_day), min(end, image.last_day), len(image.codes)
    yield f"{first} {last}".encode()
    for code in codes:
        column = image.columns.get(code)
        yield f"{code} {column is not None} ".encode()
        if column is not None and first <= last:
            begin, stop = image.row(first) * width + column, (image.row(last) + 1) * width
            yield from _sliced(image, slice(begin, stop, width))


def _sliced(image: RateMatrix, part: slice) -> Iterator[bytes]:
    """Give values, for how many days each was carried, and whether a source or the law said so."""
    yield image.cells[part].tobytes()
    yield image.ages[part].tobytes()
    yield image.voices[part].tobytes()

"""Noise: a random walk that is a pure function of seed, code and time. Every moment costs the same to compute.

It is the sum of octaves with periods from eight and a half years down to a second. An octave divides time into cells of
one period. The edges of the cells have values from a hash, and between them the value changes smoothly. The height of
an octave is proportional to the square root of its period, as in a random walk. The hash has one blake2b key for each
octave and mixes in the number of the cell by splitmix64, which gives the same bits for single values and for arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import floor, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cambist.sandbox.decimals import Floats

UInts = NDArray[np.uint64]

_PERIODS = tuple(4.0**power for power in range(14, -1, -1))
# All periods are powers of two, so that dividing by them loses nothing.
_RATES = tuple(1 / period for period in _PERIODS)
_YEAR = 365.25 * 86_400
_PER_VOLATILITY = 1.105
"""The height of an octave of a year's period at a volatility of 1, measured on increments of a day."""

_MASK = 2**64 - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_UNIT = 2.0**-52

_NO_CELL = (-(2**62), 0.0, 0.0)
"""In place of the last cell of an octave: a number that no cell has, with its value and the change to its end."""


class _Octave(NamedTuple):
    """An octave at many moments: the cells, the values at their starts, and the values."""

    cells: Floats
    starts: Floats
    values: Floats


class Noise:
    """The noise of one code: logarithms around 0 with an annual `volatility`.

    `keys` and `heights` are those of its octaves. It caches the last cell of each octave, for speed only.
    """

    __slots__ = ("_cells", "heights", "keys")

    def __init__(self, seed: int, code: str, volatility: float) -> None:
        self.keys = tuple(_key(f"{seed} {code} {octave}") for octave in range(len(_PERIODS)))
        self.heights = tuple(volatility * _PER_VOLATILITY * sqrt(period / _YEAR) for period in _PERIODS)
        self._cells = [_NO_CELL] * len(_PERIODS)

    def at(self, seconds: float) -> float:
        """Return the value at a moment, in seconds since 1970."""
        total = 0.0
        cached_cells = self._cells
        for octave, rate in enumerate(_RATES):
            place = seconds * rate
            cell = floor(place)
            cached = cached_cells[octave]
            if cached[0] != cell:
                # A tuple is replaced as a whole, so that another thread sees the old or the new one.
                cached = cached_cells[octave] = (cell, *self._ends(octave, cell))
            part = place - cell
            total += cached[1] + cached[2] * (part * part * (3.0 - 2.0 * part))
        return total

    def over(self, seconds: Floats) -> Floats:
        """Return the values at many moments, each bit for bit as `at` returns it."""
        total = np.zeros(len(seconds))
        for octave in range(len(_PERIODS)):
            total += self._octave(octave, seconds).values
        return total

    def bounds(self, first: Floats, last: Floats) -> tuple[Floats, Floats]:
        """Return values below and above which it does not go from each `first` moment to each `last` one.

        Between the edges of its cells an octave only rises or only falls. Of octaves with a shorter period than that
        the bounds are those for all times.
        """
        low, high = np.zeros(len(first)), np.zeros(len(first))
        longest = float(np.max(last - first, initial=0.0))
        for octave, (period, height) in enumerate(zip(_PERIODS, self.heights, strict=True)):
            if period < longest:
                low -= height
                high += height
                continue
            one, other = self._octave(octave, first), self._octave(octave, last)
            edge = np.where(one.cells == other.cells, one.values, other.starts)
            low += np.minimum(np.minimum(one.values, other.values), edge)
            high += np.maximum(np.maximum(one.values, other.values), edge)
        return low, high

    def _octave(self, octave: int, seconds: Floats) -> _Octave:
        key, height, place = np.uint64(self.keys[octave]), self.heights[octave], seconds * _RATES[octave]
        whole = np.floor(place)
        cells = whole.astype(np.int64).view(np.uint64)
        start = height * _edges(key, cells)
        way = height * _edges(key, cells + np.uint64(1)) - start
        part = place - whole
        return _Octave(whole, start, start + way * (part * part * (3.0 - 2.0 * part)))

    def _ends(self, octave: int, cell: int) -> tuple[float, float]:
        """Return the value at the start of a cell, and the change to its end."""
        key, height = self.keys[octave], self.heights[octave]
        start = height * _edge(key, cell)
        return start, height * _edge(key, cell + 1) - start


class NoiseGroup:
    """Many noises, computed together for one moment at a time, each bit for bit as its `at` returns it.

    The cells of the last moment are kept, so that only octaves that entered a new cell are hashed.
    """

    def __init__(self, noises: Sequence[Noise]) -> None:
        self._size = len(noises)
        self._keys = np.array([noise.keys for noise in noises], np.uint64).reshape(-1, len(_PERIODS)).T.copy()
        self._heights = np.array([noise.heights for noise in noises]).reshape(-1, len(_PERIODS)).T.copy()
        self._cells: list[tuple[int, Floats, Floats]] = [(0, *self._ends(octave, 0)) for octave in range(len(_PERIODS))]

    def at(self, seconds: float) -> Floats:
        """Return the value of each noise at a moment, in seconds since 1970."""
        total = np.zeros(self._size)
        for octave, rate in enumerate(_RATES):
            place = seconds * rate
            cell = floor(place)
            if self._cells[octave][0] != cell:
                self._cells[octave] = (cell, *self._ends(octave, cell))
            _, start, way = self._cells[octave]
            part = place - cell
            total += start + way * (part * part * (3.0 - 2.0 * part))
        return total

    def _ends(self, octave: int, cell: int) -> tuple[Floats, Floats]:
        """Return the values at the start of a cell, and the changes to its end."""
        keys, heights = self._keys[octave], self._heights[octave]
        start, end = (heights * _edges(keys, np.uint64(edge & _MASK)) for edge in (cell, cell + 1))
        return start, end - start


def _key(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")


def _edge(key: int, cell: int) -> float:
    mixed = (key + cell * _STEP) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & _MASK
    return ((mixed ^ (mixed >> 31)) >> 11) * _UNIT - 1.0


def _edges(keys: UInts | np.uint64, cells: UInts | np.uint64) -> Floats:
    # Arrays overflow in silence, as they should here; single values of numpy would warn.
    mixed = np.atleast_1d(cells) * np.uint64(_STEP) + keys
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
    edges: Floats = ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * _UNIT - 1.0
    return edges

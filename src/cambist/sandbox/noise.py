"""Noise: a wandering value that is a pure function of seed, code and time, any moment costing the same.

Octaves from eight and a half years down to a second are added. In each, time is cut into cells of one period, a cell's
edges have values from a hash, and the way between two edges is smooth. An octave is as high as the square root of
its period, which is how far a random walk comes. The hash has one blake2b key an octave and mixes the cell's
number in by splitmix64, because that runs on whole arrays and gives the same bits one at a time.
"""

from __future__ import annotations

from hashlib import blake2b
from math import floor, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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


class Noise:
    """The wandering of one code: logarithms about 0, moving by `volatility` a year.

    What it remembers are the cells last asked for, which change how fast it answers and never what.
    """

    __slots__ = ("_heights", "_keys", "_seen")

    def __init__(self, seed: int, code: str, volatility: float) -> None:
        self._keys = tuple(_key(f"{seed} {code} {octave}") for octave in range(len(_PERIODS)))
        self._heights = tuple(volatility * _PER_VOLATILITY * sqrt(period / _YEAR) for period in _PERIODS)
        self._seen = [(0, *self._ends(octave, 0)) for octave in range(len(_PERIODS))]

    def at(self, seconds: float) -> float:
        """Give the value at a moment, in seconds since 1970."""
        total = 0.0
        seen = self._seen
        for octave, rate in enumerate(_RATES):
            place = seconds * rate
            cell = floor(place)
            known = seen[octave]
            if known[0] != cell:
                # One tuple replaces another, so that threads see either.
                known = seen[octave] = (cell, *self._ends(octave, cell))
            part = place - cell
            total += known[1] + known[2] * (part * part * (3.0 - 2.0 * part))
        return total

    def over(self, seconds: Floats) -> Floats:
        """Give the values at many moments, each bit for bit what `at` gives."""
        total = np.zeros(len(seconds))
        for key, height, rate in zip(self._keys, self._heights, _RATES, strict=True):
            place = seconds * rate
            whole = np.floor(place)
            cells = whole.astype(np.int64).view(np.uint64)
            start = height * _edges(key, cells)
            way = height * _edges(key, cells + np.uint64(1)) - start
            part = place - whole
            total += start + way * (part * part * (3.0 - 2.0 * part))
        return total

    def _ends(self, octave: int, cell: int) -> tuple[float, float]:
        """Give where a cell starts and how far it goes."""
        key, height = self._keys[octave], self._heights[octave]
        start = height * _edge(key, cell)
        return start, height * _edge(key, cell + 1) - start


def _key(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")


def _edge(key: int, cell: int) -> float:
    word = (key + cell * _STEP) & _MASK
    word = ((word ^ (word >> 30)) * _FIRST) & _MASK
    word = ((word ^ (word >> 27)) * _SECOND) & _MASK
    return ((word ^ (word >> 31)) >> 11) * _UNIT - 1.0


def _edges(key: int, cells: UInts) -> Floats:
    word = cells * np.uint64(_STEP) + np.uint64(key)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(_FIRST)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(_SECOND)
    edges: Floats = ((word ^ (word >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * _UNIT - 1.0
    return edges

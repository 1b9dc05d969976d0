"""Many price paths together: their values at one moment, for the price of some operations on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from cambist.sandbox.decimals import Floats
from cambist.sandbox.noise import NoiseGroup
from cambist.sandbox.price_paths import PricePath


class PathGroup:
    """Computes many price paths for one moment at a time, each bit for bit as its `at` returns it."""

    def __init__(self, paths: Sequence[PricePath]) -> None:
        noises = list(dict.fromkeys(noise for path in paths for noise in path.noises))
        self._noises = NoiseGroup(noises)
        place = {noise: number for number, noise in enumerate(noises)}
        # In each path the noises are added one after another, as they are alone. The last place is a noise of 0.
        self._terms = [
            np.array([place[path.noises[term]] if term < len(path.noises) else len(noises) for path in paths], np.intp)
            for term in range(max((len(path.noises) for path in paths), default=0))
        ]
        self._offsets = np.array([path.offset for path in paths])
        self._trends = [path.trend for path in paths]
        self._constant_from = max((trend.constant_from for trend in self._trends), default=-inf)
        self._last = self._levels(inf)
        self._seconds, self._values = inf, self._last

    def at(self, seconds: float) -> Floats:
        """Return the value of each path at a moment, in seconds since 1970."""
        if seconds != self._seconds:
            values = (self._last if seconds >= self._constant_from else self._levels(seconds)) + self._offsets
            noises = np.append(self._noises.at(seconds), 0.0)
            for term in self._terms:
                values = values + noises[term]
            self._seconds, self._values = seconds, values
        return self._values

    def _levels(self, seconds: float) -> Floats:
        return np.array([trend.at(seconds) for trend in self._trends])

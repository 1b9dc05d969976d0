"""The median of all other sources' rates of a day, each carried forward, to compare a source's fixings with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan

import numpy as np
from numpy.typing import NDArray

from cambist.history.aligned_rates import AlignedRates
from cambist.history.archive import FixingArchive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_rates import read_source_rates
from cambist.history.typed_series import parse_series_key
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.sources.base import Source

_CARRY = timedelta(days=CARRY_DAYS)
_MAIN_MARKET = frozenset({RateType.OFFICIAL, RateType.MARKET})
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MedianRange:
    """The two middle rates of the other sources; both are the same for an odd number of sources."""

    low: float
    high: float

    def nearest(self, units: float) -> float:
        """Return the median nearest to a rate: with an even number of sources any value between the two is one."""
        return min(max(units, self.low), self.high)

    @property
    def centre(self) -> float:
        """The mean of the two."""
        return (self.low + self.high) / 2


@dataclass(slots=True)
class OtherSources:
    """The median of other sources' rates, in units per pivot, for the days from `first` to `last`."""

    first: date
    last: date
    lines: Mapping[str, Mapping[Pair, PairSeries]] = field(default_factory=dict)
    anchors: Mapping[str, str] = field(default_factory=dict)
    _medians: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)
    _rates: AlignedRates = field(init=False)

    def __post_init__(self) -> None:
        self._rates = AlignedRates(self.first, self.last, self.lines, self.anchors)

    def median_range(self, code: str, day: date) -> MedianRange | None:
        """Return the middle of the other sources' last rates of a code; None if no source has one."""
        if not self.lines or not self.first <= day <= self.last:
            return None
        lower, higher = self._median(code)
        place = (day - self.first).days
        low = float(lower[place])
        return None if isnan(low) else MedianRange(low, float(higher[place]))

    def median_columns(self, code: str, days: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the lower and the higher middle rate of each day (a row of the rate matrix), NaN if there is none."""
        places = days - (self.first - FIRST_DAY).days
        is_known = (places >= 0) & (days <= (self.last - FIRST_DAY).days)
        if not self.lines or not is_known.any():
            none = np.full(len(days), np.nan)
            return none, none
        places = np.where(is_known, places, 0)
        low, high = (np.where(is_known, middle[places], np.nan) for middle in self._median(code))
        return low, high

    def _median(self, code: str) -> tuple[Floats, Floats]:
        if code not in self._medians:
            self._medians[code] = _middle(self._rates.units(code))
        return self._medians[code]


def _middle(rates: Floats) -> tuple[Floats, Floats]:
    """Return the two middle rates of each column, NaN for one without rates."""
    if not len(rates):
        none = np.full(rates.shape[1], np.nan)
        return none, none
    ordered = np.sort(rates, axis=0)  # NaN last
    counts = (~np.isnan(ordered)).sum(axis=0)
    columns = np.arange(rates.shape[1])
    low = ordered[np.maximum(counts - 1, 0) // 2, columns]
    high = ordered[np.minimum(counts // 2, len(rates) - 1), columns]
    return low, high


class ComparedSources:
    """All sources whose fixings are stored: which of them the fixings of each are compared with.

    Sources that compile the rates of others count too, because these rates are only compared with. Monthly rates and
    rates of another market do not.
    """

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        self._compared = [
            (one.key, one.anchor, _type_of(one))
            for source in sources
            if source.pace is not Pace.MONTHLY
            for one in (source, *map(source.of_type, source.rate_types))
        ]
        self._anchors: dict[str, dict[str, str]] = {}

    def anchors(self, validated: Source) -> Mapping[str, str]:
        """Return the anchors of the sources that one is compared with, by their keys."""
        if validated.key not in self._anchors:
            own = _type_of(validated)
            types = _MAIN_MARKET if own in _MAIN_MARKET else {own}
            self._anchors[validated.key] = {
                key: anchor for key, anchor, type_ in self._compared if key != validated.key and type_ in types
            }
        return self._anchors[validated.key]


def read_other_sources(
    archive: FixingArchive, sources: ComparedSources, validated: Source, codes: Collection[str], first: date, last: date
) -> OtherSources:
    """Read the rates of these codes that a source is compared with, for the days from `first` to `last`."""
    anchors = sources.anchors(validated)
    begin = max(first - _CARRY, FIRST_DAY)
    found = read_source_rates(archive.pair_series, anchors, codes, begin, last)
    return OtherSources(begin, last, found.lines, anchors)


def _type_of(source: Source) -> str:
    return parse_series_key(source.key).rate_type or source.rate_type

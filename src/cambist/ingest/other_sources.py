"""The median of all other sources' rates of a day, each carried forward, to compare a source's fixings with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan

import numpy as np
from numpy.typing import NDArray

from cambist.history.archive import FixingArchive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_rates import carried, read_source_rates, units_per_pivot
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
    _medians: dict[str, tuple[Floats, Floats] | None] = field(default_factory=dict)

    def median_range(self, code: str, day: date) -> MedianRange | None:
        """Return the middle of the other sources' last rates of a code; None if no source has one."""
        found = self._median(code)
        if found is None or not self.first <= day <= self.last:
            return None
        place = (day - self.first).days
        low = float(found[0][place])
        return None if isnan(low) else MedianRange(low, float(found[1][place]))

    def median_columns(self, code: str, days: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Return the lower and the higher middle rate of each day (a row of the rate matrix), NaN if there is none."""
        found, places = self._median(code), days - (self.first - FIRST_DAY).days
        is_known = (places >= 0) & (days <= (self.last - FIRST_DAY).days)
        if found is None or not is_known.any():
            none = np.full(len(days), np.nan)
            return none, none
        places = np.where(is_known, places, 0)
        low, high = (np.where(is_known, middle[places], np.nan) for middle in found)
        return low, high

    def _median(self, code: str) -> tuple[Floats, Floats] | None:
        if code not in self._medians:
            self._medians[code] = self._compute_median(code)
        return self._medians[code]

    def _compute_median(self, code: str) -> tuple[Floats, Floats] | None:
        start = (self.first - FIRST_DAY).days
        days = np.arange(start, (self.last - FIRST_DAY).days + 1)
        found = (units_per_pivot(lines, self.anchors[source], code) for source, lines in self.lines.items())
        rates = [carried(each, days, code)[0] for each in found if each is not None]
        if not rates:
            return None
        ordered = np.sort(np.vstack(rates), axis=0)  # NaN last
        counts = (~np.isnan(ordered)).sum(axis=0)
        places = np.arange(len(days))
        low = ordered[np.maximum(counts - 1, 0) // 2, places]
        high = ordered[np.minimum(counts // 2, len(rates) - 1), places]
        return low, high


def read_other_sources(
    archive: FixingArchive,
    sources: Iterable[Source],
    validated: Source,
    codes: Collection[str],
    first: date,
    last: date,
) -> OtherSources:
    """Read the rates of these codes from all `sources` but the validated one, for the days from `first` to `last`.

    Sources that compile the rates of others count too, because these rates are only compared with. Monthly rates and
    rates of another market do not.
    """
    anchors = {
        one.key: one.anchor
        for source in sources
        for one in (source, *map(source.of_type, source.rate_types))
        if one.key != validated.key and _is_comparable(one, validated)
    }
    begin = max(first - _CARRY, FIRST_DAY)
    found = read_source_rates(archive.pair_series, anchors, codes, begin, last)
    return OtherSources(begin, last, found.lines, anchors)


def _is_comparable(one: Source, other: Source) -> bool:
    types = {_type_of(one), _type_of(other)}
    return (len(types) == 1 or types <= _MAIN_MARKET) and one.pace is not Pace.MONTHLY


def _type_of(source: Source) -> str:
    return parse_series_key(source.key).rate_type or source.rate_type

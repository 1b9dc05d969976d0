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
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.source_kind import Pace, RateType
from cambist.reference.tables import REDENOMINATIONS
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
        found = (self._units(source, code) for source in self.lines)
        rates = [_carried(each, days, code) for each in found if each is not None]
        if not rates:
            return None
        ordered = np.sort(np.vstack(rates), axis=0)  # NaN last
        counts = (~np.isnan(ordered)).sum(axis=0)
        places = np.arange(len(days))
        low = ordered[np.maximum(counts - 1, 0) // 2, places]
        high = ordered[np.minimum(counts // 2, len(rates) - 1), places]
        return low, high

    def _units(self, source: str, code: str) -> tuple[NDArray[np.int64], Floats] | None:
        """Return a source's days and units of a code per pivot, both legs from the same day."""
        lines, anchor = self.lines[source], self.anchors[source]
        if anchor == PIVOT:
            return _per_anchor(lines, anchor, code)
        pivot = _per_anchor(lines, anchor, PIVOT)
        if pivot is not None and code == anchor:
            return pivot[0], 1 / pivot[1]
        own = _per_anchor(lines, anchor, code)
        if own is None or pivot is None:
            return None
        rows, of_own, of_pivot = np.intersect1d(own[0], pivot[0], assume_unique=True, return_indices=True)
        return (rows, own[1][of_own] / pivot[1][of_pivot]) if len(rows) else None


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
    anchors = {one.key: one.anchor for one in sources if one.key != validated.key and _is_comparable(one, validated)}
    of_them = {*codes, PIVOT}

    def is_wanted(source: str, pair: Pair) -> bool:
        anchor = anchors.get(source)
        return anchor in (pair.base, pair.quote) and pair.other(anchor) in of_them

    lines: dict[str, dict[Pair, PairSeries]] = {}
    begin = max(first - _CARRY, FIRST_DAY)
    for source, line in archive.pair_series(is_wanted, max(begin - _CARRY, FIRST_DAY), last):
        lines.setdefault(source, {})[line.pair] = line
    return OtherSources(begin, last, lines, anchors)


def _is_comparable(one: Source, other: Source) -> bool:
    is_same_market = one.rate_type == other.rate_type or {one.rate_type, other.rate_type} <= _MAIN_MARKET
    return is_same_market and one.pace is not Pace.MONTHLY


def _per_anchor(lines: Mapping[Pair, PairSeries], anchor: str, code: str) -> tuple[NDArray[np.int64], Floats] | None:
    line = lines.get(Pair(anchor, code))
    if line is not None:
        return line.rows, line.rates
    line = lines.get(Pair(code, anchor))
    return None if line is None else (line.rows, 1 / line.rates)


def _carried(line: tuple[NDArray[np.int64], Floats], days: NDArray[np.int64], code: str) -> Floats:
    """Return a source's last rate on each day, in that day's unit; NaN if it is too old."""
    rows, units = line
    places = np.searchsorted(rows, days, side="right") - 1
    since = rows[places]
    rates = np.where((places >= 0) & (days - since <= CARRY_DAYS), units[places], np.nan)
    for change in REDENOMINATIONS:
        if change.old == change.new == code:
            cut = (change.first_day - FIRST_DAY).days
            rates[(since < cut) & (cut <= days)] /= float(change.factor)
    return rates

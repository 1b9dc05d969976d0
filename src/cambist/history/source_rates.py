"""The rates of several sources side by side, in units per pivot, each carried forward."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cambist.history.archive import PairFilter
from cambist.history.as_of import CARRY_DAYS
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_history import SourceHistory
from cambist.pricing.anchor import anchors_of
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.currency_tables import REDENOMINATIONS

Days = NDArray[np.int64]
Floats = NDArray[np.float64]

_CARRY = timedelta(days=CARRY_DAYS)
_PATIENCE = 5
"""By how many days a better source's rate may be older before the next source's is used, as in the rate matrix."""

ReadPairSeries = Callable[[PairFilter, date, date], Iterable[tuple[str, PairSeries]]]
"""Reads the wanted series of all sources between two days, as `FixingArchive.pair_series` does."""


@dataclass(frozen=True, slots=True)
class CarriedRates:
    """One source's rates of a code, a value for each day: units per pivot (NaN without one), and their age in days."""

    source: str
    units: Floats
    ages: Days


@dataclass(frozen=True, slots=True)
class SourceRates:
    """The series of several sources, for the days from `first` to `last`.

    `lines` has the series by source, `anchors` the currency that all series of a source share, the best source first.
    """

    first: date
    last: date
    lines: Mapping[str, Mapping[Pair, PairSeries]] = field(default_factory=dict)
    anchors: Mapping[str, str] = field(default_factory=dict)

    def of(self, code: str) -> list[CarriedRates]:
        """Return the rates of each source that has a code, the best source first."""
        first = (self.first - FIRST_DAY).days
        days = np.arange(first, (self.last - FIRST_DAY).days + 1)
        found = []
        for source in self.anchors:
            line = SourceHistory(self.anchors[source], self.lines.get(source, {}).values(), source).line(code)
            if line is not None:
                units, ages = carried(line, days, code)
                if not np.isnan(units).all():
                    found.append(CarriedRates(source, units, ages))
        return found


ReadSourceRates = Callable[[Mapping[str, str], Collection[str], date, date], SourceRates]
"""Reads the rates of sources by their anchors, for some codes and days. Errors: RateUnavailable, StoreBusy."""


def no_source_rates(_anchors: Mapping[str, str], _codes: Collection[str], first: date, last: date) -> SourceRates:
    """Read the rates where nothing is archived."""
    return SourceRates(first, last)


def read_source_rates(
    read: ReadPairSeries, anchors: Mapping[str, str], codes: Collection[str], first: date, last: date
) -> SourceRates:
    """Read the rates of these codes from the sources of `anchors`, for the days from `first` to `last`."""
    of_them = frozenset((*codes, PIVOT))
    of_anchor = {anchor: pairs_of(anchor, of_them) for anchor in set(anchors.values())}
    nothing = frozenset[Pair]()

    def is_wanted(source: str, pair: Pair) -> bool:
        return pair in of_anchor.get(anchors.get(source, ""), nothing)

    lines: dict[str, dict[Pair, PairSeries]] = {}
    for source, line in read(is_wanted, max(first - _CARRY, FIRST_DAY), last):
        lines.setdefault(source, {})[line.pair] = line
    return SourceRates(first, last, lines, anchors)


@lru_cache(maxsize=4096)
def pairs_of(anchor: str, codes: frozenset[str]) -> frozenset[Pair]:
    """Return the pairs of an anchor with some codes, as a source may publish them."""
    anchors = anchors_of(anchor)
    return frozenset(
        pair
        for place, each in enumerate(anchors)
        for code in codes.difference(anchors[: place + 1])  # in a pair of two codes of the anchor, the newer one is it
        for pair in (Pair(each, code), Pair(code, each))
    )


def best_of(ranked: Iterable[CarriedRates]) -> CarriedRates | None:
    """Return the best source's rate on each day, or the next one's where that is much newer; None if there is none.

    `source` is the one of the last day.
    """
    found: CarriedRates | None = None
    for each in ranked:
        if found is None:
            found = each
            continue
        is_better = ~np.isnan(each.units) & (np.isnan(found.units) | (each.ages + _PATIENCE < found.ages))
        found = CarriedRates(
            each.source if is_better[-1] else found.source,
            np.where(is_better, each.units, found.units),
            np.where(is_better, each.ages, found.ages),
        )
    return found


def carried(line: tuple[Days, Floats], days: Days, code: str) -> tuple[Floats, Days]:
    """Return a source's last rate on each day, in that day's unit, and its age; NaN if it is too old."""
    rows, units = line
    places = np.searchsorted(rows, days, side="right") - 1
    since = rows[places]
    ages = days - since
    rates = np.where((places >= 0) & (ages <= CARRY_DAYS), units[places], np.nan)
    for change in REDENOMINATIONS:
        if change.old == change.new == code:
            cut = (change.first_day - FIRST_DAY).days
            rates[(since < cut) & (cut <= days)] /= float(change.factor)
    return rates, ages

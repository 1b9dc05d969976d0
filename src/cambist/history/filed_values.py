"""Filed values: what the archive holds for the pairs and days of a delivery, to compare the delivery with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from cambist.pricing.pair import Pair


class FiledValue(NamedTuple):
    """The nominal and the digits of a fixing in the archive."""

    nominal: int
    digits: str


DayValues = Mapping[date, FiledValue]
NO_VALUES: DayValues = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FiledValues:
    """The last filed values of pairs by day, the pairs' units, and the archive's revision when they were read."""

    revision: int = -1
    by_pair: Mapping[Pair, DayValues] = field(default_factory=dict)
    units: Mapping[Pair, str] = field(default_factory=dict)

    def of(self, pair: Pair) -> DayValues:
        """Return the values of a pair by day."""
        return self.by_pair.get(pair, NO_VALUES)

    def only(self, pairs: Collection[Pair]) -> FiledValues:
        """Return the values of these pairs alone."""
        return replace(self, by_pair={pair: values for pair, values in self.by_pair.items() if pair in pairs})

"""The newest value of each source, pair and day: what the archive must have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tools.simulation.stored_rows import StoredFixing

Place = tuple[str, str, str, str]
"""What a row is about: the source, the base, the quote currency, and the day."""

SettledValue = tuple[int, str]
"""A nominal and a value, as they are written."""

ValuesOfSource = Mapping[Place, SettledValue]
_NOTHING: ValuesOfSource = MappingProxyType({})


class NewestValues:
    """Newest values, by source; `last_days` has the newest day of each pair (base and quote) of a source."""

    def __init__(self, rows: Iterable[StoredFixing] = ()) -> None:
        self.by_source: dict[str, dict[Place, SettledValue]] = {}
        self.last_days: dict[str, dict[tuple[str, str], str]] = {}
        for row in rows:
            self.put(row.place, (row.nominal, row.value))

    def put(self, place: Place, value: SettledValue) -> None:
        """Put a value in the place of the one before."""
        source, base, quote, day = place
        self.by_source.setdefault(source, {})[place] = value
        days = self.last_days.setdefault(source, {})
        days[base, quote] = max(days.get((base, quote), day), day)

    def get(self, place: Place) -> SettledValue | None:
        """Return the value of a place."""
        return self.of(place[0]).get(place)

    def of(self, source: str) -> ValuesOfSource:
        """Return the values of a source."""
        return self.by_source.get(source, _NOTHING)

    def first_day(self) -> str | None:
        """Return the first day of all, None if there is nothing."""
        return min((place[3] for values in self.by_source.values() for place in values), default=None)

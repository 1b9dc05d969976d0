"""The rates that follow from accepted words, computed plainly and one by one, to compare the rate matrix with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from tools.simulation.newest_values import Place, SettledValue

from cambist.pricing.pair import PIVOT
from cambist.sources.base import Source

CARRIED_DAYS = 14
PATIENCE_DAYS = 5
_DAY = timedelta(days=1)

AgedRate = tuple[float, int]
"""Units per dollar, and how many days old they are."""


class ReferenceRates:
    """The rates of each day, from the newest value of each source, pair and day. Sources are ranked, best first."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = {source.key: source for source in sources}
        self._ranks = {source.key: rank for rank, source in enumerate(sources)}
        self._values: dict[tuple[str, str], dict[date, float]] = {}
        self._of_code: dict[str, set[str]] = {}

    def put(self, place: Place, value: SettledValue) -> None:
        """Put a value in the place of the one before."""
        key, base, quote, day = place
        anchor = self._sources[key].anchor
        rate = float(value[1]) / value[0]
        code, units = (quote, rate) if base == anchor else (base, 1 / rate)
        self._values.setdefault((key, code), {})[date.fromisoformat(day)] = units
        self._of_code.setdefault(anchor if code == PIVOT else code, set()).add(key)

    def rate(self, code: str, day: date) -> AgedRate | None:
        """Return the rate of the best source; a worse one only if its rate is newer by more than the patience."""
        found: AgedRate | None = None
        for source in self._ranked(code):
            offered = self._of_source(source, code, day)
            if offered is not None and (found is None or offered[1] + PATIENCE_DAYS < found[1]):
                found = offered
        return found

    def _ranked(self, code: str) -> list[Source]:
        """Return the sources that have a code, those whose own it is first."""
        keys = self._of_code.get(code, set())
        ordered = sorted(keys, key=lambda key: (self._sources[key].anchor != code, self._ranks[key]))
        return [self._sources[key] for key in ordered]

    def _of_source(self, source: Source, code: str, day: date) -> AgedRate | None:
        dollars = (1.0, 0) if source.anchor == PIVOT else self._carried(source.key, PIVOT, day)
        units = (1.0, 0) if source.anchor == code else self._carried(source.key, code, day)
        if dollars is None or units is None:
            return None
        return units[0] / dollars[0], max(units[1], dollars[1])

    def _carried(self, key: str, code: str, day: date) -> AgedRate | None:
        values = self._values.get((key, code), {})
        for age in range(CARRIED_DAYS + 1):
            if day - age * _DAY in values:
                return values[day - age * _DAY], age
        return None

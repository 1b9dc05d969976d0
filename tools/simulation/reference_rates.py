"""Rates judged from all fixings at once and carried one by one, to compare the rate matrix with."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from tools.simulation.reference_verdicts import CodeVerdicts, ReferenceVerdicts

from cambist.history.code_judgement import day_number, day_of
from cambist.history.code_rates import HELD, WITHDRAWN
from cambist.pricing.pair import PIVOT
from cambist.reference.currency_tables import PEGS

CARRIED_DAYS = 14
_AGREED, _OFF_PEG = 0.02, 0.03
_DAY = timedelta(days=1)

AgedRate = tuple[float, int]
"""Units per dollar, and how many days old they are."""


class Said(NamedTuple):
    """What is published of a code on a day: the source, and units per dollar; without a source, nothing is."""

    source: str
    units: float


class ReferenceRates:
    """The rates of each day that follow from the verdicts on all values, judged from the beginning."""

    def __init__(self, verdicts: ReferenceVerdicts) -> None:
        self.verdicts = verdicts
        self._said: dict[str, tuple[CodeVerdicts, dict[date, Said]]] = {}

    def rates(self, code: str) -> dict[str, dict[date, float]]:
        """Return what each source says of a code, in units per dollar, the best source first."""
        found = self.verdicts.verdicts(code)
        if found is None:
            return {}
        by_day = [(day_of(day), found.said(row)) for row, day in enumerate(found.days.tolist())]
        return {
            source.key: {day: said[source.key] for day, said in by_day if source.key in said}
            for source in found.sources
        }

    def said(self, code: str) -> dict[date, Said]:
        """Return what is published of a code, or withdrawn, on each day on which that is so."""
        found = self.verdicts.verdicts(code)
        if found is None:
            return {}
        if code not in self._said or self._said[code][0] is not found:
            self._said[code] = found, _said_by_day(found)
        return self._said[code][1]

    def newest(self, code: str, today: date) -> tuple[date, Said] | None:
        """Return what was published last of a code, up to a day; or first, if all is of later days.

        None if that was withdrawn, or if a law fixes another rate.
        """
        found = self.said(code)
        days = [day for day in found if day <= today] or list(found)[:1]
        if not days or not found[days[-1]].source:
            return None
        said, legal = found[days[-1]], legal_rate(code, today)
        return (days[-1], said) if legal is None or self.is_above_law(code, days[-1], said, legal) else None

    def rate(self, code: str, day: date) -> AgedRate | None:
        """Return the rate that is in force on a day: what was published last, or what a law says."""
        legal, published = legal_rate(code, day), self._last(code, day)
        if legal is None:
            return published and published[1]
        if published is not None and self.is_above_law(code, *published[0], legal):
            return published[1]
        return legal, 0

    def is_above_law(self, code: str, day: date, said: Said, legal: float) -> bool:
        """Return whether what a source says stands although a law fixes another rate.

        That is so of an issuer and of sources above the law, and if two originals agree that the law is broken, each by
        what it said last.
        """
        source = self.verdicts.source(said.source)
        if source.outranks_pegs or source.anchor == code:
            return True
        recent = [day - age * _DAY for age in range(CARRIED_DAYS + 1)]
        units = {
            key: next(rates[on] for on in recent if on in rates)
            for key, rates in self.rates(code).items()
            if any(on in rates for on in recent)
        }
        near = [key for key, each in units.items() if abs(each / said.units - 1) <= _AGREED]
        originals = sum(not self.verdicts.source(key).compiled for key in near)
        return originals > 1 and abs(said.units / legal - 1) > _OFF_PEG

    def _last(self, code: str, day: date) -> tuple[tuple[date, Said], AgedRate] | None:
        """Return what was published last, carried forward in the anchor of its source for two weeks at most."""
        for age in range(CARRIED_DAYS + 1):
            on = day - age * _DAY
            said = self.said(code).get(on)
            if said is not None:
                return ((on, said), (self._carried(said, code, on, day), age)) if said.source else None
        return None

    def _carried(self, said: Said, code: str, published: date, day: date) -> float:
        anchor = self.verdicts.source(said.source).anchor
        if anchor in {PIVOT, code} or day == published:
            return said.units
        own = {on for on, each in self.said(code).items() if each.source == said.source}
        wrong = {day_of(each) for each in self.verdicts.wrong_days(said.source)} - own
        pivots = self.verdicts.per_anchor(said.source, PIVOT)
        days = (day - number * _DAY for number in range(CARRIED_DAYS + 1))
        dollars = next(pivots[day_number(on)] for on in days if day_number(on) in pivots and on not in wrong)
        return self.verdicts.per_anchor(said.source, code)[day_number(published)] / dollars


def legal_rate(code: str, day: date) -> float | None:
    """Return the rate in dollars that a law fixes on a day."""
    for peg in PEGS:
        is_in_force = peg.first_day <= day and (peg.last_day is None or day <= peg.last_day)
        if (peg.code, peg.anchor) == (code, PIVOT) and is_in_force:
            return float(peg.factor)
    return None


def _said_by_day(found: CodeVerdicts) -> dict[date, Said]:
    said = {}
    for row, (day, key) in enumerate(found.by_day.items()):
        if key == WITHDRAWN:
            said[day_of(day)] = Said("", float("nan"))
        elif key != HELD:
            said[day_of(day)] = Said(key, found.said(row)[key])
    return said

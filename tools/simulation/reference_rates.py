"""Rates judged from all words at once and carried one by one, to compare the rate matrix with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
from tools.simulation.newest_values import Place, SettledValue

from cambist.history.code_judgement import reference_of
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.verdict_log import Decision, holding
from cambist.ingest.snapshot_builder import rules_of
from cambist.pricing.pair import PIVOT
from cambist.sources.base import Source
from cambist.verdicts.facts import CodeFixings, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.verdict import DayStatus, FixingStatus

CARRIED_DAYS = 14
_DECIDED = 0.02
_DAY = timedelta(days=1)

AgedRate = tuple[float, int]
"""Units per dollar, and how many days old they are."""


class Said(NamedTuple):
    """What is published of a code on a day: the source, and units per dollar; without a source, nothing is."""

    source: str
    units: float


class ReferenceRates:
    """The rates of each day, from the newest value of each source, pair and day. Sources are ranked, best first.

    What is published is judged from all values of a code at once, whenever one of them has changed.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._rules = {rule.key: rule for rule in rules_of(sources).sources}
        self._anchors = {source.key: source.anchor for source in sources}
        self._compiled = {source.key: source.compiled for source in sources}
        self._values: dict[tuple[str, str], dict[date, float]] = {}
        self._of_code: dict[str, set[str]] = {}
        self._said: dict[str, dict[date, Said]] = {}
        self._decisions: dict[str, list[Decision]] = {}
        self._held_pivots: dict[str, set[date]] = {}

    def put(self, place: Place, value: SettledValue) -> None:
        """Put a value in the place of the one before."""
        key, base, quote, day = place
        anchor = self._anchors[key]
        rate = float(value[1]) / value[0]
        code, units = (quote, rate) if base == anchor else (base, 1 / rate)
        self._values.setdefault((key, code), {})[date.fromisoformat(day)] = units
        if code == PIVOT:  # every rate of the source is crossed with it
            for each, keys in self._of_code.items():
                if key in keys:
                    self._said.pop(each, None)
        own = anchor if code == PIVOT else code
        self._of_code.setdefault(own, set()).add(key)
        self._said.pop(own, None)

    def decide(self, decisions: Iterable[Decision]) -> None:
        """Judge with these decisions of the operator, of which some may be taken back."""
        by_code: dict[str, list[Decision]] = {}
        for each in holding(decisions):
            by_code.setdefault(each.code, []).append(each)
        for code in self._decisions.keys() | by_code.keys():
            if self._decisions.get(code) != by_code.get(code):
                self._said.pop(code, None)
        self._decisions = by_code

    def rates(self, code: str) -> dict[str, dict[date, float]]:
        """Return what each source says of a code, in units per dollar, the best source first."""
        keys = [key for key in self._rules if key in self._of_code.get(code, ())]
        ordered = sorted(keys, key=lambda key: self._anchors[key] != code)
        return {key: rates for key in ordered if (rates := self._of_source(key, code))}

    def said(self, code: str) -> dict[date, Said]:
        """Return what is published of a code on each day on which a source has a rate of it."""
        if code not in self._said:
            self._said[code] = self._judged(code)
        return self._said[code]

    def newest(self, code: str, today: date) -> tuple[date, Said] | None:
        """Return what was published last of a code, up to a day; or first, if all is of later days."""
        found = {day: said for day, said in sorted(self.said(code).items()) if said.source}
        days = [day for day in found if day <= today] or list(found)[:1]
        return (days[-1], found[days[-1]]) if days else None

    def rate(self, code: str, day: date) -> AgedRate | None:
        """Return what was published last, carried forward in the anchor of its source for two weeks at most."""
        for age in range(CARRIED_DAYS + 1):
            said = self.said(code).get(day - age * _DAY)
            if said is not None:
                return (self._carried(said, code, day - age * _DAY, day), age) if said.source else None
        return None

    def _carried(self, said: Said, code: str, published: date, day: date) -> float:
        anchor = self._anchors[said.source]
        if anchor in {PIVOT, code} or day == published:
            return said.units
        self.said(anchor)  # judges which of its rates of the pivot are held
        held = self._held_pivots.get(said.source, set()) - set(self._published(code, said.source))
        pivots = self._values[said.source, PIVOT]
        days = (day - number * _DAY for number in range(CARRIED_DAYS + 1))
        return self._values[said.source, code][published] / next(
            pivots[on] for on in days if on in pivots and on not in held
        )

    def _published(self, code: str, source: str) -> list[date]:
        return [day for day, said in self.said(code).items() if said.source == source]

    def _of_source(self, key: str, code: str) -> dict[date, float]:
        anchor = self._anchors[key]
        own = self._values.get((key, code), {})
        if anchor == PIVOT:
            return own
        pivots = self._values.get((key, PIVOT), {})
        if code == anchor:
            return {day: 1 / units for day, units in pivots.items()}
        return {day: units / pivots[day] for day, units in own.items() if day in pivots}

    def _judged(self, code: str) -> dict[date, Said]:
        rates = self.rates(code)
        days = sorted({day for of_source in rates.values() for day in of_source})
        if not days:
            return {}
        keys, numbers = list(rates), np.array([(day - FIRST_DAY).days for day in days])
        units = np.array([[rates[key].get(day, np.nan) for key in keys] for day in days])
        facts = tuple(
            SourceFacts(key, self._compiled[key], self._anchors[key] == code, self._rules[key].market_hour)
            for key in keys
        )
        accepted, rejected = np.zeros((2, *units.shape), np.bool_)
        for each in self._decisions.get(code, ()):
            end = numbers[-1] if each.last_day is None else each.last_day
            with np.errstate(invalid="ignore"):
                near = np.abs(np.log(units) - np.log(float(each.level))) <= _DECIDED
            meant = near & ((numbers >= each.first_day) & (numbers <= end))[:, None]
            (accepted if each.accepts else rejected)[meant] = True
        fixings = CodeFixings(numbers, facts, np.log(units), accepted, rejected)
        found = judge(fixings, reference_of(code, numbers))
        for number, key in enumerate(keys):
            if self._anchors[key] == code:
                is_held = found.fixing_status[:, number] == FixingStatus.HELD
                self._held_pivots[key] = {day for day, held in zip(days, is_held, strict=True) if held}
        said = {}
        for row, day in enumerate(days):
            column = int(found.source[row])
            is_own = column >= 0 and int(found.source_day[row]) == numbers[row]
            if is_own:
                said[day] = Said(keys[column], float(units[row, column]))
            elif found.status[row] == DayStatus.WITHDRAWN:
                said[day] = Said("", float("nan"))
        return said

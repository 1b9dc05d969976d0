"""The verdicts that follow from all fixings, derived from the beginning each time, to compare those in the log with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from math import log

import numpy as np
from tools.simulation.newest_values import Place, SettledValue

from cambist.history.code_judgement import day_number, reference_of
from cambist.history.code_rates import DECIDED, HELD, WITHDRAWN, anchor_name
from cambist.history.verdict_log import Decision, holding
from cambist.pricing.pair import PIVOT
from cambist.pricing.source_kind import Pace
from cambist.sources.base import Source
from cambist.verdicts.facts import CodeFixings, Floats, Ints, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.verdict import DayStatus, FixingStatus, Judgement

_A_WINTER_DAY = date(2026, 1, 15)


@dataclass(frozen=True)
class CodeVerdicts:
    """The verdicts on a code: what each of `sources` said on each of `days`, in units per dollar, and the judgement."""

    code: str
    days: Ints
    sources: Sequence[Source]
    units: Floats
    judgement: Judgement

    @cached_property
    def published(self) -> list[str]:
        """The source whose fixing is published of each day; HELD or WITHDRAWN."""
        found = self.judgement
        columns = found.status.tolist(), found.source.tolist(), found.source_day.tolist(), self.days.tolist()
        return [
            WITHDRAWN
            if status == DayStatus.WITHDRAWN
            else self.sources[source].key
            if source >= 0 and source_day == day
            else HELD
            for status, source, source_day, day in zip(*columns, strict=True)
        ]

    @cached_property
    def by_day(self) -> dict[int, str]:
        """What is published of each day."""
        return dict(zip(self.days.tolist(), self.published, strict=True))

    @property
    def outcomes(self) -> dict[int, str]:
        """The days on which another than the preferred source is published: the first that does not compile others."""
        order = sorted(range(len(self.sources)), key=lambda column: self.sources[column].compiled)
        found = {}
        for row, (day, key) in enumerate(self.by_day.items()):
            preferred = next(column for column in order if not np.isnan(self.units[row, column]))
            if key != self.sources[preferred].key:
                found[day] = key
        return found

    def held(self, column: int) -> frozenset[int]:
        """Return the days on which a source's fixing is held."""
        rows = self.judgement.fixing_status[:, column] == FixingStatus.HELD
        return frozenset(self.days[rows].tolist())

    def held_by_issuers(self) -> dict[str, frozenset[int]]:
        """Return the days on which the fixings of each source are held whose own code it is."""
        return {each.key: self.held(column) for column, each in enumerate(self.sources) if each.anchor == self.code}

    def said(self, row: int) -> dict[str, float]:
        """Return what each source says on a row."""
        values = zip(self.sources, self.units[row].tolist(), strict=True)
        return {source.key: units for source, units in values if not np.isnan(units)}


class ReferenceVerdicts:
    """The newest value of each source, pair and day, the decisions that hold, and what follows from both.

    `sources` are ranked, best first. What is monthly, or not of the main market, is in no rate matrix.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = {each.key: each for each in sources if each.pace is not Pace.MONTHLY and each.is_of_main_market}
        self._values: dict[str, dict[str, dict[int, float]]] = {key: {} for key in self._sources}
        self._decisions: list[Decision] = []
        self._found: dict[str, CodeVerdicts] = {}
        self.decided: set[str] = set()

    def put(self, place: Place, value: SettledValue) -> set[str]:
        """Put a value in the place of the one before; return the codes whose rates may change."""
        key, base, quote, day = place
        if key not in self._sources:
            return set()
        anchor = self._sources[key].anchor
        rate = float(value[1]) / value[0]
        code, per_anchor = (quote, rate) if base == anchor else (base, 1 / rate)
        of_source = self._values[key]
        of_source.setdefault(code, {})[day_number(date.fromisoformat(day))] = per_anchor
        changed = {anchor, *of_source} - {PIVOT} if code == PIVOT else {code}
        for each in changed:
            self._found.pop(each, None)
        return changed

    def decide(self, decisions: Sequence[Decision]) -> set[str]:
        """Take in all decisions; return the codes of those that are new."""
        changed = {each.code for each in decisions[len(self._decisions) :]}
        self._decisions = list(decisions)
        self.decided |= changed
        for code in changed:
            self._found.pop(code, None)
        return changed

    @property
    def codes(self) -> set[str]:
        """The codes that have any fixing."""
        anchors = {self._sources[key].anchor for key, values in self._values.items() if PIVOT in values}
        return (anchors | {code for values in self._values.values() for code in values}) - {PIVOT}

    def source(self, key: str) -> Source:
        """Return a source."""
        return self._sources[key]

    def per_anchor(self, key: str, code: str) -> Mapping[int, float]:
        """Return what a source says of a code per unit of its anchor, by day."""
        return self._values[key].get(code, {})

    def verdicts(self, code: str) -> CodeVerdicts | None:
        """Return the verdicts on a code; None if there are no rates of it."""
        if code not in self._found:
            found = self._judged(code)
            if found is None:
                return None
            self._found[code] = found
        return self._found[code]

    def wrong_days(self, key: str) -> frozenset[int]:
        """Return the days on which a source's rate of its own anchor is held."""
        of_anchor = self.verdicts(self._sources[key].anchor)
        return frozenset() if of_anchor is None else of_anchor.held_by_issuers().get(key, frozenset())

    def outcomes(self, code: str) -> dict[str, dict[int, str]]:
        """Return what the log must have of a code, and of the sources whose own code it is."""
        found = self.verdicts(code)
        if found is None:
            return {}
        held = found.held_by_issuers().items()
        return {code: found.outcomes} | {anchor_name(code, key): dict.fromkeys(days, HELD) for key, days in held}

    def _judged(self, code: str) -> CodeVerdicts | None:
        lines = {key: line for key in self._sources if (line := self._line(key, code))}
        if not lines:
            return None
        sources = sorted((self._sources[key] for key in lines), key=lambda each: each.anchor != code)
        days = sorted({day for line in lines.values() for day in line})
        units = np.array([[lines[source.key].get(day, np.nan) for source in sources] for day in days])
        facts = tuple(SourceFacts(each.key, each.compiled, each.anchor == code, _hour(each)) for each in sources)
        fixings = self._facts(code, np.array(days, np.int64), facts, units)
        return CodeVerdicts(code, fixings.days, sources, units, judge(fixings, reference_of(code, fixings.days)))

    def _line(self, key: str, code: str) -> dict[int, float]:
        """Return the units of a code per dollar by a source, both legs of one day."""
        anchor, values = self._sources[key].anchor, self._values[key]
        if anchor == PIVOT:
            return values.get(code, {})
        dollars = values.get(PIVOT, {})
        if code == anchor:
            return {day: 1 / rate for day, rate in dollars.items()}
        return {day: rate / dollars[day] for day, rate in values.get(code, {}).items() if day in dollars}

    def _facts(self, code: str, days: Ints, facts: tuple[SourceFacts, ...], units: Floats) -> CodeFixings:
        levels = np.log(units)
        accepted, rejected = np.zeros((2, *levels.shape), np.bool_)
        for each in holding(self._decisions):
            if each.code == code:
                end = days[-1] if each.last_day is None else each.last_day
                is_near = np.abs(levels - log(each.level)) <= DECIDED
                is_near &= ((days >= each.first_day) & (days <= end))[:, None]
                (accepted if each.accepts else rejected)[is_near] = True
        return CodeFixings(days, facts, levels, accepted, rejected)


def _hour(source: Source) -> float:
    at = datetime.combine(_A_WINTER_DAY, source.fixed_at, source.zone).astimezone(UTC)
    return at.hour + at.minute / 60


def all_verdicts(reference: ReferenceVerdicts, codes: Iterable[str]) -> dict[str, CodeVerdicts]:
    """Return the verdicts on some codes that have any."""
    return {code: found for code in sorted(codes) if (found := reference.verdicts(code)) is not None}

"""The fixings of all sources in memory, in step with an archive: a delivery is read alone."""

from __future__ import annotations

from datetime import date

import numpy as np

from cambist.history.archive import KnownArchive
from cambist.history.code_judgement import day_number, history_of
from cambist.history.damaged_rows import DamageReport
from cambist.history.pair_series import PairSeries
from cambist.history.rule_set import RuleSet, SourceRule
from cambist.history.source_history import SourceHistory, changed_days
from cambist.pricing.pair import Pair

DayRange = tuple[int, int]
"""The first and the last day of something, counted from 1970-01-01."""


class KnownHistories:
    """What an archive has of the sources of some rules: `histories` are in their order.

    `damage` is what was found damaged of each source when it was read.
    """

    def __init__(self, archive: KnownArchive, rules: RuleSet) -> None:
        self.histories: dict[str, SourceHistory] = {}
        self.damage: dict[str, DamageReport] = {}
        self._archive = archive
        self._rules = {rule.key: rule for rule in rules.sources}
        self._filed: dict[int, tuple[date, date]] = {}

    def note_filed(self, delivery: int, first: date, last: date) -> None:
        """Note which days a delivery was about, so that only they are read."""
        self._filed[delivery] = first, last

    def forget(self) -> None:
        """Forget everything, to read it again."""
        self.histories.clear()
        self._filed.clear()

    def read_all(self, delivery: int) -> None:
        """Read everything up to a delivery. Most archives have something of few of the many sources."""
        filed = set(self._archive.sources())
        for key, rule in self._rules.items():
            if key in filed:
                self._read_source(rule, delivery)
            else:
                self.damage[key], self.histories[key] = DamageReport(), history_of(rule, ())

    def _read_source(self, rule: SourceRule, delivery: int) -> None:
        damage = self.damage[rule.key] = DamageReport()
        found = [
            PairSeries(pair, np.array(days, np.int64), np.array(rates, np.float64))
            for pair, days, rates in self._archive.rates(rule.key, damage, delivery)
        ]
        self.histories[rule.key] = history_of(rule, found)

    def read_new(self, after: int, delivery: int) -> dict[str, DayRange]:
        """Read the deliveries after one up to another; return the codes with the days on which rates have changed."""
        found: dict[str, DayRange] = {}
        ranges: dict[str, list[tuple[date, date] | None]] = {}
        for number, source in self._archive.deliveries_after(after, delivery):
            ranges.setdefault(source, []).append(self._filed.pop(number, None))
        for source, days in ranges.items():
            if source not in self._rules:
                continue
            before = self.histories[source]
            known = [each for each in days if each is not None]
            if len(known) < len(days):
                self._read_source(self._rules[source], delivery)
            else:
                first, last = min(each[0] for each in known), max(each[1] for each in known)
                self.histories[source] = self._merged(before, delivery, first, last)
            new = self.histories[source]
            for code in before.codes | new.codes:
                changed = changed_days(before, new, code)
                if changed is not None:
                    other = found.get(code, changed)
                    found[code] = min(changed[0], other[0]), max(changed[1], other[1])
        return found

    def _merged(self, before: SourceHistory, delivery: int, first: date, last: date) -> SourceHistory:
        def is_own(source: str, _pair: Pair) -> bool:
            return source == before.key

        known = self._archive.known_fixings([before.key], is_own, (first, last)).at(delivery)
        return before.merged(known.get(before.key, ()), day_number(first), day_number(last))

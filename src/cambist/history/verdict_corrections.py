"""Corrections of verdicts: past days of which something else is published since a delivery arrived, or a decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

import numpy as np

from cambist.history.archive import KnownArchive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.code_judgement import day_number, day_of, history_of
from cambist.history.code_rates import NO_COLUMN, WITHDRAWN_COLUMN, CodeRates, code_rates
from cambist.history.code_verdict import wants_code
from cambist.history.corrections import (
    FIRST_VERDICT,
    Cause,
    FeedEntry,
    FeedPosition,
    PublishedVerdict,
    VerdictCorrection,
)
from cambist.history.edition import RecordedEdition
from cambist.history.known_fixings import KnownFixings
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_log import LoggedChange, VerdictBounds, VerdictLog
from cambist.verdicts.facts import Ints
from cambist.verdicts.verdict import DayStatus

_MOST_DAYS = 400
"""How many days are read at once of a code whose verdicts have changed."""


class CorrectedEditions(Protocol):
    """What is read of the editions."""

    def first_by(self, rules: str, verdict: int = 0) -> RecordedEdition | None:
        """Return the first edition by some rules that shows a change of a verdict; None if there is none."""

    def last_before(self, rules: str, verdict: int) -> RecordedEdition | None:
        """Return the newest edition by some rules that does not show a change of a verdict yet."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What was known of a code after a delivery: its rates, and the column of the source published each day."""

    rates: CodeRates | None
    published: Ints
    delivery: int

    def at(self, day: int) -> PublishedVerdict | None:
        """Return what was published of a day; None if nothing was known of it."""
        if self.rates is None:
            return None
        row = int(np.searchsorted(self.rates.days, day))
        if row == len(self.rates.days) or self.rates.days[row] != day:
            return None
        column = int(self.published[row])
        if column >= 0:
            return PublishedVerdict(self.rates.histories[column].key, float(self.rates.units[row, column]))
        status = DayStatus.WITHDRAWN if column == WITHDRAWN_COLUMN else DayStatus.HELD
        said = np.flatnonzero((self.published[:row] >= 0) & (self.rates.days[:row] >= day - CARRY_DAYS))
        if status is DayStatus.WITHDRAWN or not len(said):
            return PublishedVerdict("", None, status.name.lower())
        last = int(said[-1])
        return PublishedVerdict("", float(self.rates.units[last, self.published[last]]), status.name.lower())

    def last_delivery(self, fixings: KnownFixings, day: int, source: str) -> int:
        """Return the last known delivery with fixings of a day, by a source or without one by all; 0 if none is."""
        is_known = (fixings.rows == day) & (fixings.deliveries <= self.delivery)
        if source:
            is_known &= np.array([name == source for name, _ in fixings.names], np.bool_)[fixings.series]
        return int(fixings.deliveries[is_known].max(initial=0))

    def last_day(self, day: int) -> int:
        """Return the last day that has what was published of this one."""
        if self.rates is None:
            return day
        later = self.rates.days[(self.rates.days > day) & (self.published != NO_COLUMN)]
        return min(day + CARRY_DAYS, int(later[0]) - 1 if len(later) else day + CARRY_DAYS)


class VerdictCorrections:
    """Reads from the log of verdicts which past days have been corrected.

    What the first edition by these rules shows is no correction: nothing was published by them before. Any method may
    raise StoreBroken.
    """

    def __init__(
        self, archive: KnownArchive, editions: CorrectedEditions, verdicts: VerdictLog, rules: RuleSet
    ) -> None:
        self._archive = archive
        self._editions = editions
        self._verdicts = verdicts
        self._rules = rules
        self._sources = [rule.key for rule in rules.sources]

    def after(self, number: int, up_to: int, limit: int) -> list[FeedEntry]:
        """Return the corrections after a change of the log, of deliveries up to one, oldest first."""
        found: list[FeedEntry] = []
        last = max(number, self._first_shown())
        while len(found) < limit:
            changes = self._verdicts.changes(self._rules.version, last, limit, VerdictBounds(delivery=up_to))
            found += self._entries(changes)
            if len(changes) < limit:
                break
            last = changes[-1].number
        return found[:limit]

    def newest(self, up_to: int, limit: int) -> list[FeedEntry]:
        """Return the newest corrections of deliveries up to one, oldest first."""
        bounds = VerdictBounds(delivery=up_to)
        changes = self._verdicts.changes(self._rules.version, self._first_shown(), limit, bounds, newest_first=True)
        return list(self._entries(changes[::-1]))

    def of_days(self, codes: frozenset[str], first: date, last: date, limit: int) -> list[VerdictCorrection]:
        """Return the newest corrections of some codes and days, the newest day first."""
        bounds = VerdictBounds(codes=codes, days=(day_number(first), day_number(last)))
        changes = self._verdicts.changes(self._rules.version, self._first_shown(), limit, bounds, newest_first=True)
        found = [
            each.correction for each in self._entries(changes[::-1]) if isinstance(each.correction, VerdictCorrection)
        ]
        return sorted(found, key=lambda each: (each.day, each.learnt_at), reverse=True)

    def last_number(self, up_to: int) -> int:
        """Return the number of the last change of deliveries up to one; 0 if there is none."""
        bounds = VerdictBounds(delivery=up_to)
        newest = self._verdicts.changes(self._rules.version, 0, 1, bounds, newest_first=True)
        return newest[0].number if newest else 0

    def _first_shown(self) -> int:
        first = self._editions.first_by(self._rules.version)
        return 2**31 - 1 if first is None else first.last_verdict or 0

    def _entries(self, changes: Sequence[LoggedChange]) -> Iterator[FeedEntry]:
        """Yield the corrections among some changes; those that no edition shows yet are left out."""
        for group in _groups(changes):
            shown = self._editions.first_by(self._rules.version, group[-1].number)
            before = self._editions.last_before(self._rules.version, group[0].number)
            if shown is not None and before is not None:
                yield from self._of_group(group, before, shown)

    def _of_group(
        self, group: list[LoggedChange], shown_before: RecordedEdition, shown: RecordedEdition
    ) -> Iterator[FeedEntry]:
        """Yield the corrections among changes of one code that one delivery or decision has made."""
        code, delivery = group[0].change.code, group[0].delivery
        days = [each.change.day for each in group]
        window = max(min(days) - CARRY_DAYS, 0), max(days) + CARRY_DAYS
        wanted, read_days = wants_code(self._rules, code), (day_of(window[0]), day_of(window[1]))
        fixings = self._archive.known_fixings(self._sources, wanted, read_days)
        before = self._known(fixings, code, shown_before.delivery, group[0].number - 1, window)
        after = self._known(fixings, code, delivery, group[-1].number, window)
        received = self._archive.deliveries({delivery, *fixings.deliveries.tolist()})
        is_decided = shown_before.delivery >= delivery
        source, received_at = received.get(delivery, ("", shown.recorded_at))
        cause = Cause("", shown.recorded_at, is_decision=True) if is_decided else Cause(source, received_at)
        for each in group:
            day = day_of(each.change.day)
            earlier, later = before.at(each.change.day), after.at(each.change.day)
            if earlier is None or later is None or day >= cause.learnt_at.date() or _is_same(earlier, later):
                continue
            known = received.get(before.last_delivery(fixings, each.change.day, earlier.source))
            correction = VerdictCorrection(code, day, earlier, later, known[1] if known else cause.learnt_at, cause)
            position = FeedPosition(each.delivery, FIRST_VERDICT + each.number, day)
            yield FeedEntry(position, correction, day_of(after.last_day(each.change.day)))

    def _known(self, fixings: KnownFixings, code: str, delivery: int, last: int, window: tuple[int, int]) -> _Known:
        series = fixings.at(delivery)
        rates = code_rates(code, [history_of(rule, series.get(rule.key, ())) for rule in self._rules.sources])
        bounds = VerdictBounds(last, None, frozenset((code,)), window)
        outcomes = self._verdicts.outcomes(self._rules.version, bounds).get(code, {})
        return _Known(rates, np.empty(0, np.int64) if rates is None else rates.published(outcomes), delivery)


def _is_same(earlier: PublishedVerdict, later: PublishedVerdict) -> bool:
    """Return whether the same rate held, or none did."""
    return earlier.units == later.units


def _groups(changes: Iterable[LoggedChange]) -> Iterator[list[LoggedChange]]:
    """Yield changes together that are of the same code and delivery and of days that are near to each other."""
    group: list[LoggedChange] = []
    for each in changes:
        if "/" in each.change.code:  # of the rates that a source has of its own anchor
            continue
        if group and not _belongs(each, group):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _belongs(each: LoggedChange, group: list[LoggedChange]) -> bool:
    first = group[0]
    is_same = (each.delivery, each.change.code) == (first.delivery, first.change.code)
    return is_same and all(0 < abs(each.change.day - one.change.day) <= _MOST_DAYS for one in group)

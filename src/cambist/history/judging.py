"""Judging: deriving verdicts from the archive, and keeping the log of what they change.

All fixings are kept in memory, so that a delivery is judged by reading it alone. Nothing else is kept that could not be
derived again: what was judged is continued from a frontier, and without one it is judged from the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

import numpy as np

from cambist.history.archive import FixingArchive, KnownArchive
from cambist.history.code_judgement import judge_rates
from cambist.history.code_rates import (
    HELD,
    NO_COLUMN,
    PREFERRED,
    WITHDRAWN,
    WITHDRAWN_COLUMN,
    CodeRates,
    anchor_name,
    code_rates,
)
from cambist.history.damaged_rows import DamageReport
from cambist.history.known_histories import DayRange, KnownHistories
from cambist.history.rule_set import RuleSet
from cambist.history.source_history import SourceHistory
from cambist.history.standing import Standing, is_peaceful, standing_of
from cambist.history.verdict_log import Decision, Judged, VerdictChange, VerdictLog, holding_by_code
from cambist.pricing.forward_adjusted import FORWARD
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.verdicts.frontier import Frontier
from cambist.verdicts.measured import CONTEXT_ROWS
from cambist.verdicts.verdict import DayStatus, FixingStatus, Judgement


class FixingStore(Protocol):
    """What has an archive and the verdicts on it."""

    @property
    def archive(self) -> FixingArchive:
        """The archive of fixings."""

    @property
    def verdicts(self) -> VerdictLog:
        """The log of verdicts."""


_KEPT_ROWS = 30
"""How many days of a code are judged again with each delivery: a change of one of them needs no other."""

_CONTEXT_DAYS = 200
_ATTEMPTS = 5


@dataclass(slots=True)
class Judging:
    """The verdicts on all codes by some rules, in step with an archive.

    `outcomes` are the days of each code on which another than the preferred source is published.
    `standings` has the codes that were judged since everything was read, `peaceful` those that need not be.
    """

    archive: KnownArchive
    log: VerdictLog
    rules: RuleSet
    outcomes: dict[str, dict[int, str]] = field(default_factory=dict)
    judged: Judged = field(default_factory=lambda: Judged(-1, 0))
    standings: dict[str, Standing] = field(default_factory=dict)
    peaceful: set[str] = field(default_factory=set)
    _changed: set[str] = field(default_factory=set)
    _decisions: dict[str, list[Decision]] = field(default_factory=dict)
    _frontiers: dict[str, Frontier] = field(default_factory=dict)
    _known: KnownHistories = field(init=False)

    def __post_init__(self) -> None:
        self._known = KnownHistories(self.archive, self.rules)

    @property
    def histories(self) -> dict[str, SourceHistory]:
        """The fixings of each source, best first, as they were at `judged.delivery`."""
        return self._known.histories

    @property
    def damage(self) -> dict[str, DamageReport]:
        """What was found damaged, by source."""
        return self._known.damage

    def note_filed(self, delivery: int, first: date, last: date) -> None:
        """Note which days a delivery was about, so that only they are read."""
        self._known.note_filed(delivery, first, last)

    def update(self) -> None:
        """Judge what was delivered and decided since the last update. Errors: StoreBroken."""
        for _ in range(_ATTEMPTS):
            try:
                changes, now = self._judge_new()
            except BaseException:
                self._forget()  # a part may have been read
                raise
            if not changes and now == self.judged:
                return
            try:
                done = self.log.append(self.rules.version, changes, now)
            except BaseException:
                self._forget()  # the outcomes in memory are not in the log
                raise
            if done is not None:
                self.judged = done
                return
            self._forget()  # another process has judged meanwhile

    def take_changed(self) -> set[str]:
        """Return the codes that updates have looked at since this was asked last."""
        changed, self._changed = self._changed, set()
        return changed

    def _forget(self) -> None:
        self.judged = Judged(-1, 0)
        self._known.forget()
        self._frontiers.clear()
        self.standings.clear()
        self.peaceful.clear()

    def _judge_new(self) -> tuple[list[VerdictChange], Judged]:
        delivery, decisions = self.archive.revision(), self.log.decisions()
        self._decisions = holding_by_code(decisions)
        if not self.histories or delivery < self.judged.delivery:
            days: Mapping[str, DayRange | None] = self._read_all(delivery)
        else:
            changed = self._known.read_new(self.judged.delivery, delivery)
            days = {code: each for code, each in changed.items() if _is_judged(code)}
        decided = {each.code for each in decisions if each.number > self.judged.decision}
        days = {**days, **dict.fromkeys(decided)}
        self._changed |= set(days)
        changes = [change for code in sorted(days) for change in self._judge(code, days[code])]
        newest = max((each.number for each in decisions), default=0)
        return changes, Judged(delivery, self.judged.last, newest)

    def _read_all(self, delivery: int) -> dict[str, DayRange | None]:
        """Read everything; return the codes that may have to be judged."""
        self._forget()
        self._known.read_all(delivery)
        judged = self.log.judged(self.rules.version)
        self.judged = judged or Judged(0, 0)
        self.outcomes = self.log.outcomes(self.rules.version)
        if judged is None or judged.delivery > delivery:
            sources = set(self.histories)
        else:
            sources = {source for _, source in self.archive.deliveries_after(judged.delivery, delivery)}
        return {code: None for key in sources & self.histories.keys() for code in self.codes_of(key)}

    def codes_of(self, source: str) -> set[str]:
        """Return the codes that are judged of a source."""
        return set(filter(_is_judged, self.histories[source].codes))

    def rates(self, code: str, since: int | None = None) -> CodeRates | None:
        """Return the rates of a code by all sources; None if nobody has any."""
        return code_rates(code, self.histories.values(), since)

    def judge_whole(self, code: str) -> Judgement | None:
        """Judge all fixings of a code; None if there are none."""
        rates = self.rates(code)
        return None if rates is None else self._whole(rates)

    def _whole(self, rates: CodeRates) -> Judgement:
        found = judge_rates(rates, self._decisions.get(rates.code, ()))
        if len(found.days) > _KEPT_ROWS:
            self._frontiers[rates.code] = found.frontier(-_KEPT_ROWS)
        return found

    def standing(self, code: str) -> Standing | None:
        """Return what holds of a code on its newest day; None if there are no fixings of it."""
        if code not in self.standings:
            found = self.judge_whole(code)
            if found is None:
                return None
            self.standings[code] = standing_of(found)
        return self.standings[code]

    def unjudged(self) -> list[str]:
        """Return the codes of which nothing is known yet: they were neither judged nor found to be peaceful."""
        codes = {code for key in self.histories for code in self.codes_of(key)}
        return sorted(codes - self.standings.keys() - self.peaceful)

    def is_decided(self, code: str) -> bool:
        """Return whether a decision of the operator about a code holds."""
        return code in self._decisions

    def _judge(self, code: str, changed: DayRange | None) -> list[VerdictChange]:
        """Judge a code again; return how its outcomes change."""
        rates = self._recent_rates(code, changed)
        found = None if rates is None else self._continued(rates)
        whole = None
        if rates is None or found is None:
            rates = self.rates(code)
            whole = found = None if rates is None else self._whole(rates)
        if found is None or rates is None:
            self.standings.pop(code, None)
            return []
        self.standings.pop(code, None)
        self.peaceful.discard(code)
        if is_peaceful(found):
            self.peaceful.add(code)
        else:
            standing = standing_of(found)
            if standing.is_cut and whole is None:
                whole = self.judge_whole(code)
                standing = standing if whole is None else standing_of(whole)
            self.standings[code] = standing
        return self._compare(code, rates.since(int(found.days[0])), found)

    def _recent_rates(self, code: str, changed: DayRange | None) -> CodeRates | None:
        """Return the rates of the last days of a code, if what is known of the days before is enough to judge them."""
        frontier = self._frontiers.get(code)
        if frontier is None or changed is None or changed[0] <= frontier.day:
            return None
        rates = self.rates(code, frontier.day - _CONTEXT_DAYS)
        if rates is None or np.searchsorted(rates.days, frontier.day, "right") < CONTEXT_ROWS + frontier.depth:
            return None
        return rates

    def _continued(self, rates: CodeRates) -> Judgement | None:
        found = judge_rates(rates, self._decisions.get(rates.code, ()), self._frontiers[rates.code])
        if any(since < found.days[0] for since, _ in found.withdrawals):
            return None
        if len(found.days) > 2 * _KEPT_ROWS:
            self._frontiers[rates.code] = found.frontier(-_KEPT_ROWS)
        return found

    def _compare(self, code: str, rates: CodeRates, found: Judgement) -> list[VerdictChange]:
        """Bring the outcomes of a code up to date, and return what changes."""
        keys, first = [history.key for history in rates.histories], int(found.days[0])
        is_own = (found.source >= 0) & (found.source_day == found.days)
        published = np.where(found.status == DayStatus.WITHDRAWN, WITHDRAWN_COLUMN, NO_COLUMN)
        by_key = np.array([keys.index(source.key) for source in found.sources], np.int64)
        published = np.where(is_own, by_key[found.source], published)
        is_other = published != rates.preferred
        outcomes = {
            day: HELD if column == NO_COLUMN else WITHDRAWN if column == WITHDRAWN_COLUMN else keys[column]
            for day, column in zip(found.days[is_other].tolist(), published[is_other].tolist(), strict=True)
        }
        changes = self._replace(code, outcomes, first)
        for column, source in enumerate(found.sources):
            if self.histories[source.key].anchor == code:
                held = found.days[found.fixing_status[:, column] == FixingStatus.HELD]
                changes += self._replace(anchor_name(code, source.key), dict.fromkeys(held.tolist(), HELD), first)
        return changes

    def _replace(self, code: str, outcomes: dict[int, str], first: int) -> list[VerdictChange]:
        known = self.outcomes.setdefault(code, {})
        changes = [VerdictChange(code, day, each) for day, each in outcomes.items() if known.get(day) != each]
        gone = [day for day in known if day >= first and day not in outcomes]
        for day in gone:
            del known[day]
        known |= outcomes
        return changes + [VerdictChange(code, day, PREFERRED) for day in gone]

    def faults(self) -> list[str]:
        """Return on which codes the log differs from what the archive gives, if it claims to be complete."""
        days = self._read_all(self.archive.revision())
        if days:
            return []  # the next update judges them
        codes = sorted({code for key in self.histories for code in self.codes_of(key)})
        self._decisions = holding_by_code(self.log.decisions())
        found = {code: self._judge(code, None) for code in codes}
        return [
            f"the verdicts on {code} of {len(changes)} days are not those that its fixings give"
            for code, changes in found.items()
            if changes
        ]


def _is_judged(code: str) -> bool:
    return code in CURRENCIES or code.removesuffix(FORWARD) in METALS

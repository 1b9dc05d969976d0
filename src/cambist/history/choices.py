"""Choices: the levels that an operator can decide about, and what each decision would serve. Nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import log

import numpy as np
from msgspec import Struct

from cambist.history.code_judgement import judge_rates
from cambist.history.code_rates import DECIDED, CodeRates
from cambist.history.dispute import Dispute, ServedRate
from cambist.history.disputes import described, dispute_of, served_rate
from cambist.history.standing import NewestFixing, Standing, standing_of
from cambist.history.verdict_log import Decision
from cambist.verdicts.verdict import Judgement

_NOT_STORED = 0
_NO_TIME = datetime.min.replace(tzinfo=UTC)


class Choice(Struct, frozen=True):
    """A decision, and what would be served with it.

    It is to accept or to reject the fixings near a level (units per US dollar), which the `sources` say now. With it,
    another rate than now would be served of so many `days`, and the newest day would have this status.
    """

    accepts: bool
    level: str
    sources: tuple[str, ...]
    serves: ServedRate | None
    status: str
    days: int


class Examination(Struct, frozen=True):
    """What holds of a code now, whether that is open, and what each choice from `dispute.since` on would serve."""

    dispute: Dispute
    is_open: bool
    choices: tuple[Choice, ...]


class CodeDecisions:
    """Judges one code with decisions that nobody has taken; `decisions` are those about it that hold."""

    def __init__(self, rates: CodeRates, decisions: Sequence[Decision], today: date) -> None:
        self._rates = rates
        self._decisions = list(decisions)
        self._today = today
        self._now = judge_rates(rates, decisions)
        self.standing: Standing = standing_of(self._now)

    @property
    def first_day(self) -> int:
        """The first day of the dispute; the newest day if there is none."""
        return self.standing.verdict.day if self.standing.since is None else self.standing.since

    def examine(self) -> Examination:
        """Return what holds now, with all choices."""
        choices = [
            self.preview(self.decision(Decimal(f"{units:.8g}"), accepts=accepts))
            for units in self._levels()
            for accepts in (True, False)
        ]
        found = dispute_of(self._rates.code, self.standing, self._today)
        dispute = found or described(self._rates.code, self.standing, self.first_day, self._today)
        return Examination(dispute, found is not None, tuple(choices))

    def decision(
        self, level: Decimal, *, accepts: bool, first: int | None = None, last: int | None = None, reason: str = ""
    ) -> Decision:
        """Return a decision about a level from the first day of the dispute on, or from another one."""
        since = self.first_day if first is None else first
        return Decision(_NOT_STORED, self._rates.code, since, last, level, accepts, reason, _NO_TIME)

    @property
    def served(self) -> ServedRate | None:
        """What is served now."""
        return served_rate(self.standing, self._today)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that have fixings of the code."""
        return tuple(history.key for history in self._rates.histories)

    def leaving_out(self, source: str, first: int, last: int, reason: str) -> Decision:
        """Return the decision that leaves a source out between two days."""
        code = self._rates.code
        return Decision(_NOT_STORED, code, first, last, Decimal(0), False, reason, _NO_TIME, source=source)

    def preview(self, decision: Decision, others: Sequence[Decision] = ()) -> Choice:
        """Return what would be served with a further decision, and with others that are taken with it."""
        return self._choice(decision, [*self._decisions, *others, decision])

    def preview_without(self, decision: Decision) -> Choice:
        """Return what would be served without a decision that holds."""
        return self._choice(decision, [each for each in self._decisions if each.number != decision.number])

    def meant(self, decision: Decision) -> int:
        """Return how many fixings a decision is about."""
        end = int(self._rates.days[-1]) if decision.last_day is None else decision.last_day
        is_within = (self._rates.days >= decision.first_day) & (self._rates.days <= end)
        distances = np.abs(np.log(self._rates.units[is_within]) - log(decision.level))
        return int(np.count_nonzero(distances <= DECIDED))

    def newest_of(self, source: str) -> float | None:
        """Return the newest fixing of a source; None if it has published none on the last two weeks of the code."""
        return next((each.units for each in self.standing.newest if each.source == source), None)

    def _choice(self, decision: Decision, decisions: list[Decision]) -> Choice:
        level = float(decision.level)
        near = [each.source for each in self.standing.newest if level and _is_near(each, level)]
        found = judge_rates(self._rates, decisions)
        standing = standing_of(found)
        return Choice(
            accepts=decision.accepts,
            level=f"{decision.level:f}",
            sources=(decision.source,) if decision.source else tuple(near),
            serves=served_rate(standing, self._today),
            status=standing.verdict.status.name.lower(),
            days=_different_days(self._now, found),
        )

    def _levels(self) -> list[float]:
        """Return a rate of each level that the newest fixings say, the served one first."""
        served = self.standing.verdict.source
        found: list[float] = []
        for each in sorted(self.standing.newest, key=lambda each: (each.source != served, -each.weight)):
            if not any(_is_near(each, units) for units in found):
                found.append(each.units)
        return found


def _is_near(each: NewestFixing, level: float) -> bool:
    return abs(log(each.units / level)) <= DECIDED


def _different_days(one: Judgement, other: Judgement) -> int:
    is_other = (one.source != other.source) | (one.source_day != other.source_day)
    return int(np.count_nonzero(is_other))

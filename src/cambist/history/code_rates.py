"""The rates of one code by all sources side by side, and which of them is the published one of each day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from cambist.history.as_of import CARRY_DAYS
from cambist.history.source_history import SourceHistory
from cambist.history.verdict_log import Decision
from cambist.verdicts.facts import CodeFixings, Floats, Ints, SourceFacts

AGREED = 0.02
"""How near a source's rate is to the published one to count as a vote for it, or to confirm one that is off its peg."""

HELD = ""
"""The outcome of a day on which all fixings are held: the rate before is carried forward."""

WITHDRAWN = "!"
"""The outcome of a day whose only source was refuted later: it has no rate."""

PREFERRED = "="
"""The outcome of a day that takes back what was recorded of it before: its preferred source is published."""

Outcomes = Mapping[int, str]
"""The days (counted from 1970-01-01) of a code on which another than the preferred source is published, or none."""

NO_COLUMN, WITHDRAWN_COLUMN = -1, -2

DECIDED = 0.02
"""How near (log) fixings are to the level that a decision names to be meant by it."""


def anchor_name(anchor: str, source: str) -> str:
    """Return the name under which outcomes say on which days a source's rate of its own anchor is held."""
    return f"{anchor}/{source}"


@dataclass(frozen=True, slots=True)
class CodeRates:
    """All rates of one code, in units per pivot: a row for each of `days`, a column for each of `histories`.

    The issuer of a currency comes first, then the sources by their rank. A rate is NaN where a source has none.
    """

    code: str
    days: Ints
    histories: tuple[SourceHistory, ...]
    units: Floats

    @property
    def preferred(self) -> Ints:
        """The column of the preferred rate of each day: the first original, or the first compiler without originals."""
        compiled = np.array([history.compiled for history in self.histories], np.bool_)
        order = np.argsort(compiled, kind="stable")
        found: Ints = order[np.argmax(~np.isnan(self.units[:, order]), axis=1)]
        return found

    def published(self, outcomes: Outcomes) -> Ints:
        """Return the column of the published rate of each day, NO_COLUMN if none is, or WITHDRAWN_COLUMN."""
        columns = {history.key: column for column, history in enumerate(self.histories)}
        found = self.preferred.copy()
        for row, day in enumerate(self.days.tolist() if outcomes else ()):
            outcome = outcomes.get(day)
            if outcome == WITHDRAWN:
                found[row] = WITHDRAWN_COLUMN
            elif outcome is not None:
                found[row] = columns.get(outcome, NO_COLUMN)
                if found[row] >= 0 and np.isnan(self.units[row, found[row]]):
                    found[row] = NO_COLUMN
        return found

    def confirmed(self, published: Ints) -> NDArray[np.bool_]:
        """Return on which days two originals or more agree on what is published: each counts by what it said last.

        What is older than fixings are carried does not count.
        """
        rows = np.arange(len(self.days))
        said_on = np.maximum.accumulate(np.where(np.isnan(self.units), -1, rows[:, None]), axis=0)
        last = np.take_along_axis(self.units, np.maximum(said_on, 0), axis=0)
        is_recent = (said_on >= 0) & (self.days[:, None] - self.days[np.maximum(said_on, 0)] <= CARRY_DAYS)
        chosen = self.units[rows, np.maximum(published, 0)]
        is_original = np.array([not history.compiled for history in self.histories], np.bool_)
        with np.errstate(invalid="ignore"):
            is_near = np.abs(last / chosen[:, None] - 1) <= AGREED
        found: NDArray[np.bool_] = np.count_nonzero(is_near & is_recent & is_original, axis=1) > 1
        return found

    def fixings(self, decisions: Iterable[Decision] = ()) -> CodeFixings:
        """Return the rates as the facts that verdicts are derived from, with what the operator decided about them."""
        levels = np.log(self.units)
        accepted, rejected = np.zeros((2, *levels.shape), np.bool_)
        for decision in decisions:
            end = self.days[-1] if decision.last_day is None else decision.last_day
            is_meant = (self.days >= decision.first_day) & (self.days <= end)
            (accepted if decision.accepts else rejected)[self._meant(levels, decision) & is_meant[:, None]] = True
        return CodeFixings(self.days, self.facts, levels, accepted, rejected)

    def _meant(self, levels: Floats, decision: Decision) -> NDArray[np.bool_]:
        """Return which fixings a decision is about, on whichever day: those near its level, or of its source."""
        if decision.source:
            is_source = np.array([history.key == decision.source for history in self.histories], np.bool_)
            return np.broadcast_to(is_source, levels.shape)
        with np.errstate(invalid="ignore"):
            found: NDArray[np.bool_] = np.abs(levels - log(decision.level)) <= DECIDED
        return found

    def since(self, day: int) -> CodeRates:
        """Return the rates from a day on."""
        row = int(self.days.searchsorted(day))
        return CodeRates(self.code, self.days[row:], self.histories, self.units[row:])

    @property
    def facts(self) -> tuple[SourceFacts, ...]:
        """What matters of the sources for this code."""
        return tuple(
            SourceFacts(history.key, history.compiled, history.issues(self.code), history.hour)
            for history in self.histories
        )


def code_rates(code: str, ranked: Iterable[SourceHistory], since: int | None = None) -> CodeRates | None:
    """Return the rates of a code by the sources, the best first, from a day on; None if nobody has any."""
    found = [(history, line) for history in ranked if (line := history.line(code)) is not None]
    found.sort(key=lambda each: not each[0].issues(code))
    starts = [0 if since is None else int(rows.searchsorted(since)) for _, (rows, _) in found]
    rows = [rows[start:] for (_, (rows, _)), start in zip(found, starts, strict=True)]
    units = [units[start:] for (_, (_, units)), start in zip(found, starts, strict=True)]
    days, places = np.unique(np.concatenate(rows or [np.empty(0, np.int64)]), return_inverse=True)
    if not len(days):
        return None
    table = np.full((len(days), len(found)), np.nan)
    table[places, np.repeat(np.arange(len(found)), [len(each) for each in rows])] = np.concatenate(units)
    return CodeRates(code, days, tuple(history for history, _ in found), table)

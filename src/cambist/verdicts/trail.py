"""The trail of a code: its path as columns as far as it is settled, and the states of the rows that are still open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import numpy as np

from cambist.verdicts.clusters import Cluster, Consent
from cambist.verdicts.frontier import HOLD, NOBODY, SEVERAL, State
from cambist.verdicts.rules import Rules

_SEVERAL, _NOBODY = -1, -2


class Trail:
    """The path, by row: its `level`, the number of its `cluster`, and what continues it from there.

    `clusters` are those of the rows that were judged one by one. `withdrawn` are pairs: the day since which a refuted
    level held, and the row that refuted it.
    """

    def __init__(
        self, keys: Iterable[str], consent: Consent, start: int, states: tuple[State, ...], rules: Rules
    ) -> None:
        rows = len(consent.level)
        self.level = np.full(rows, np.nan)
        self.cluster = np.full(rows, HOLD)
        self.withdrawn: list[tuple[int, int]] = []
        self.clusters: dict[int, list[Cluster]] = {}
        self.states = states
        self._consent, self._open_rows = consent, rules.open_rows
        self._keys = [*keys, NOBODY, SEVERAL]  # as columns -2 and -1
        self._columns = {key: column for column, key in enumerate(self._keys[:-2])}
        self._supporter = np.full(rows, _NOBODY)
        self._since = np.zeros(rows, np.int64)
        self._several: dict[int, tuple[State, ...]] = {}
        self._row = start - 1
        if len(states) == 1:
            self._settle(states[0])

    def pass_plain_rows(self, end: int) -> None:
        """Follow rows up to before `end` that have one possible level each."""
        part, state = slice(self._row + 1, end), self.states[0]
        number = self._columns.get(state.supporter, _SEVERAL)
        is_same = np.logical_and.accumulate(self._consent.only[part] == number)
        self.level[part], self.cluster[part], self._since[part] = self._consent.level[part], 0, state.since
        self._supporter[part] = np.where(is_same, number, _SEVERAL)
        self._row = end - 1
        self.states = self._lone_state(self._row)

    def append(self, states: tuple[State, ...]) -> None:
        """Follow one row, to its states. What was decided long ago is settled."""
        self._row += 1
        self.states = states
        if len(states) > 1:
            self.states = self._without_old_disputes(states, self._open_rows)
            self._several[self._row] = self.states
        if len(self.states) == 1:
            self._settle(self.states[0])
            self.states = self._lone_state(self._row)

    def finish(self) -> None:
        """Settle the open rows by the path that is the cheapest now."""
        if len(self.states) > 1:
            self._settle(self.states[0])

    def states_after(self, row: int) -> tuple[State, ...]:
        """Return the states after a row, with the part of their paths that is not settled."""
        states = self._several.get(row)
        return _cut(states, self._open_rows) if states else self._lone_state(row)

    def _lone_state(self, row: int) -> tuple[State, ...]:
        if np.isnan(self.level[row]):
            return ()  # nothing credible was said until here
        supporter = self._keys[int(self._supporter[row])]
        return (State(float(self.level[row]), 0.0, 0.0, supporter, int(self._since[row]), int(self.cluster[row])),)

    def _settle(self, state: State) -> None:
        for row, each in zip(range(self._row, -1, -1), state.path(), strict=False):
            self.level[row], self.cluster[row], self._since[row] = each.level, each.cluster, each.since
            self._supporter[row] = self._columns.get(each.supporter, _NOBODY if each.supporter == NOBODY else _SEVERAL)
            if each.withdraws and each.parent is not None:
                self.withdrawn.append((each.parent.since, row))

    def _without_old_disputes(self, states: tuple[State, ...], rows: int) -> tuple[State, ...]:
        """Return the states that share what the cheapest path had `rows` rows ago."""
        settled = next(islice(states[0].path(), rows, None), None)
        if settled is None:
            return states
        return tuple(state for state in states if next(islice(state.path(), rows, None), None) is settled)


def _cut(states: tuple[State, ...], rows: int) -> tuple[State, ...]:
    """Return the states with paths of so many rows before them."""
    if rows == 0:
        return tuple(replace(state, parent=None) for state in states)
    parents = {id(state.parent): state.parent for state in states if state.parent is not None}
    short = dict(zip(parents, _cut(tuple(parents.values()), rows - 1), strict=True))
    return tuple(replace(state, parent=short.get(id(state.parent))) for state in states)

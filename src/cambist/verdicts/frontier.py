"""The frontier: the levels that a day may turn out to have, each with the cheapest path to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cambist.verdicts.facts import Floats

NOBODY, SEVERAL = "", "*"
HOLD = -1


@dataclass(frozen=True, slots=True)
class State:
    """One possible level of a day, in the unit of the oldest day.

    `cost` is how much dearer its path is than the cheapest, `rough` the part of it that only decides ties. `supporter`
    is the only source that ever said this level, or NOBODY, or SEVERAL. `since` is the day from which on it holds.
    `cluster` is the number of the group of the day's fixings that say it, from the lowest; HOLD if all are held.
    `withdraws` is whether it refutes the level before by the factor of a unit. `parent` is the state of the row before
    that the path comes from, None if that row is settled.
    """

    level: float
    cost: float = 0.0
    rough: float = 0.0
    supporter: str = NOBODY
    since: int = 0
    cluster: int = HOLD
    withdraws: bool = False
    parent: State | None = field(default=None, compare=False, repr=False)

    def path(self) -> Iterator[State]:
        """Yield the states of the path that are still open, the newest first."""
        state: State | None = self
        while state is not None:
            yield state
            state = state.parent


@dataclass(frozen=True, slots=True)
class Frontier:
    """The states after a day, the cheapest first. Verdicts can be continued from it, with the same result.

    `source` and `source_day` are the fixing that was published of the oldest row that is still open. `seen` is what was
    measured of the rows before (see `scale.daily`).
    """

    day: int
    states: tuple[State, ...] = ()
    source: str = ""
    source_day: int = 0
    seen: Floats = field(default_factory=lambda: np.empty((0, 2)), compare=False, repr=False)

    @property
    def depth(self) -> int:
        """How many rows are still open, with that of the day itself."""
        return sum(1 for _ in self.states[0].path()) if self.states else 0


BEGINNING = Frontier(-(2**31))
"""Before the first day."""

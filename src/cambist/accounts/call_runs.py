"""Calls of one key that come in one round of the event loop, on a plan with limits: decided once, counted once.

The first two calls of a round are admitted as any others. With the third, a run begins: calls are reserved ahead, and
from then on each is a subtraction. After a round with a run of some length, the next one begins with the first call. At
the end of the round they are counted, and the reservation is given up. A run only begins where so much is left that no
other process can be refused because of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cambist.accounts.day_limits import DayLimits
from cambist.accounts.principal import Principal
from cambist.accounts.rate_limits import RateLimits
from cambist.accounts.reservations import Reservations
from cambist.errors import StoreBroken, StoreBusy

RUN_CALLS = 64
"""How many calls are reserved: more than are answered in one round of the event loop."""

_BEFORE = 2
"""How many calls of a key are admitted by themselves: a run costs as much as two of them."""

_BUSY = 3
"""After a run of so many calls, the next round of its key begins with a run."""

ENOUGH = 4096
"""How many calls and requests must be left, so that all processes can have a run at once, and answers of many calls."""


@dataclass(slots=True, eq=False)
class CallRun:
    """Calls that are reserved: `left` of the quota and the `level` of the bucket are those before the first of them."""

    principal: Principal
    limits: DayLimits
    left: int
    level: float | None
    taken: int = 0
    by_label: Counter[str] = field(default_factory=Counter)

    def take(self, label: str, now: float) -> tuple[str, str]:
        """Take one of the calls; return the values of the headers `RateLimit-Policy` and `RateLimit`."""
        self.taken = taken = self.taken + 1
        self.by_label[label] += 1
        level = None if self.level is None else self.level - taken
        return self.limits.policy[1], self.limits.shown(self.left - taken, level, now)


@dataclass(frozen=True, slots=True)
class RunSources:
    """What a run is decided from: the limits of a principal, what is unspent of them, and whether that is known."""

    limits_for: Callable[[Principal, float], DayLimits]
    unspent: Callable[[DayLimits], int]
    is_known: Callable[[], bool]


class CallRuns:
    """The runs of the present round. Used by one thread, the event loop's."""

    def __init__(self, sources: RunSources, reservations: Reservations, rates: RateLimits) -> None:
        self._sources = sources
        self._reservations = reservations
        self._rates = rates
        self.seen: dict[int, tuple[Principal, int]] = {}
        """Who has called in this round, and how often before a run began."""
        self._runs: dict[int, CallRun | None] = {}
        self._busy: set[int] = set()

    def admit(self, principal: Principal, label: str, now: float) -> tuple[str, str] | None:
        """Admit a call; return the values of `RateLimit-Policy` and `RateLimit`, or None if the meter has to decide."""
        run = self._runs.get(id(principal)) or self._first(principal, now)
        return run.take(label, now) if run is not None and run.taken < RUN_CALLS else None

    def _first(self, principal: Principal, now: float) -> CallRun | None:
        """Begin a run if there are calls enough in this round, or in the last one."""
        name = id(principal)
        _, calls = self.seen.get(name, (principal, 0))
        self.seen[name] = principal, calls + 1
        if name in self._runs or (calls < _BEFORE and name not in self._busy):
            return None
        run = self._runs[name] = self._begin(principal, now)
        return run

    def _begin(self, principal: Principal, now: float) -> CallRun | None:
        if not self._sources.is_known():
            return None
        limits, number, left = self._sources.limits_for(principal, now), principal.account.number, 0
        level = self._rates.level(principal.plan, number, now, is_admitted=False)
        if level is not None and level < ENOUGH:
            return None
        if limits.quota is not None:
            try:
                self._reservations.add(number, RUN_CALLS)
            except (StoreBroken, StoreBusy):
                return None
            reserved = self._reservations.total(number)
            left = self._sources.unspent(limits) - (reserved - RUN_CALLS)
            if left < ENOUGH:
                self._reservations.remove(number, RUN_CALLS)
                return None
        return CallRun(principal, limits, left, level)

    def end(self, spend: Callable[[Principal, str, int, float], None], now: float) -> None:
        """Count the calls that were taken, and give up what was reserved."""
        runs, self._runs, self.seen = self._runs, {}, {}
        self._busy = {name for name, run in runs.items() if run is not None and run.taken >= _BUSY}
        for run in runs.values():
            if run is None:
                continue
            number = run.principal.account.number
            try:
                if run.level is not None:
                    self._rates.admit_many(number, run.taken)
                for label, calls in run.by_label.items():
                    spend(run.principal, label, calls, now)
            finally:
                if run.limits.quota is not None:
                    self._reservations.remove(number, RUN_CALLS)

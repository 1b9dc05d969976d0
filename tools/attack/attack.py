"""What an attack is, what it may use, and what its clients see."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.attack.target import Target

NOTHING = "nothing"
"""The answer of a client whose connection ended without one."""

CROWDED = "429"
"""The answer of a client of whose address, or account, too many requests wait already."""

HELD = "held"
"""The answer of a client that was connected and wanted none."""


@dataclass
class Means:
    """The target, the seeded chance, the end in time, and the share of the full counts, from 0 to 1.

    `seen` counts what the clients got: statuses such as `413`, `ws 1009` for the code that closed a WebSocket, `held`.
    """

    target: Target
    chance: random.Random
    seconds: float
    share: float = 1.0
    begin: float = field(default_factory=time.monotonic)
    seen: Counter[str] = field(default_factory=Counter)

    def count(self, full: int) -> int:
        """Return a share of a count, at least one."""
        return max(1, int(full * self.share))

    def over(self) -> bool:
        """Return whether the time of this attack has passed."""
        return time.monotonic() - self.begin > self.seconds

    def wait(self, most: float) -> None:
        """Hold still for a share of the time of the attack, but for so many seconds at most."""
        time.sleep(min(self.seconds * self.share, most))


@dataclass(frozen=True)
class Attack:
    """A kind of hostile client: its name, what it does in one sentence, and a run that ends by itself.

    Each answer that it `needs` must be seen, or it has attacked nothing; of others only those that it `may` get.
    `suite_share` is the share of its counts in the tests, and `most_growth` the MB by which a process may grow there.
    `port` is the port of the target that it needs: `port`, `stream` or `operator`.
    """

    name: str
    does: str
    run: Callable[[Means], None]
    needs: frozenset[str]
    may: frozenset[str] = frozenset()
    suite_share: float = 0.05
    most_growth: int = 48
    port: str = "port"

    def is_possible(self, target: Target) -> bool:
        """Return whether the target has the port."""
        return bool(getattr(target, self.port))

    def wrong_answers(self, means: Means) -> list[str]:
        """Return what its clients got and should not have, and what none of them got."""
        missing = [f"no {each}" for each in sorted(self.needs - means.seen.keys())]
        return missing + sorted(means.seen.keys() - self.needs - self.may - {NOTHING, HELD})


def seen(*answers: str) -> frozenset[str]:
    """Return a set of answers."""
    return frozenset(answers)

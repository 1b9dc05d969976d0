"""What an attack is, and what it may use."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.attack.target import Target


@dataclass
class Means:
    """The target, the seeded chance, the end in time, and the share of the full counts, from 0 to 1."""

    target: Target
    chance: random.Random
    seconds: float
    share: float = 1.0
    begin: float = field(default_factory=time.monotonic)

    def count(self, full: int) -> int:
        """Return a share of a count, at least one."""
        return max(1, int(full * self.share))

    def over(self) -> bool:
        """Return whether the time of this attack has passed."""
        return time.monotonic() - self.begin > self.seconds


@dataclass(frozen=True)
class Attack:
    """A kind of hostile client: its name, what it does in one sentence, and a run that ends by itself."""

    name: str
    does: str
    run: Callable[[Means], None]

"""Confirmation of jumps: by a second source that jumps to the same price, or by time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from cambist.pricing.pair import Pair

_CONFIRMED_AFTER = timedelta(seconds=10)
"""After this long at the new price, a source confirms its own jump."""

_CONFIRMED_BY_OTHERS_FOR = timedelta(minutes=1)
"""For how long after a source's jump another source that makes it too confirms it."""

_SAME_PRICE = 0.05
"""How far two prices may be apart and still be the same jump."""


class _Jump(NamedTuple):
    """When a source's price first jumped, and to which mid."""

    began_at: datetime
    mid: float


@dataclass(slots=True)
class JumpConfirmation:
    """Remembers the jump of each pair and source that is not over."""

    _jumps: dict[Pair, dict[str, _Jump]] = field(default_factory=dict)

    def forget(self, pair: Pair, source: str) -> None:
        """Forget a source's jump: its price is where it was before."""
        self._jumps.get(pair, {}).pop(source, None)

    def is_confirmed(self, pair: Pair, source: str, mid: float, now: datetime) -> bool:
        """Record that a source's price is at `mid`, far from the agreed price; return whether that is confirmed."""
        jumps = self._jumps.setdefault(pair, {})
        own = jumps.setdefault(source, _Jump(now, mid))
        if not _is_same(mid, own):
            own = jumps[source] = _Jump(now, mid)
        others = (jump for other, jump in jumps.items() if other != source)
        has_second = any(now - jump.began_at <= _CONFIRMED_BY_OTHERS_FOR and _is_same(mid, jump) for jump in others)
        return has_second or now - own.began_at >= _CONFIRMED_AFTER


def _is_same(mid: float, jump: _Jump) -> bool:
    return abs(mid / jump.mid - 1) <= _SAME_PRICE

"""The latest tick of each pair and source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick


class StoredTick(Struct):
    """The latest tick of one pair from one source; `as_of` is when it was received if the source sent no time."""

    bid: Decimal
    ask: Decimal
    as_of: datetime
    received_at: datetime
    sequence: int

    def repeats(self, other: StoredTick | None) -> bool:
        """Return whether this is the same quote of the same moment as another one."""
        return other is not None and (self.bid, self.ask, self.as_of) == (other.bid, other.ask, other.as_of)


@dataclass(slots=True)
class TickStore:
    """Stores validated ticks, and notes which pairs have changed."""

    _ticks: dict[Pair, dict[str, StoredTick]] = field(default_factory=dict)
    _changed: set[Pair] = field(default_factory=set)

    def put(self, tick: Tick, received_at: datetime) -> StoredTick:
        """Replace the latest tick of a pair and source. A source's clock that is a little ahead is corrected."""
        as_of = received_at if tick.as_of is None else min(tick.as_of, received_at)
        stored = StoredTick(tick.bid, tick.ask, as_of, received_at, tick.sequence)
        self._ticks.setdefault(tick.pair, {})[tick.source] = stored
        self._changed.add(tick.pair)
        return stored

    def drop(self, pair: Pair, source: str) -> None:
        """Forget the latest tick of a pair from a source: it was not true."""
        if self._ticks.get(pair, {}).pop(source, None) is not None:
            self._changed.add(pair)

    def latest(self, pair: Pair, source: str) -> StoredTick | None:
        """Return the latest tick of a pair from a source."""
        return self._ticks.get(pair, {}).get(source)

    def by_source(self, pair: Pair) -> Mapping[str, StoredTick]:
        """Return the latest ticks of a pair."""
        return self._ticks.get(pair, {})

    def pairs(self) -> set[Pair]:
        """Return all pairs that have ticks."""
        return set(self._ticks)

    def pop_changed(self) -> set[Pair]:
        """Return the pairs that have had ticks since the last call."""
        changed, self._changed = self._changed, set()
        return changed

    def reset_sequences(self, source: str) -> None:
        """Forget a source's sequence numbers: they start again with every connection."""
        for ticks in self._ticks.values():
            if source in ticks:
                ticks[source].sequence = 0

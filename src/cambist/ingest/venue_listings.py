"""The pairs that venues list now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cambist.pricing.pair import Pair


@dataclass(slots=True)
class VenueListings:
    """The pairs that venues list; `pairs` are those of all venues."""

    pairs: frozenset[Pair] = frozenset()
    _by_venue: dict[str, frozenset[Pair]] = field(default_factory=dict)

    def replace(self, venue: str, pairs: Iterable[Pair]) -> None:
        """Replace the list of one venue."""
        self._by_venue[venue] = frozenset(pairs)
        self.pairs = frozenset[Pair]().union(*self._by_venue.values())

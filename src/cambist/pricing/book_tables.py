"""The tables beside the columns of a rate book: which instrument each slot has, and the origins of quotes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cambist.pricing.pair import Pair
from cambist.reference.currency_tables import CURRENCIES

QuoteName = str | Pair
"""What a quote of a rate book is looked up by: a code, for its quote against the pivot, or a pair."""


@dataclass(frozen=True)
class BookNames:
    """The name of each slot of a rate book, with the pair that is quoted there.

    `listed` and `venue_pairs` are those of the rate book. All books with the same names share one object.
    """

    instruments: tuple[tuple[QuoteName, Pair], ...]
    listed: tuple[str, ...] = ()
    venue_pairs: frozenset[Pair] = frozenset()

    @cached_property
    def codes(self) -> dict[str, int]:
        """The slot of each code."""
        return {name: slot for slot, (name, _) in enumerate(self.instruments) if isinstance(name, str)}

    @cached_property
    def pairs(self) -> dict[Pair, int]:
        """The slot of each pair."""
        return {name: slot for slot, (name, _) in enumerate(self.instruments) if isinstance(name, Pair)}

    @cached_property
    def fx_pairs(self) -> dict[Pair, int]:
        """The slot of each pair of two currencies."""
        return {pair: slot for pair, slot in self.pairs.items() if pair.base in CURRENCIES and pair.quote in CURRENCIES}

    @cached_property
    def inverted(self) -> tuple[str, ...]:
        """The codes that are the quote currency of their pair, so that its price is how many of them one pivot is."""
        return tuple(code for code, slot in self.codes.items() if code != self.instruments[slot][1].base)

    def keeps_slots_of(self, other: BookNames) -> bool:
        """Return whether each slot of `other` has the same name here."""
        return len(self.instruments) >= len(other.instruments) and all(
            mine[0] == theirs[0] for mine, theirs in zip(self.instruments, other.instruments, strict=False)
        )


@dataclass(frozen=True)
class BookOrigins:
    """The lists of sources and of legs that quotes refer to by their index."""

    sources: tuple[tuple[str, ...], ...] = ((),)
    legs: tuple[tuple[Pair, ...], ...] = ((),)

    @cached_property
    def keys(self) -> frozenset[str]:
        """All sources by their key."""
        return frozenset[str]().union(*self.sources)

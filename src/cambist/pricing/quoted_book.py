"""The quotes of a rate book as they are assembled: plain data, from which its columns are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote


@dataclass(frozen=True)
class QuotedBook:
    """The quotes of one moment, with the votes behind them.

    `quotes` has one quote for each code, against the pivot (either way round), `pairs` those of pairs that are traded
    directly. A quote that has not changed since an earlier book is the same object. `as_of`, `listed` and `venue_pairs`
    are those of the `RateBook`.
    """

    version: int
    as_of: datetime
    quotes: Mapping[str, Quote]
    listed: tuple[str, ...]
    pairs: Mapping[Pair, Quote] = field(default_factory=dict)
    venue_pairs: frozenset[Pair] = frozenset()

    @property
    def sources(self) -> frozenset[str]:
        """The keys of the sources of all quotes."""
        quotes = (*self.quotes.values(), *self.pairs.values())
        return frozenset(source for quote in quotes for source in quote.origin.sources)

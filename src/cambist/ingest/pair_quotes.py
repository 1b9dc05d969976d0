"""The current quote of each traded pair, carried over a restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cambist.ingest.quote_age import is_recent
from cambist.ingest.tick_validator import IsOpen
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote


@dataclass(slots=True)
class PairQuotes:
    """The current quotes; those from before a restart stay until there is a newer one."""

    is_open: IsOpen
    quotes: dict[Pair, Quote] = field(default_factory=dict)
    _resumed: set[Pair] = field(default_factory=set)

    def resume(self, quotes: Mapping[Pair, Quote]) -> None:
        """Start with the quotes of the last rate book before a restart."""
        self.quotes, self._resumed = dict(quotes), set(quotes)

    def update(self, quote: Quote, now: datetime) -> bool:
        """Replace the quote of a pair by the one just agreed on; return whether it has changed."""
        before = self.quotes.get(quote.pair)
        if before is not None:
            # Most quotes have another time, and times are compared faster than prices.
            is_same = quote.received_at == before.received_at and quote == before
            if is_same or (self._resumed and self._keeps(before, quote, now)):
                return False
        self.quotes[quote.pair] = quote
        self._resumed.discard(quote.pair)
        return True

    def _keeps(self, before: Quote, quote: Quote, now: datetime) -> bool:
        """Return whether a quote from before the restart is kept.

        It is kept if it is newer. It is also kept if the market is closed: then all sources took part in it, while only
        some of them repeat their last tick after a restart.
        """
        if before.pair not in self._resumed:
            return False
        is_close = not self.is_open(before.pair, now) and is_recent(before, now)
        return is_close or quote.as_of < before.as_of

"""The current quote of each traded pair, carried over a restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cambist.ingest.quote_age import is_recent
from cambist.ingest.tick_validator import IsOpen
from cambist.pricing.forward_adjusted import FORWARD
from cambist.pricing.freshness import PAIRS_KEPT_FOR, recently_traded
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote


@dataclass(slots=True)
class PairQuotes:
    """The current quotes; those from before a restart stay until there is a newer one.

    `quotes` has those of all pairs, also the three-month prices of base metals, which are in no rate book.
    """

    is_open: IsOpen
    quotes: dict[Pair, Quote] = field(default_factory=dict)
    _resumed: set[Pair] = field(default_factory=set)
    _traded: dict[Pair, Quote] = field(default_factory=dict)
    _oldest: datetime | None = None

    def resume(self, quotes: Mapping[Pair, Quote]) -> None:
        """Start with the quotes of the last rate book before a restart."""
        self.quotes, self._resumed = dict(quotes), set(quotes)
        self._traded = {pair: quote for pair, quote in quotes.items() if not pair.base.endswith(FORWARD)}
        self._oldest = None

    def traded(self, now: datetime) -> Mapping[Pair, Quote]:
        """Return the quotes of the last days for the rate book, to be read before the next change."""
        if self._oldest is None or now - self._oldest > PAIRS_KEPT_FOR:
            self._traded = recently_traded(self._traded, now)
            self._oldest = min((quote.as_of for quote in self._traded.values()), default=None)
        return self._traded

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
        if not quote.pair.base.endswith(FORWARD):
            self._traded[quote.pair] = quote
            if self._oldest is not None and quote.as_of < self._oldest:
                self._oldest = quote.as_of
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

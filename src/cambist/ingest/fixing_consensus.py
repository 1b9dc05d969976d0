"""The consensus on fixings: one quote for each code from the newest fixings of all sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.pricing.consensus import Offer, agree
from cambist.pricing.quote import Quote


@dataclass(slots=True)
class FixingConsensus:
    """The agreed fixing of each code, in `quotes`."""

    agreed: AgreedPrices
    quotes: dict[str, Quote] = field(default_factory=dict)
    _offers: dict[str, dict[str, Offer]] = field(default_factory=dict)
    """The offers for each code, by source."""
    _codes: dict[str, frozenset[str]] = field(default_factory=dict)
    """The codes that each source fixes."""

    def update(self, source: str, offers: Mapping[str, Offer], now: datetime) -> None:
        """Replace a source's fixings, and agree again on the codes that it fixes or has fixed before."""
        for code in self._codes.get(source, frozenset()) - offers.keys():
            del self._offers[code][source]
            self._agree(code, now)
        self._codes[source] = frozenset(offers)
        for code, offer in offers.items():
            self._offers.setdefault(code, {})[source] = offer
            self._agree(code, now)

    def _agree(self, code: str, now: datetime) -> None:
        quote = agree(self._offers[code].values(), now)
        if quote is None:
            self.quotes.pop(code, None)
        else:
            self.quotes[code] = quote
            self.agreed.expect(quote)

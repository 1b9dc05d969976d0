"""The consensus on fixings: one quote for each code from the newest fixings of all sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.fixing_quotes import offers_by_code
from cambist.pricing.consensus import Offer, agree
from cambist.pricing.quote import Quote


@dataclass(slots=True)
class FixingConsensus:
    """The agreed fixing of each code, in `quotes`."""

    agreed: AgreedPrices
    quotes: dict[str, Quote] = field(default_factory=dict)
    _offers: dict[str, Mapping[str, Offer]] = field(default_factory=dict)

    def update(self, source: str, offers: Mapping[str, Offer], now: datetime) -> None:
        """Replace a source's fixings, and agree again on the codes that it fixes or has fixed before."""
        codes = {*offers, *self._offers.get(source, {})}
        self._offers[source] = offers
        by_code = offers_by_code(self._offers.values())
        for code in codes:
            quote = agree(by_code.get(code, ()), now)
            if quote is None:
                self.quotes.pop(code, None)
            else:
                self.quotes[code] = quote
                self.agreed.expect(quote)

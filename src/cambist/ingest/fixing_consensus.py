"""The consensus on fixings: one quote for each code from the newest fixings of all sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.pricing.consensus import FRESH_FOR, Offer, agree
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
            of_code = self._offers.setdefault(code, {})
            is_known = of_code.get(source) == offer
            of_code[source] = offer
            if not (is_known and _is_lasting(of_code.values())):
                self._agree(code, now)

    def _agree(self, code: str, now: datetime) -> None:
        quote = agree(self._offers[code].values(), now)
        if quote is None:
            self.quotes.pop(code, None)
        else:
            self.quotes[code] = quote
            self.agreed.expect(quote)


def _is_lasting(offers: Iterable[Offer]) -> bool:
    """Return whether what was agreed among these offers stays agreed, however old they become."""
    return all(FRESH_FOR.get(offer.pace) == timedelta.max for offer in offers)

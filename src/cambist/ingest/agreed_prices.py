"""The last agreed price of each pair: what new ticks are compared with, and whose ticks the bars are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote


@dataclass(slots=True)
class AgreedPrices:
    """The last agreed mid of each pair, and the source that it was published from.

    Consensus writes them. The validator and the bars read them for the ticks that follow.
    """

    mids: dict[Pair, float] = field(default_factory=dict)
    sources: dict[Pair, str] = field(default_factory=dict)

    def record(self, quote: Quote) -> None:
        """Record what consensus has decided on."""
        self.mids[quote.pair] = (float(quote.bid) + float(quote.ask)) / 2
        self.sources[quote.pair] = quote.origin.sources[0]

    def expect(self, quote: Quote) -> None:
        """Use a fixing as the expected price of its pair, in both directions, where there has been no price yet."""
        mid = float(quote.mid)
        self.mids.setdefault(quote.pair, mid)
        self.mids.setdefault(quote.pair.inverse, 1 / mid)

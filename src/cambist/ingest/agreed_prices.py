"""The last agreed price of each pair: what new ticks are compared with, and whose ticks the bars are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from math import log
from typing import NamedTuple

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Quote

_MEMORY = 0.95
"""The weight of the usual move before when a new move is added."""

_MOST_COUNTED = 0.002
"""A larger move is counted as this one (log): a jump does not make the next ones usual."""


class Expected(NamedTuple):
    """A price that is expected by a daily quote, and whether several sources agree on that."""

    mid: float
    is_of_several: bool


@dataclass(slots=True)
class AgreedPrices:
    """The last agreed mid of each pair, its source and when it was received, and how far it usually moves (log).

    Consensus writes them. The validator and the bars read them for the ticks that follow. `expected` has the prices by
    daily quotes, for pairs on which nothing has been agreed yet.
    """

    mids: dict[Pair, float] = field(default_factory=dict)
    sources: dict[Pair, str] = field(default_factory=dict)
    times: dict[Pair, datetime] = field(default_factory=dict)
    usual_moves: dict[Pair, float] = field(default_factory=dict)
    expected: dict[Pair, Expected] = field(default_factory=dict)

    def record(self, quote: Quote) -> None:
        """Record what consensus has decided on."""
        pair, mid = quote.pair, (float(quote.bid) + float(quote.ask)) / 2
        before = self.mids.get(pair)
        if before is not None and before != mid:
            move = min(abs(log(mid / before)), _MOST_COUNTED)
            self.usual_moves[pair] = _MEMORY * self.usual_moves.get(pair, 0.0) + (1 - _MEMORY) * move
        self.believe(pair, mid, quote.received_at)
        self.sources[pair] = quote.origin.sources[0]

    def believe(self, pair: Pair, mid: float, at: datetime) -> None:
        """Compare the ticks that follow with a price from now on."""
        self.mids[pair], self.times[pair] = mid, at

    def expect(self, quote: Quote) -> None:
        """Expect the price of a daily quote, in both directions."""
        mid = float(quote.mid)
        is_of_several = sum(vote.weight > 0 for vote in quote.origin.votes) > 1
        self.expected[quote.pair] = Expected(mid, is_of_several)
        self.expected[quote.pair.inverse] = Expected(1 / mid, is_of_several)

    def is_expected_by_several(self, pair: Pair) -> bool:
        """Return whether nothing has been agreed on a pair yet but a daily quote of several sources."""
        expected = self.expected.get(pair)
        return pair not in self.mids and expected is not None and expected.is_of_several

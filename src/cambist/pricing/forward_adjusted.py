"""Forward-adjusted prices: an official cash price, moved as the three-month price has moved since.

The London Metal Exchange fixes a metal's cash price once a day; only its three-month price trades through the day. Both
are fixed at the same moment, so their ratio carries the cash price forward.
"""

from __future__ import annotations

from dataclasses import replace

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote

FORWARD = "-3M"
"""The suffix of a base metal's code for its three-month price, such as `XCU-3M`."""


def forward_adjusted(official: Quote, forward_then: Quote, forward_now: Quote) -> Quote:
    """Return the cash price at the time of `forward_now`: the official one times `forward_now` over `forward_then`.

    Spread, time and pace are those of the three-month price. Both sources are named.
    """
    metal = official.pair.other(PIVOT)
    scale = official.worth(metal) / forward_then.worth(metal + FORWARD)
    bid, ask = forward_now.sides(metal + FORWARD)
    sources = tuple(dict.fromkeys((*official.origin.sources, *forward_now.origin.sources)))
    origin, legs = forward_now.origin, (official.pair, forward_now.pair)
    return replace(
        forward_now,
        pair=Pair(metal, PIVOT),
        bid=bid * scale,
        ask=ask * scale,
        origin=Origin(Derivation.FORWARD_ADJUSTED, sources, legs, origin.votes, origin.pace),
    )

"""Moving an official price: what it was, times how far a price that trades has gone since."""

from __future__ import annotations

from dataclasses import replace

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote

FORWARD = "-3M"
"""What follows a base metal's code where its three-month price is meant: the LME deals that one, and fixes cash."""


def forward_adjusted(official: Quote, forward_then: Quote, forward_now: Quote) -> Quote:
    """Move an official cash price by the three-month price: both were fixed together, only one of them trades on.

    Sides, time and pace are those of the price that trades; the sources say that both made it.
    """
    metal = official.pair.other(PIVOT)
    scale = official.worth(metal) / forward_then.worth(metal + FORWARD)
    bid, ask = forward_now.sides(metal + FORWARD)
    sources = tuple(dict.fromkeys((*official.origin.sources, *forward_now.origin.sources)))
    origin = forward_now.origin
    legs = official.pair, forward_now.pair
    return replace(
        forward_now,
        pair=Pair(metal, PIVOT),
        bid=bid * scale,
        ask=ask * scale,
        origin=Origin(Derivation.FORWARD_ADJUSTED, sources, legs, origin.votes, origin.pace),
    )

"""Moving an official price: what it was, times how far a price that trades has gone since."""

from __future__ import annotations

from dataclasses import replace

from cambist.market.quote import Made, Origin, Quote

FORWARD = "-3M"
"""What follows a base metal's code where its three-month price is meant: the LME deals that one, and fixes cash."""


def moved(official: Quote, forward_then: Quote, forward_now: Quote) -> Quote:
    """Move an official cash price by the three-month price: both were fixed together, only one of them trades on.

    The sides are those of the price that trades; time and source say that both made it.
    """
    scale = official.mid / forward_then.mid
    sources = tuple(dict.fromkeys((*official.origin.sources, *forward_now.origin.sources)))
    return replace(
        forward_now,
        pair=official.pair,
        bid=forward_now.bid * scale,
        ask=forward_now.ask * scale,
        origin=Origin(Made.MOVED, sources, (official.pair, forward_now.pair), forward_now.origin.votes),
    )

"""Legs: what a code is worth in the pivot when it is dealt in other things, through the most liquid of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote

LEGS = (PIVOT, "USDT", "EUR", "USDC", "BTC", "GBP", "ETH", "BNB", "JPY", "AUD", "TRY", "KRW")
"""What codes are dealt in, the most liquid first. A stablecoin is a coin like any other: USDT is not USD."""


def direct(code: str, pairs: Mapping[Pair, Quote]) -> tuple[str, Quote] | None:
    """Give the most liquid pair in which a code is dealt, with what it is dealt in; None where it is in none."""
    for leg in LEGS:
        if leg == code:
            continue
        quote = pairs.get(Pair(code, leg)) or pairs.get(Pair(leg, code))
        if quote is not None:
            return leg, quote
    return None


def through(code: str, leg: str, quote: Quote, leg_quote: Quote) -> Quote:
    """Cross a code's quote in a leg with the leg's in the pivot: each side is dealt at its worse, so it only widens."""
    bid, ask = quote.sides(code)
    leg_bid, leg_ask = leg_quote.sides(leg)
    votes = tuple(replace(vote, mid=_in_pivot(vote.mid, quote, code, leg_quote, leg)) for vote in quote.origin.votes)
    sources = tuple(dict.fromkeys((*quote.origin.sources, *leg_quote.origin.sources)))
    return Quote(
        pair=Pair(code, PIVOT),
        bid=bid * leg_bid,
        ask=ask * leg_ask,
        as_of=min(quote.as_of, leg_quote.as_of),
        received_at=max(quote.received_at, leg_quote.received_at),
        origin=Origin(Derivation.CROSSED, sources, (quote.pair, leg_quote.pair), votes, quote.origin.pace),
    )


def _in_pivot(mid: float, quote: Quote, code: str, leg_quote: Quote, leg: str) -> float:
    """Give a vote in the pivot, as the price beside which it is shown."""
    in_leg = mid if quote.pair.base == code else 1 / mid
    leg_mid = (float(leg_quote.bid) + float(leg_quote.ask)) / 2
    return in_leg * (leg_mid if leg_quote.pair.base == leg else 1 / leg_mid)

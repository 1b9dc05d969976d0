"""The consensus on a traded pair: one quote from the latest ticks of all sources."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.tick_store import StoredTick
from cambist.ingest.tick_validator import IsOpen
from cambist.pricing.consensus import Offer, agree
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.trading_hours import hours_of, last_trading_moment
from cambist.sources.base import Source


class PairConsensus:
    """Turns the latest ticks of a pair into one quote; `sources` are ranked, best first."""

    def __init__(self, sources: Mapping[str, Source], is_open: IsOpen, agreed: AgreedPrices) -> None:
        self._sources, self._is_open, self._agreed = sources, is_open, agreed
        self._ranks = {key: rank for rank, key in enumerate(sources)}
        self._origins = {key: Origin(Derivation.PUBLISHED, (key,), pace=source.pace) for key, source in sources.items()}
        self._offers: dict[tuple[Pair, str], tuple[StoredTick, Offer]] = {}

    def agree(self, pair: Pair, ticks: Mapping[str, StoredTick], now: datetime) -> Quote | None:
        """Return what the sources agree on; None if none of them has a recent tick.

        In closed hours that is what they agreed on when the market closed.
        """
        offers = [self._offer(pair, source, tick) for source, tick in ticks.items()]
        moment = now if self._is_open(pair, now) else last_trading_moment(hours_of(pair), now).as_of
        quote = agree(offers, moment)
        if quote is not None:
            self._agreed.record(quote)
        return quote

    def _offer(self, pair: Pair, key: str, tick: StoredTick) -> Offer:
        """Return the offer of a tick: the same object for the same tick, because making one is slow."""
        kept = self._offers.get((pair, key))
        if kept is not None and kept[0] is tick:
            return kept[1]
        source = self._sources[key]
        bid, ask = Fraction(tick.bid), Fraction(tick.ask)
        quote = Quote(pair, bid, ask, tick.as_of, tick.received_at, self._origins[key])
        # Decimals are converted to floats faster than fractions are, and to the same ones.
        mid = (float(tick.bid) + float(tick.ask)) / 2
        offer = Offer(key, quote, source.pace, source.rate_type, self._ranks[key], source.compiled, mid)
        self._offers[pair, key] = tick, offer
        return offer

"""The way of a price: a tick is validated, stored and added to its bars; rate books are built from what is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime

from cambist.history.bar_aggregator import BarAggregator
from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.bar_updater import BarUpdater
from cambist.ingest.pair_consensus import PairConsensus
from cambist.ingest.pair_quotes import PairQuotes
from cambist.ingest.rate_book_builder import RateBookBuilder
from cambist.ingest.tick_store import TickStore
from cambist.ingest.tick_validator import OUT_OF_ORDER, IsOpen, TickValidator
from cambist.ingest.venue_listings import VenueListings
from cambist.pricing.tick import Tick
from cambist.sources.base import Source


class PricePipeline:
    """The stages of the way of a price, put together.

    `sources` are ranked, best first. `bar_time` returns the time to use for bars for a reading of the machine's clock.
    `accepted` and `refused` count ticks by source, the refused ones also by reason.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        is_open: IsOpen = lambda _pair, _now: True,
        aggregator: BarAggregator | None = None,
        bar_time: Callable[[datetime], datetime] = lambda now: now,
    ) -> None:
        agreed = AgreedPrices()
        self.tick_store = TickStore()
        self.validator = TickValidator(agreed, is_open, self.tick_store)
        self.bars = BarUpdater(aggregator or BarAggregator(), agreed, is_open, bar_time)
        self.listings = VenueListings()
        self.pair_consensus = PairConsensus(sources, is_open, agreed)
        self.rate_books = RateBookBuilder(
            self.tick_store, self.pair_consensus, PairQuotes(is_open), agreed, self.listings
        )
        self.accepted = Counter[str]()
        self.refused: dict[str, Counter[str]] = {}

    def apply_tick(self, tick: Tick, received_at: datetime, asked_at: datetime | None = None) -> str | None:
        """Apply a tick, which was asked for at `asked_at` or sent unasked; return why it is refused, else None."""
        previous = self.tick_store.latest(tick.pair, tick.source)
        reason = self.validator.refusal(tick, received_at, previous, asked_at)
        if reason is None:
            for each in self.validator.pop_confirmed(tick.pair, received_at):
                self._accept(each.tick, each.received_at)
            self._accept(tick, received_at)
            return None
        if reason == OUT_OF_ORDER and previous is not None and self.validator.is_plausible(tick, received_at):
            self.bars.add_overtaken(tick, received_at, previous)
        self.refused.setdefault(tick.source, Counter())[reason] += 1
        return reason

    def release_singles(self, now: datetime) -> None:
        """Apply the ticks that waited and that nobody has contradicted for long enough."""
        for each in self.validator.pop_singles(now):
            self._accept(each.tick, each.received_at)

    def _accept(self, tick: Tick, received_at: datetime) -> None:
        previous = self.tick_store.latest(tick.pair, tick.source)
        self.accepted[tick.source] += 1
        if not self.tick_store.put(tick, received_at).repeats(previous):
            self.bars.add(tick, received_at)

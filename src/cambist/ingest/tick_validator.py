"""Validation of ticks: their time and order, their market's hours, and how far they are from the agreed price."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.tick_store import StoredTick, TickStore
from cambist.ingest.waiting_jumps import WaitingJumps, WaitingTick
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.pricing.validation import JUMP, tick_refusal_reason

IsOpen = Callable[[Pair, datetime], bool]
"""Returns whether a pair's market is open at a moment."""

OUT_OF_ORDER = "out of order"
_MOST_AHEAD = timedelta(minutes=1)


class TickValidator:
    """Decides which ticks are accepted. A jump away from the agreed price waits until it is confirmed."""

    def __init__(self, agreed: AgreedPrices, is_open: IsOpen, tick_store: TickStore) -> None:
        self.is_open = is_open
        self._jumps = WaitingJumps(agreed, tick_store)

    def refusal(
        self, tick: Tick, received_at: datetime, previous: StoredTick | None, asked_at: datetime | None = None
    ) -> str | None:
        """Return why a tick is refused, None if it is accepted; `previous` is the last one of its pair and source.

        `asked_at` is when a polled tick was asked for.
        """
        if tick.as_of is not None and tick.as_of > received_at + _MOST_AHEAD:
            return "dated ahead of our clock"
        if previous is not None and previous.received_at > received_at + _MOST_AHEAD:
            previous = None  # it came while our clock was ahead, and would seem newer than all that come now
        if previous is not None and (_is_older(tick, previous) or _is_overtaken(tick, previous, asked_at)):
            return OUT_OF_ORDER
        if not self._is_within_hours(tick, received_at):
            return "outside the market's hours"
        reason = tick_refusal_reason(tick.bid, tick.ask)
        if reason is not None:
            return reason
        if self._is_near(tick, received_at):
            self._jumps.forget(tick.pair, tick.source)
            return None
        return None if self._jumps.is_accepted(tick, received_at) else JUMP

    def pop_confirmed(self, pair: Pair, now: datetime) -> list[WaitingTick]:
        """Return the ticks that waited and that an accepted one has confirmed."""
        return self._jumps.pop_confirmed(pair, now)

    def pop_singles(self, now: datetime) -> list[WaitingTick]:
        """Return the ticks that waited and that nobody has contradicted for long enough."""
        return self._jumps.pop_singles(now)

    def is_plausible(self, tick: Tick, received_at: datetime) -> bool:
        """Return whether a tick's prices may be right, whenever it was sent."""
        return tick_refusal_reason(tick.bid, tick.ask) is None and self._is_near(tick, received_at)

    def _is_near(self, tick: Tick, received_at: datetime) -> bool:
        return self._jumps.is_near(tick.pair, (float(tick.bid) + float(tick.ask)) / 2, received_at)

    def _is_within_hours(self, tick: Tick, received_at: datetime) -> bool:
        """Return whether the market was open: the last tick before the close may arrive after it."""
        return self.is_open(tick.pair, received_at) or (tick.as_of is not None and self.is_open(tick.pair, tick.as_of))


def _is_overtaken(tick: Tick, previous: StoredTick, asked_at: datetime | None) -> bool:
    """Return whether the stream of a source has sent a quote from after an answer without a time was asked for."""
    return tick.as_of is None and asked_at is not None and asked_at < previous.as_of


def _is_older(tick: Tick, previous: StoredTick) -> bool:
    return 0 < tick.sequence < previous.sequence or (tick.as_of is not None and tick.as_of < previous.as_of)

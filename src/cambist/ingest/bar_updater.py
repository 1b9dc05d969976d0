"""The ticks that bars are made of: those of two currencies, of open hours, from the source that is published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cambist.history.bar_aggregator import BarAggregator
from cambist.ingest.agreed_prices import AgreedPrices
from cambist.ingest.tick_store import StoredTick
from cambist.ingest.tick_validator import IsOpen
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.pricing.trading_hours import is_open
from cambist.reference.currency_tables import CURRENCIES

_SECOND = timedelta(seconds=1)


def has_bars(pair: Pair) -> bool:
    """Return whether a pair has bars: pairs of two currencies do."""
    return pair.base in CURRENCIES and pair.quote in CURRENCIES


def is_within_hours(pair: Pair, as_of: datetime, is_open: IsOpen = is_open) -> bool:
    """Return whether a tick of a moment is within its market's hours.

    The second in which the market closes counts as open elsewhere. Here it would begin a minute, an hour and perhaps a
    day that contain nothing else.
    """
    return is_open(pair, as_of) and is_open(pair, as_of + _SECOND)


@dataclass(slots=True)
class BarUpdater:
    """Adds ticks to the open bars.

    `bar_time` returns the time to use for bars for a reading of the machine's clock, see `SteadyClock`.
    """

    aggregator: BarAggregator
    agreed: AgreedPrices
    is_open: IsOpen
    bar_time: Callable[[datetime], datetime]

    def add(self, tick: Tick, received_at: datetime) -> None:
        """Add an accepted tick."""
        if has_bars(tick.pair):
            self._add(tick, tick.as_of, received_at)

    def add_overtaken(self, tick: Tick, received_at: datetime, latest: StoredTick) -> None:
        """Add a tick that arrived after a newer one of its source: it is not the latest, but belongs to its bar."""
        if tick.as_of is not None and tick.as_of < latest.as_of and has_bars(tick.pair):
            self._add(tick, tick.as_of, received_at)

    def _add(self, tick: Tick, as_of: datetime | None, received_at: datetime) -> None:
        now = self.bar_time(received_at)
        moment = now if as_of is None else min(as_of, now)
        if is_within_hours(tick.pair, moment, self.is_open):
            self.aggregator.add(tick, moment, now, self.agreed.sources.get(tick.pair, ""))

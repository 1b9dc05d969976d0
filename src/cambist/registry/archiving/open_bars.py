"""The file of open bars, which is written every second, how long bars are kept, and who is told that they changed."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from cambist.clock import utc_now
from cambist.history.bar_aggregator import AMENDED_FOR, BarAggregator
from cambist.history.bars import Interval, PairBar
from cambist.ingest.bar_writer import KeptFor
from cambist.settings import Settings
from cambist.storage.atomic_file import write_atomically
from cambist.storage.shared.change_notifier import ChangeNotifier, Topic

log = logging.getLogger(__name__)


def read_open_bars(path: Path) -> BarAggregator:
    """Return an aggregator with the saved open bars, or an empty one; log if the file cannot be read."""
    try:
        aggregator = BarAggregator.from_bytes(path.read_bytes())
    except FileNotFoundError:
        return BarAggregator()
    except OSError as error:
        log.error("Bars: %s cannot be read, they start again: %s", path, error.strerror)  # noqa: TRY400  a trace would add nothing
        return BarAggregator()
    if aggregator is None:
        log.error("Bars: %s is damaged, they start again", path)
        return BarAggregator()
    return aggregator


def write_open_bars(path: Path, content: bytes) -> None:
    """Replace the saved open bars. Errors: OSError."""
    write_atomically(path, content, durable=False)


def notify_of_bars(changes: ChangeNotifier, stored: Iterable[PairBar] = (), removed: int = 0) -> None:
    """Notify the workers of bars that answers may have been cached without, or with.

    A worker caches a page once none of its bars can be amended. So a bar that was stored in time is in none yet.
    """
    latest = utc_now() - AMENDED_FOR
    if removed or any(each.bar.start + each.interval.length <= latest for each in stored):
        changes.notify(Topic.BARS)


def bar_retention(settings: Settings) -> KeptFor:
    """Return how long the bars of each interval are kept; intervals that are kept for ever are left out."""
    retention = {
        Interval.MINUTE: settings.minute_bars_for,
        Interval.HOUR: settings.hour_bars_for,
        Interval.DAY: settings.day_bars_for,
    }
    return {interval: length for interval, length in retention.items() if length is not None}

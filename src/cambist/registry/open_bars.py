"""Bars in the data folder: the file of those that form (killing their process costs a second of ticks); retention."""

from __future__ import annotations

import logging
from pathlib import Path

from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Interval
from cambist.ingest.bar_writer import KeptFor
from cambist.settings import Settings
from cambist.storage.atomic_file import write_atomically

log = logging.getLogger(__name__)


def read_open_bars(path: Path) -> BarAggregator:
    """Go on from what was saved; from nothing where nothing was, or nothing that can be read, which is logged."""
    try:
        folding = BarAggregator.restored(path.read_bytes())
    except FileNotFoundError:
        return BarAggregator()
    except OSError as error:
        log.error("Bars: %s cannot be read, they begin anew: %s", path, error.strerror)  # noqa: TRY400  no fault of ours
        return BarAggregator()
    if folding is None:
        log.error("Bars: %s is damaged, they begin anew", path)
        return BarAggregator()
    return folding


def write_open_bars(path: Path, content: bytes) -> None:
    """Put what is saved now in place of what was. Errors: OSError."""
    write_atomically(path, content, durable=False)


def bar_retention(settings: Settings) -> KeptFor:
    """Say how long bars are kept, those of each length that are not kept for ever."""
    given = {
        Interval.MINUTE: settings.minute_bars_for,
        Interval.HOUR: settings.hour_bars_for,
        Interval.DAY: settings.day_bars_for,
    }
    return {interval: length for interval, length in given.items() if length is not None}

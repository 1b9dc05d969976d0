"""What every feed is: a source's own facts, and how to read what it sends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from cambist.history.fixing import Fixing


@dataclass(frozen=True, slots=True)
class Source:
    """A publisher's facts.

    `anchor` is the currency that all its pairs share; `fixed_at` the hour, in `zone`, of the market that a
    fixing shows; `first_day` the first day it ever published.
    """

    key: str
    name: str
    home: str
    terms: str
    licence: str
    anchor: str
    fixed_at: time
    zone: ZoneInfo
    first_day: date

    def market_time(self, day: date) -> datetime:
        """Give the moment of the market that the day's fixing shows, UTC."""
        return datetime.combine(day, self.fixed_at, self.zone).astimezone(UTC)


class Feed(ABC):
    """One source's adapter. It extracts; it never rescues, skips or guesses."""

    source: Source

    @abstractmethod
    def read(self, content: bytes) -> Iterator[Fixing]:
        """Read the source's full history file.

        Errors: FeedBroken when it is anything but what the source publishes.
        """

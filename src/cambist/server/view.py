"""What one request sees: one book and one image throughout, and the moment it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from cambist.errors import RateUnavailable
from cambist.history.image import RateImage
from cambist.market.book import Book


@dataclass(frozen=True, slots=True)
class View:
    """A consistent state of the world for one answer; `longest_age` is the operator's limit for live rates."""

    book: Book
    image: RateImage
    now: datetime
    longest_age: timedelta | None = None

    @property
    def today(self) -> date:
        """The day it is, UTC."""
        return self.now.date()

    def updated(self, as_of: datetime, max_age: timedelta | None) -> str:
        """Write the market time of the oldest quote in an answer, if it is fresh enough.

        Errors: RateUnavailable when it is older than the client or the operator allows.
        """
        limits = [limit for limit in (max_age, self.longest_age) if limit is not None]
        if limits and self.now - as_of > min(limits):
            raise RateUnavailable(f"The newest rate is of [{_iso(as_of)}], older than allowed")
        return _iso(as_of)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

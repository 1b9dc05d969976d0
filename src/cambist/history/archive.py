"""The archive as its users see it: append-only fixings, readable as they were known at any moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Protocol

from cambist.history.fixing import Filed, Fixing, Known, Receipt
from cambist.market.pair import Pair


class Archive(Protocol):
    """Where fixings are kept. Nothing is ever changed or removed: a correction is a new row (ADR 4)."""

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Give the digest of the last delivery from there, so that the same bytes need not be read again."""

    def file(self, receipt: Receipt, fixings: Iterable[Fixing]) -> Filed:
        """File a delivery whole or not at all: new days are added, changed ones recorded as corrections."""

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Give the source's fixings, oldest day first, as they are known now or were known at a moment."""

    def newest(self, source: str) -> list[Known]:
        """Give each pair's fixing of its newest day."""

    def on_day(self, source: str, day: date) -> list[Known]:
        """Give the fixings that the source published for `day`, none carried."""

    def trail(self, pair: Pair, day: date) -> list[Known]:
        """Give all that was ever received for a pair and day, from every source, oldest first."""

    def revision(self) -> int:
        """Give a number that grows with every delivery that changed something."""

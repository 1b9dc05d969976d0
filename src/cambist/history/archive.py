"""The archive as its users see it: append-only fixings, readable as they were known at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Protocol

from cambist.history.damaged_rows import DamageReport
from cambist.history.fixing import Coverage, FilingResult, Fixing, Receipt, ReceivedFixing, RefusedFixing
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair

PairFilter = Callable[[str, Pair], bool]
"""Says whether a pair of a source is wanted."""


class FixingArchive(Protocol):
    """Where fixings are kept. Nothing is ever changed or removed: a correction is a new row (ADR 4)."""

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Give the digest of the last delivery from there, so that the same bytes need not be read again."""

    def last_received(self, source: str, origin: str) -> datetime | None:
        """Give when a delivery from there was filed last, also one of nothing; None where none ever was."""

    def file(self, receipt: Receipt, fixings: Iterable[Fixing], refused: Iterable[RefusedFixing] = ()) -> FilingResult:
        """File a delivery whole or not at all: new days are added, changed ones recorded as corrections.

        What is `refused` goes to quarantine with it, once; what waits there and passes now is released.
        """

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Give the source's fixings, oldest day first, as they are known now or were known at a moment."""

    def sources(self) -> list[str]:
        """Give the keys of all sources that something was filed of."""

    def rates(self, source: str, damage: DamageReport | None = None) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Give each pair's days since 1970 began and what one base was in quote units, as known now, oldest first.

        A day whose last row is damaged is left out, and the row is noted in `damage`; so it is in all readings.
        """

    def last_before(self, source: str, day: date) -> Mapping[Pair, Fixing]:
        """Give each pair's last fixing before a day."""

    def fixings_between(self, source: str, first: date, last: date) -> Mapping[tuple[Pair, date], Fixing]:
        """Give what is known of the days from `first` to `last`, by pair and day."""

    def pair_series(self, wanted: PairFilter, first: date, last: date) -> Iterator[tuple[str, PairSeries]]:
        """Give what sources fixed between two days of the pairs that are wanted of them, as known now."""

    def coverage(self, source: str) -> Coverage | None:
        """Say how many pairs and which days are here of a source; None where there is nothing."""

    def latest_fixings(self, source: str) -> list[ReceivedFixing]:
        """Give each pair's fixing of its newest day."""

    def published_fixings(self, source: str, code: str, day: date) -> list[ReceivedFixing]:
        """Give the last fixings of a source up to a day, of each of its pairs with a code or with the pivot in it."""

    def fixings_on(self, source: str, day: date) -> list[ReceivedFixing]:
        """Give the fixings that the source published for `day`, none carried."""

    def revisions(self, pair: Pair, day: date) -> list[ReceivedFixing]:
        """Give all that was ever received for a pair and day, from every source, oldest first."""

    def revision(self) -> int:
        """Give a number that grows with every delivery that changed something."""

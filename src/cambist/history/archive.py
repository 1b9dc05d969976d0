"""The archive of fixings: rows are only added, so that any day can be read as it was known at any moment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, datetime
from typing import Protocol

from cambist.history.corrections import Correction, CorrectionQuery, FeedEntry, FeedPosition
from cambist.history.coverage import PairCoverage
from cambist.history.damaged_rows import DamageReport
from cambist.history.fixing import Coverage, DeliveryRecord, FilingResult, Fixing, ReceivedFixing
from cambist.history.known_fixings import KnownFixings
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair

PairFilter = Callable[[str, Pair], bool]
"""Return whether a pair of a source is wanted."""


class DeliveryFiling(Protocol):
    """Files deliveries. No row is ever changed or removed: a correction is a new row (ADR 4)."""

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Return the digest of the last delivery from an origin, so that the same bytes are not parsed again."""

    def last_received(self, source: str, origin: str) -> datetime | None:
        """Return when the last delivery from an origin was filed, even an empty one; None if there was none."""

    def file(self, delivery: DeliveryRecord, fixings: Iterable[Fixing]) -> FilingResult:
        """Store a whole delivery or nothing of it. New days are added, changed ones are recorded as corrections."""


class KnownArchive(Protocol):
    """What was known at a delivery, to judge it. A day whose last row is damaged is left out by all methods."""

    def revision(self) -> int:
        """Return a number that grows with every delivery that changed something."""

    def delivery_at(self, moment: datetime) -> int:
        """Return the number of the last delivery with fixings that was received by a moment; 0 if there was none."""

    def deliveries_after(self, delivery: int, up_to: int) -> list[tuple[int, str]]:
        """Return number and source of the deliveries after a delivery, up to another one, that changed something."""

    def deliveries(self, numbers: Collection[int]) -> dict[int, tuple[str, datetime]]:
        """Return the source of each of these deliveries, and when it was received."""

    def sources(self) -> list[str]:
        """Return the keys of all sources of which fixings were filed."""

    def rates(
        self, source: str, damage: DamageReport | None = None, up_to: int | None = None
    ) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Yield each pair with its days (counted from 1970-01-01) and rates, as known now, oldest first.

        With `up_to`, what later deliveries than that of this number said is left out. Damaged rows are added to
        `damage`.
        """

    def known_fixings(self, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]) -> KnownFixings:
        """Return everything that was received about the wanted pairs of some sources between two days."""

    def days_received_after(
        self, delivery: int, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]
    ) -> list[date] | None:
        """Return the days between two of which wanted pairs were received after a delivery; None if one is damaged."""


class CorrectionArchive(Protocol):
    """What sources have corrected."""

    def corrections(self, query: CorrectionQuery) -> list[Correction]:
        """Return the corrections about a pair by all sources, newest day first."""

    def corrections_after(self, after: FeedPosition | None, up_to: int, limit: int) -> list[FeedEntry]:
        """Return the corrections after a position up to a delivery, in the order in which they were received.

        Without a position they are the newest ones.
        """


class PublishedArchive(CorrectionArchive, Protocol):
    """What sources published, as it is shown. Damaged rows are left out."""

    def published_fixings(self, source: str, code: str, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return the last fixing up to a day of each pair of a source that contains a code or the pivot.

        With `up_to`, what later deliveries than that of this number said is left out.
        """

    def fixings_on(self, source: str, day: date) -> list[ReceivedFixing]:
        """Return the fixings that a source published for a day, without any carried forward."""

    def pair_series(self, wanted: PairFilter, first: date, last: date) -> Iterator[tuple[str, PairSeries]]:
        """Yield the wanted pairs of each source with their fixings between two days, as known now."""

    def coverage(self, source: str) -> Coverage | None:
        """Return the number of pairs and the first and last day of a source; None if it has no fixings."""

    def pair_coverage(self) -> list[PairCoverage]:
        """Return the first and last day of each pair of each source."""

    def revisions(self, pair: Pair, day: date) -> list[ReceivedFixing]:
        """Return every fixing ever received for a pair and day, from all sources, oldest first."""

    def vintages(self, pair: Pair, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return every fixing received for a day of the pairs that a rate can be made from, oldest first."""


class FixingArchive(DeliveryFiling, KnownArchive, PublishedArchive, Protocol):
    """A store of fixings. Who uses it asks for one of its parts."""

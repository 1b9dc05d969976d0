"""The archive of fixings: rows are only added, so that any day can be read as it was known at any moment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date, datetime
from typing import Protocol

from cambist.history.corrections import Correction, CorrectionQuery, FeedEntry, FeedPosition
from cambist.history.coverage import PairCoverage
from cambist.history.damaged_rows import DamageReport
from cambist.history.filed_values import FiledValues
from cambist.history.fixing import Coverage, DeliveryRecord, FilingResult, Fixing, ReceivedFixing
from cambist.history.known_fixings import KnownFixings
from cambist.history.pair_series import PairSeries
from cambist.pricing.pair import Pair

PairFilter = Callable[[str, Pair], bool]
"""Return whether a pair of a source is wanted."""


class FixingArchive(Protocol):
    """A store of fixings. No row is ever changed or removed: a correction is a new row (ADR 4)."""

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Return the digest of the last delivery from an origin, so that the same bytes are not parsed again."""

    def last_received(self, source: str, origin: str) -> datetime | None:
        """Return when the last delivery from an origin was filed, even an empty one; None if there was none."""

    def file(
        self, delivery: DeliveryRecord, fixings: Iterable[Fixing], filed: FiledValues | None = None
    ) -> FilingResult:
        """Store a whole delivery or nothing of it. New days are added, changed ones are recorded as corrections.

        `filed` are the values of all pairs and days of the delivery, if the caller has them already; they are read
        again if the archive has changed since.
        """

    def deliveries_after(self, delivery: int, up_to: int) -> list[tuple[int, str]]:
        """Return number and source of the deliveries after a delivery, up to another one, that changed something."""

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Yield the fixings of a source, oldest day first, as they are known now or were known at a moment."""

    def sources(self) -> list[str]:
        """Return the keys of all sources with a fixing."""

    def rates(
        self, source: str, damage: DamageReport | None = None, up_to: int | None = None
    ) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Yield each pair with its days (counted from 1970-01-01) and rates, as known now, oldest first.

        With `up_to`, what later deliveries than that of this number said is left out.
        A day whose last row is damaged is left out, and the row is recorded in `damage`. All other methods leave such
        days out too.
        """

    def filed_values(self, source: str, pairs: Collection[Pair], first: date, last: date) -> FiledValues:
        """Return the values of these pairs of a source for the days from `first` to `last`."""

    def pair_series(self, wanted: PairFilter, first: date, last: date) -> Iterator[tuple[str, PairSeries]]:
        """Yield the wanted pairs of each source with their fixings between two days, as known now."""

    def coverage(self, source: str) -> Coverage | None:
        """Return the number of pairs and the first and last day of a source; None if it has no fixings."""

    def pair_coverage(self) -> list[PairCoverage]:
        """Return the first and last day of each pair of each source."""

    def published_fixings(self, source: str, code: str, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return the last fixing up to a day of each pair of a source that contains a code or the pivot.

        With `up_to`, what later deliveries than that of this number said is left out.
        """

    def fixings_on(self, source: str, day: date) -> list[ReceivedFixing]:
        """Return the fixings that a source published for a day, without any carried forward."""

    def revisions(self, pair: Pair, day: date) -> list[ReceivedFixing]:
        """Return every fixing ever received for a pair and day, from all sources, oldest first."""

    def corrections(self, query: CorrectionQuery) -> list[Correction]:
        """Return the corrections about a pair by all sources, newest day first."""

    def known_fixings(self, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]) -> KnownFixings:
        """Return everything that was received about the wanted pairs of some sources between two days."""

    def days_received_after(
        self, delivery: int, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]
    ) -> list[date] | None:
        """Return the days between two of which wanted pairs were received after a delivery; None if one is damaged."""

    def delivery_at(self, moment: datetime) -> int:
        """Return the number of the last delivery with fixings that was received by a moment; 0 if there was none."""

    def corrections_after(self, after: FeedPosition | None, up_to: int, limit: int) -> list[FeedEntry]:
        """Return the corrections after a position up to a delivery, in the order in which they were received.

        Without a position they are the newest ones.
        """

    def deliveries(self, numbers: Collection[int]) -> dict[int, tuple[str, datetime]]:
        """Return the source of each of these deliveries, and when it was received."""

    def vintages(self, pair: Pair, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return every fixing received for a day of the pairs that a rate can be made from, oldest first."""

    def revision(self) -> int:
        """Return a number that grows with every delivery that changed something."""

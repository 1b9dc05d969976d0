"""An archive of fixings in memory, with what an ingest process needs of the protocol: it costs no SQL.

A whole year of deliveries is filed in it. That it does what the archive in SQL does is tested.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, timedelta

import numpy as np
from tools.simulation.memory_transaction import Before, transaction
from tools.simulation.stored_rows import StoredDelivery, StoredFixing

from cambist.errors import SourceBroken
from cambist.history.archive import PairFilter
from cambist.history.damaged_rows import DamageReport
from cambist.history.filed_values import FiledValue
from cambist.history.fixing import Coverage, DeliveryRecord, FilingResult, Fixing, ReceivedFixing
from cambist.history.known_fixings import KnownFixings
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import PIVOT, Pair

_Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
_Floats = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(slots=True)
class MemorySeries:
    """The newest fixing of each day of one pair of a source; `days` are in order.

    `revisions` has every rate of a day with the number of its delivery.
    """

    pair: Pair
    newest: dict[date, ReceivedFixing] = field(default_factory=dict)
    values: dict[date, FiledValue] = field(default_factory=dict)
    days: list[date] = field(default_factory=list)
    revisions: dict[date, list[tuple[int, float]]] = field(default_factory=dict)
    _columns: tuple[_Ints, _Floats] | None = None
    _parts: dict[tuple[date, date], PairSeries | None] = field(default_factory=dict)

    def put(self, received: ReceivedFixing, value: FiledValue) -> None:
        """Put a fixing in the place of the one before of its day."""
        day = received.fixing.day
        if day not in self.newest:
            insort(self.days, day)
        self.newest[day] = received
        self.values[day] = value
        self.revisions.setdefault(day, []).append((received.delivery, float(value.digits) / value.nominal))
        self._columns = None
        self._parts.clear()

    def columns(self) -> tuple[_Ints, _Floats]:
        """Return the days as rows of the rate matrix, and the rates."""
        if self._columns is None:
            rows = np.array([(day - FIRST_DAY).days for day in self.days], np.int64)
            rates = [float(value.digits) / value.nominal for value in map(self.values.__getitem__, self.days)]
            self._columns = rows, np.array(rates, np.float64)
        return self._columns

    def between(self, first: date, last: date) -> PairSeries | None:
        """Return the part between two days; None if it is empty."""
        if (first, last) not in self._parts:
            self._parts[first, last] = self._between(first, last)
        return self._parts[first, last]

    def _between(self, first: date, last: date) -> PairSeries | None:
        begin, end = bisect_left(self.days, first), bisect_left(self.days, last)
        end += end < len(self.days) and self.days[end] == last
        if begin >= end:
            return None
        rows, rates = self.columns()
        return PairSeries(self.pair, rows[begin:end], rates[begin:end])

    def known(self, first: date, last: date) -> list[tuple[int, int, float]]:
        """Return the day, the delivery and the rate of all revisions between two days."""
        days = self.days[bisect_left(self.days, first) : bisect_right(self.days, last)]
        return [((day - FIRST_DAY).days, delivery, rate) for day in days for delivery, rate in self.revisions[day]]

    def known_rates(self, up_to: int) -> dict[int, float]:
        """Return rates by day as they were known after a delivery."""
        return {row: rate for row, delivery, rate in self.known(date.min, date.max) if delivery <= up_to}

    def last_before(self, day: date) -> ReceivedFixing | None:
        """Return the last fixing before a day."""
        place = bisect_left(self.days, day)
        return self.newest[self.days[place - 1]] if place else None


class MemoryArchive:
    """Fixings and deliveries as they were filed, and indexes of them.

    `fixings_rows` and `delivery_rows` are what a database would have. Errors: those of `before`; nothing is changed.
    """

    def __init__(self, before: Before) -> None:
        self._before = before
        self.fixing_rows: list[StoredFixing] = []
        self.delivery_rows: list[StoredDelivery] = []
        self._series: dict[str, dict[Pair, MemorySeries]] = {}
        self._digests: dict[tuple[str, str], str] = {}
        self._revision = 0

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Return the digest of the last delivery from an origin."""
        return self._digests.get((source, origin))

    def file(self, delivery: DeliveryRecord, fixings: Iterable[Fixing]) -> FilingResult:
        """Store a whole delivery or nothing of it."""
        delivered = list(fixings)
        _check_days(delivered)
        with transaction(self._before):
            return self._store(delivery, delivered)

    def _store(self, delivery: DeliveryRecord, delivered: list[Fixing]) -> FilingResult:
        number = len(self.delivery_rows) + 1
        of_source = self._series.setdefault(delivery.source, {})
        added = corrected = 0
        rows = []
        for one in delivered:
            series = of_source.get(one.pair) or of_source.setdefault(one.pair, MemorySeries(one.pair))
            value = FiledValue(one.nominal, str(one.value))
            stored = series.values.get(one.day)
            if stored == value:
                continue
            added, corrected = added + (stored is None), corrected + (stored is not None)
            series.put(ReceivedFixing(one, delivery.received_at, delivery.origin, number), value)
            rows.append(StoredFixing(number, one.source, one.pair.base, one.pair.quote, one.day.isoformat(), *value))
        self.fixing_rows += sorted(rows)
        at = delivery.received_at.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
        self.delivery_rows.append(
            StoredDelivery(number, delivery.source, at, delivery.origin, delivery.digest, added, corrected)
        )
        self._digests[delivery.source, delivery.origin] = delivery.digest
        self._revision = number if rows else self._revision
        days = [one.day for one in delivered]
        span = (min(days), max(days)) if days else None
        return FilingResult(added, corrected, len(delivered) - len(rows), delivery=number, days=span)

    def deliveries_after(self, delivery: int, up_to: int) -> list[tuple[int, str]]:
        """Return the deliveries between two that changed something."""
        rows = self.delivery_rows[max(delivery, 0) : up_to]
        return [(row.number, row.source) for row in rows if row.added + row.corrected]

    def known_fixings(self, sources: Collection[str], wanted: PairFilter, days: tuple[date, date]) -> KnownFixings:
        """Return all rows of the wanted pairs of some sources between two days."""
        found = [
            (source, pair, rows)
            for source in sources
            for pair, series in sorted(self._series.get(source, {}).items())
            if wanted(source, pair) and (rows := series.known(*days))
        ]
        columns = [(number, *row) for number, (_, _, rows) in enumerate(found) for row in rows]
        return KnownFixings(
            names=tuple((source, pair) for source, pair, _ in found),
            series=np.array([each[0] for each in columns], np.int64),
            rows=np.array([each[1] for each in columns], np.int64),
            deliveries=np.array([each[2] for each in columns], np.int64),
            rates=np.array([each[3] for each in columns], np.float64),
        )

    def published_fixings(self, source: str, code: str, day: date, up_to: int | None = None) -> list[ReceivedFixing]:
        """Return the last fixings up to a day of the pairs with a code or with the pivot."""
        if up_to is not None and up_to < self._revision:
            raise ValueError("This archive knows the newest fixings alone")
        before = day + timedelta(days=1)
        of_source = self._series.get(source, {})
        chosen = [series for pair, series in sorted(of_source.items()) if {code, PIVOT} & {pair.base, pair.quote}]
        return [known for series in chosen if (known := series.last_before(before)) is not None]

    def sources(self) -> list[str]:
        """Return the keys of all sources of which something was filed."""
        return sorted(self._series)

    def rates(
        self, source: str, damage: DamageReport | None = None, up_to: int | None = None
    ) -> Iterator[tuple[Pair, list[int], list[float]]]:
        """Yield each pair with its days and rates."""
        del damage  # nothing is ever damaged here
        for pair, series in sorted(self._series.get(source, {}).items()):
            if up_to is None or up_to >= self._revision:
                rows, rates = series.columns()
                yield pair, rows.tolist(), rates.tolist()
            elif known := series.known_rates(up_to):
                yield pair, list(known), list(known.values())

    def pair_series(self, wanted: PairFilter, first: date, last: date) -> Iterator[tuple[str, PairSeries]]:
        """Yield the wanted pairs of each source with their fixings between two days."""
        for source, of_source in self._series.items():
            for pair, series in of_source.items():
                if wanted(source, pair):
                    part = series.between(first, last)
                    if part is not None:
                        yield source, part

    def coverage(self, source: str) -> Coverage | None:
        """Return the number of pairs of a source, and its first and last day."""
        days = [series.days for series in self._series.get(source, {}).values()]
        return Coverage(len(days), min(each[0] for each in days), max(each[-1] for each in days)) if days else None

    def fixings_on(self, source: str, day: date) -> list[ReceivedFixing]:
        """Return the fixings that a source published for a day."""
        found = (series.newest.get(day) for series in self._series.get(source, {}).values())
        return [known for known in found if known is not None]

    def revision(self) -> int:
        """Return the number of the last delivery that changed something."""
        return self._revision


def _check_days(delivered: Iterable[Fixing]) -> None:
    """Raise SourceBroken if a day of a pair stands twice in a delivery."""
    seen: set[tuple[Pair, date]] = set()
    for one in delivered:
        if (one.pair, one.day) in seen:
            raise SourceBroken(f"{one.source}: {one.pair} on {one.day} stands twice in one delivery")
        seen.add((one.pair, one.day))

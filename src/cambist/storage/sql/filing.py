"""File one delivery: compare it with what is stored, and add what is new or corrected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sqlalchemy import Connection, insert

from cambist.errors import SourceBroken
from cambist.history.filed_values import DayValues
from cambist.history.fixing import DeliveryRecord, FilingResult, Fixing
from cambist.pricing.pair import Pair
from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.checksum import StoredRow, series_seed, stored_rows
from cambist.storage.sql.reading import StoredSeries, all_series, read_filed_values
from cambist.storage.sql.schema import deliveries, series
from cambist.storage.sql.selects import to_stored


class Filing:
    """The filing of one delivery, over a connection with an open transaction."""

    def __init__(self, connection: Connection, delivery: DeliveryRecord) -> None:
        self._connection = connection
        self._delivery = delivery
        # Write before reading: a transaction that reads first may fail to get the write lock.
        self._delivery_id = self._insert_delivery()
        self._series = self._stored_series()
        self._added = self._corrected = self._unchanged = 0

    def file(self, delivered: Sequence[Fixing]) -> FilingResult:
        """File the delivery. The caller commits the transaction."""
        for pair, fixings in self._by_pair(delivered).items():
            of_pair = self._series[pair]
            self._insert(self._new_rows(of_pair, fixings, self._filed_values(of_pair, fixings)))
        self._update_delivery()
        days = {fixing.day for fixing in delivered}
        return FilingResult(
            self._added,
            self._corrected,
            self._unchanged,
            delivery=self._delivery_id,
            days=(min(days), max(days)) if days else None,
        )

    def _stored_series(self) -> dict[Pair, StoredSeries]:
        stored = all_series(self._connection, self._delivery.source)
        return {series.pair: series for series in stored.values()}

    def _by_pair(self, delivered: Sequence[Fixing]) -> dict[Pair, list[Fixing]]:
        """Divide the delivery by pair. Errors: SourceBroken for a pair with two units, or with a day twice."""
        of_pairs: dict[Pair, list[Fixing]] = {}
        for fixing in delivered:
            try:
                of_pairs[fixing.pair].append(fixing)
            except KeyError:
                of_pairs[fixing.pair] = [fixing]
        for pair, fixings in of_pairs.items():
            if pair not in self._series:
                self._series[pair] = self._new_series(pair, fixings[0].unit)
            _check(self._series[pair], fixings)
        return of_pairs

    def _filed_values(self, of_pair: StoredSeries, fixings: list[Fixing]) -> DayValues:
        """Return the stored values of the days of a pair's fixings, without damaged rows: these are filed again."""
        days = [fixing.day for fixing in fixings]
        return read_filed_values(self._connection, of_pair, min(days), max(days))

    def _new_rows(self, of_pair: StoredSeries, fixings: list[Fixing], stored: DayValues) -> list[StoredRow]:
        new = fixings
        if stored:
            new = [each for each in fixings if stored.get(each.day) != (each.nominal, str(each.value))]
        corrected = sum(each.day in stored for each in new) if stored else 0
        self._corrected += corrected
        self._added += len(new) - corrected
        self._unchanged += len(fixings) - len(new)
        return list(stored_rows(of_pair.number, of_pair.seed, self._delivery_id, new))

    def _insert(self, rows: list[StoredRow]) -> None:
        if rows:
            backend_of(self._connection).insert_fixings(self._connection, rows)

    def _new_series(self, pair: Pair, unit: str) -> StoredSeries:
        source = self._delivery.source
        new = insert(series).values(source=source, base=pair.base, quote=pair.quote, unit=unit)
        number = self._connection.execute(new.returning(series.c.id)).scalar_one()
        return StoredSeries(number, pair, unit, series_seed(source, pair.base, pair.quote, unit))

    def _insert_delivery(self) -> int:
        new = insert(deliveries).values(
            source=self._delivery.source,
            received_at=to_stored(self._delivery.received_at),
            origin=self._delivery.origin,
            digest=self._delivery.digest,
            added=0,
            corrected=0,
        )
        return int(self._connection.execute(new.returning(deliveries.c.id)).scalar_one())

    def _update_delivery(self) -> None:
        changes = {"added": self._added, "corrected": self._corrected}
        self._connection.execute(deliveries.update().where(deliveries.c.id == self._delivery_id).values(**changes))


def _check(stored: StoredSeries, fixings: Sequence[Fixing]) -> None:
    """Raise SourceBroken if the fixings of a pair have another unit than the stored ones, or one day twice."""
    seen: set[date] = set()
    for fixing in fixings:
        if fixing.unit != stored.unit:
            units = f"the unit [{stored.unit}], now in [{fixing.unit}]"
            raise SourceBroken(f"{fixing.source}: {fixing.pair} was in {units}")
        if fixing.day in seen:
            raise SourceBroken(f"{fixing.source}: {fixing.pair} on {fixing.day} stands twice in one delivery")
        seen.add(fixing.day)

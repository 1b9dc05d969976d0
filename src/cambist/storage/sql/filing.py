"""File one delivery: compare it with what is stored, and add what is new or corrected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from zlib import crc32

from sqlalchemy import Connection, insert

from cambist.errors import SourceBroken
from cambist.history.fixing import FilingResult, Fixing, Receipt, RefusedFixing
from cambist.pricing.pair import Pair
from cambist.storage.sql.checksum import FixingRow, row_content, series_seed, stored_row
from cambist.storage.sql.quarantine import add_refused, release_passed
from cambist.storage.sql.reading import StoredSeries, all_series, last_versions
from cambist.storage.sql.schema import fixings, receipts, series
from cambist.storage.sql.selects import select_versions, to_stored

_BATCH = 20_000
_COLUMNS = ("series_id", *FixingRow._fields, "checksum")
_INSERT = f"INSERT INTO fixings ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608
_PairDay = tuple[Pair, date]
_Value = tuple[int, str]


class Filing:
    """The filing of one delivery, over a connection with an open transaction."""

    def __init__(self, connection: Connection, receipt: Receipt) -> None:
        self._connection = connection
        self._receipt = receipt
        # Write before reading: a transaction that reads first may fail to get the write lock.
        self._receipt_id = self._insert_receipt()
        self._series = self._stored_series()
        self._added = self._corrected = self._unchanged = 0

    def file(self, delivered: Sequence[Fixing], refused: Iterable[RefusedFixing]) -> FilingResult:
        """File the delivery. The caller commits the transaction."""
        rows = self._new_rows(delivered)
        while batch := list(islice(rows, _BATCH)):
            # Through the driver: SQLAlchemy would take longer to prepare a row than SQLite to write it.
            self._connection.exec_driver_sql(_INSERT, batch)
        release_passed(self._connection, self._receipt, delivered)
        quarantined = add_refused(self._connection, self._receipt, refused)
        self._update_receipt()
        return FilingResult(self._added, self._corrected, self._unchanged, quarantined)

    def _stored_series(self) -> dict[Pair, StoredSeries]:
        stored = all_series(self._connection, self._receipt.source)
        return {series.pair: series for series in stored.values()}

    def _stored_values(self, delivered: Sequence[Fixing]) -> dict[_PairDay, _Value]:
        """Return the stored values of the delivered days, without damaged rows: these are filed again."""
        days = {fixing.day for fixing in delivered}
        if not days:
            return {}
        query = select_versions(self._receipt.source, None).where(fixings.c.day.between(min(days), max(days)))
        stored = last_versions(self._connection, self._receipt.source, query)
        return {(one.pair, one.day): (one.nominal, str(one.value)) for one in stored}

    def _new_rows(self, delivered: Sequence[Fixing]) -> Iterator[tuple[str | int | None, ...]]:
        seen: set[_PairDay] = set()
        stored_values = self._stored_values(delivered)
        for fixing in delivered:
            of_pair, key = self._series_of(fixing), (fixing.pair, fixing.day)
            value = (fixing.nominal, str(fixing.value))
            if key in seen:
                raise SourceBroken(f"{fixing.source}: {fixing.pair} on {fixing.day} stands twice in one delivery")
            seen.add(key)
            stored = stored_values.get(key)
            if stored == value:
                self._unchanged += 1
                continue
            self._added += stored is None
            self._corrected += stored is not None
            row = FixingRow(fixing.day, self._receipt_id, fixing.nominal, fixing.value, fixing.published_at)
            yield of_pair.number, *stored_row(row), crc32(row_content(row), of_pair.seed)

    def _series_of(self, fixing: Fixing) -> StoredSeries:
        pair = fixing.pair
        if pair not in self._series:
            self._series[pair] = self._new_series(pair, fixing.unit)
        found = self._series[pair]
        if found.unit != fixing.unit:
            raise SourceBroken(f"{fixing.source}: {pair} was in the unit [{found.unit}], now in [{fixing.unit}]")
        return found

    def _new_series(self, pair: Pair, unit: str) -> StoredSeries:
        source = self._receipt.source
        new = insert(series).values(source=source, base=pair.base, quote=pair.quote, unit=unit)
        number = self._connection.execute(new.returning(series.c.id)).scalar_one()
        return StoredSeries(number, pair, unit, series_seed(source, pair.base, pair.quote, unit))

    def _insert_receipt(self) -> int:
        new = insert(receipts).values(
            source=self._receipt.source,
            received_at=to_stored(self._receipt.received_at),
            origin=self._receipt.origin,
            digest=self._receipt.digest,
            added=0,
            corrected=0,
        )
        return int(self._connection.execute(new.returning(receipts.c.id)).scalar_one())

    def _update_receipt(self) -> None:
        changes = {"added": self._added, "corrected": self._corrected}
        self._connection.execute(receipts.update().where(receipts.c.id == self._receipt_id).values(**changes))

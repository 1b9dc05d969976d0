"""Filing one delivery: compare with what is known, add the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from zlib import crc32

from sqlalchemy import Connection, insert

from cambist.errors import SourceBroken
from cambist.history.fixing import FilingResult, Fixing, Receipt, RefusedFixing
from cambist.pricing.pair import Pair
from cambist.storage.sql.checksum import Row, content, seed, stored_row
from cambist.storage.sql.quarantine import detain, release
from cambist.storage.sql.reading import StoredSeries, all_series, cells
from cambist.storage.sql.schema import fixings, receipts, series
from cambist.storage.sql.selects import published, stored

_BATCH = 20_000
_COLUMNS = ("series_id", *Row._fields, "checksum")
_INSERT = f"INSERT INTO fixings ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608
_Cell = tuple[Pair, date]
_Value = tuple[int, str]


class Filing:
    """One delivery being filed over a connection with an open transaction."""

    def __init__(self, connection: Connection, receipt: Receipt) -> None:
        self._connection = connection
        self._receipt = receipt
        # Writing before reading makes the transaction the writer's: one that reads first may find the store locked.
        self._receipt_id = self._open_receipt()
        self._series = self._known_series()
        self._added = self._corrected = self._unchanged = 0

    def file(self, delivered: Sequence[Fixing], refused: Iterable[RefusedFixing]) -> FilingResult:
        """File it; the caller's transaction makes it whole or not at all."""
        rows = self._new_rows(delivered)
        while batch := list(islice(rows, _BATCH)):
            # The driver is asked directly: preparing each row for it would take longer than writing it.
            self._connection.exec_driver_sql(_INSERT, batch)
        release(self._connection, self._receipt, delivered)
        quarantined = detain(self._connection, self._receipt, refused)
        self._close_receipt()
        return FilingResult(self._added, self._corrected, self._unchanged, quarantined)

    def _known_series(self) -> dict[Pair, StoredSeries]:
        known = all_series(self._connection, self._receipt.source)
        return {series.pair: series for series in known.values()}

    def _known_values(self, delivered: Sequence[Fixing]) -> dict[_Cell, _Value]:
        """Read what is known of the days delivered; what is damaged is not, and is filed anew."""
        days = {fixing.day for fixing in delivered}
        if not days:
            return {}
        query = published(self._receipt.source, None).where(fixings.c.day.between(min(days), max(days)))
        known = cells(self._connection, self._receipt.source, query)
        return {(one.pair, one.day): (one.nominal, str(one.value)) for one in known}

    def _new_rows(self, delivered: Sequence[Fixing]) -> Iterator[tuple[str | int | None, ...]]:
        seen: set[_Cell] = set()
        all_known = self._known_values(delivered)
        for fixing in delivered:
            of, cell = self._series_of(fixing), (fixing.pair, fixing.day)
            value = (fixing.nominal, str(fixing.value))
            if cell in seen:
                raise SourceBroken(f"{fixing.source}: {fixing.pair} on {fixing.day} stands twice in one delivery")
            seen.add(cell)
            known = all_known.get(cell)
            if known == value:
                self._unchanged += 1
                continue
            self._added += known is None
            self._corrected += known is not None
            row = Row(fixing.day, self._receipt_id, fixing.nominal, fixing.value, fixing.published_at)
            yield of.number, *stored_row(row), crc32(content(row), of.begun)

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
        return StoredSeries(number, pair, unit, seed(source, pair.base, pair.quote, unit))

    def _open_receipt(self) -> int:
        new = insert(receipts).values(
            source=self._receipt.source,
            received_at=stored(self._receipt.received_at),
            origin=self._receipt.origin,
            digest=self._receipt.digest,
            added=0,
            corrected=0,
        )
        return int(self._connection.execute(new.returning(receipts.c.id)).scalar_one())

    def _close_receipt(self) -> None:
        changes = {"added": self._added, "corrected": self._corrected}
        self._connection.execute(receipts.update().where(receipts.c.id == self._receipt_id).values(**changes))

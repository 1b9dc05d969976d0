"""The append-only archive in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import groupby, islice
from operator import itemgetter

from sqlalchemy import Connection, Engine, Row, Select, func, insert, select

from cambist.history.fixing import Filed, Fixing, Known, Receipt
from cambist.market.pair import Pair
from cambist.stores.sql.schema import fixings, receipts, series

_BATCH = 20_000
_Cell = tuple[int, date]
_Value = tuple[int, str]


class SqlArchive:
    """The `Archive` protocol over one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def newest_digest(self, source: str, origin: str) -> str | None:
        """Give the digest of the last delivery from there, so that the same bytes need not be read again."""
        last = (
            select(receipts.c.digest)
            .where(receipts.c.source == source, receipts.c.origin == origin)
            .order_by(receipts.c.id.desc())
            .limit(1)
        )
        with self._engine.connect() as connection:
            return connection.execute(last).scalar_one_or_none()

    def file(self, receipt: Receipt, fixings: Iterable[Fixing]) -> Filed:
        """File a delivery in one transaction: what is known already is left alone."""
        with self._engine.begin() as connection:
            return _Filing(connection, receipt).file(fixings)

    def fixings(self, source: str, known_at: datetime | None = None) -> Iterator[Fixing]:
        """Give the source's fixings, oldest day first, as they are known now or were known at a moment."""
        query = _published(source, known_at)
        with self._engine.connect() as connection:
            pairs = {row.id: Pair(row.base, row.quote) for row in connection.execute(_series_of(source))}
            rows = connection.execution_options(yield_per=_BATCH).execute(query)
            for _, same_cell in groupby(rows, key=itemgetter(0, 1)):
                number, day, nominal, value = list(same_cell)[-1]
                yield Fixing(source, pairs[number], day, Decimal(value), nominal)

    def newest(self, source: str) -> list[Known]:
        """Give each pair's fixing of its newest day."""
        query = (
            select(fixings.c.series_id, func.max(fixings.c.day).label("day"))
            .join(series)
            .where(series.c.source == source)
            .group_by(fixings.c.series_id)
        )
        with self._engine.connect() as connection:
            newest = {(row.series_id, row.day) for row in connection.execute(query)}
        days = sorted({day for _, day in newest})
        by_pair = {known.fixing.pair: known for day in days for known in self.on_day(source, day)}
        return [by_pair[pair] for pair in sorted(by_pair)]

    def on_day(self, source: str, day: date) -> list[Known]:
        """Give the fixings that the source published for `day`."""
        query = _received().where(series.c.source == source, fixings.c.day == day)
        with self._engine.connect() as connection:
            last = {row.series_id: _known(row) for row in connection.execute(query)}
        return list(last.values())

    def trail(self, pair: Pair, day: date) -> list[Known]:
        """Give all that was ever received for a pair and day, from every source, oldest first."""
        query = _received().where(series.c.base == pair.base, series.c.quote == pair.quote, fixings.c.day == day)
        with self._engine.connect() as connection:
            return [_known(row) for row in connection.execute(query)]

    def revision(self) -> int:
        """Give a number that grows with every delivery that changed something."""
        changed = select(func.coalesce(func.max(receipts.c.id), 0)).where(receipts.c.added + receipts.c.corrected > 0)
        with self._engine.connect() as connection:
            return int(connection.execute(changed).scalar_one())


def _series_of(source: str) -> Select[int, str, str]:
    return select(series.c.id, series.c.base, series.c.quote).where(series.c.source == source)


def _published(source: str, known_at: datetime | None) -> Select[int, date, int, str]:
    """Select all versions of all cells, a cell's versions together and the latest last."""
    query = (
        select(fixings.c.series_id, fixings.c.day, fixings.c.nominal, fixings.c.value)
        .join(series)
        .where(series.c.source == source)
        .order_by(fixings.c.day, fixings.c.series_id, fixings.c.receipt_id)
    )
    if known_at is None:
        return query
    return query.join(receipts).where(receipts.c.received_at <= _stored(known_at))


def _received() -> Select[int, str, str, str, date, int, str, datetime, str]:
    """Select fixings with all that is known of them, oldest receipt first."""
    return (
        select(
            series.c.id.label("series_id"),
            series.c.source,
            series.c.base,
            series.c.quote,
            fixings.c.day,
            fixings.c.nominal,
            fixings.c.value,
            receipts.c.received_at,
            receipts.c.origin,
        )
        .select_from(fixings.join(series).join(receipts))
        .order_by(receipts.c.id)
    )


def _known(row: Row[int, str, str, str, date, int, str, datetime, str]) -> Known:
    fixing = Fixing(row.source, Pair(row.base, row.quote), row.day, Decimal(row.value), row.nominal)
    return Known(fixing, row.received_at.replace(tzinfo=UTC), row.origin)


def _stored(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(tzinfo=None)


class _Filing:
    """One delivery being filed: compare with what is known, add the rest."""

    def __init__(self, connection: Connection, receipt: Receipt) -> None:
        self._connection = connection
        self._receipt = receipt
        self._series = self._known_series()
        self._known = self._known_values()
        self._added = self._corrected = self._unchanged = 0

    def file(self, delivered: Iterable[Fixing]) -> Filed:
        receipt_id = self._open_receipt()
        rows = self._new_rows(delivered, receipt_id)
        while batch := list(islice(rows, _BATCH)):
            self._connection.execute(insert(fixings), batch)
        self._close_receipt(receipt_id)
        return Filed(self._added, self._corrected, self._unchanged)

    def _known_series(self) -> dict[Pair, int]:
        rows = self._connection.execute(_series_of(self._receipt.source))
        return {Pair(row.base, row.quote): row.id for row in rows}

    def _known_values(self) -> dict[_Cell, _Value]:
        query = _published(self._receipt.source, None)
        return {(row[0], row[1]): (row[2], row[3]) for row in self._connection.execute(query)}

    def _new_rows(self, delivered: Iterable[Fixing], receipt_id: int) -> Iterator[dict[str, object]]:
        for fixing in delivered:
            cell = (self._series_id(fixing.pair), fixing.day)
            published = (fixing.nominal, str(fixing.value))
            known = self._known.get(cell)
            if known == published:
                self._unchanged += 1
                continue
            self._added += known is None
            self._corrected += known is not None
            yield {
                "series_id": cell[0],
                "day": cell[1],
                "receipt_id": receipt_id,
                "nominal": published[0],
                "value": published[1],
            }

    def _series_id(self, pair: Pair) -> int:
        if pair not in self._series:
            new = insert(series).values(source=self._receipt.source, base=pair.base, quote=pair.quote)
            self._series[pair] = self._connection.execute(new.returning(series.c.id)).scalar_one()
        return self._series[pair]

    def _open_receipt(self) -> int:
        new = insert(receipts).values(
            source=self._receipt.source,
            received_at=_stored(self._receipt.received_at),
            origin=self._receipt.origin,
            digest=self._receipt.digest,
            added=0,
            corrected=0,
        )
        return int(self._connection.execute(new.returning(receipts.c.id)).scalar_one())

    def _close_receipt(self, receipt_id: int) -> None:
        changes = {"added": self._added, "corrected": self._corrected}
        self._connection.execute(receipts.update().where(receipts.c.id == receipt_id).values(**changes))

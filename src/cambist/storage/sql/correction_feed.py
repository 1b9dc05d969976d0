"""The corrections of all sources in the order in which they were received, and all fixings received for a day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from sqlalchemy import Connection, Row, and_, exists, func, or_, select

from cambist.history.as_of import CARRY_DAYS
from cambist.history.corrections import Correction, FeedEntry, FeedPosition, pairs_about
from cambist.history.fixing import ReceivedFixing
from cambist.pricing.pair import PIVOT, Pair
from cambist.storage.sql.reading import parse_received
from cambist.storage.sql.schema import deliveries, fixings, series
from cambist.storage.sql.selects import select_received

_CARRY = timedelta(days=CARRY_DAYS)


def read_feed(connection: Connection, after: FeedPosition | None, up_to: int, limit: int) -> list[FeedEntry]:
    """Return the corrections after a position up to a delivery, oldest first; without a position the newest of all.

    Damaged rows are left out.
    """
    found: list[FeedEntry] = []
    position = after or FeedPosition(0)
    while len(found) < limit:
        most = limit - len(found)
        rows = sorted(_corrected_rows(connection, position, up_to, most, is_newest=after is None))
        found += [entry for row in rows if (entry := _entry(connection, row)) is not None]
        if after is None or len(rows) < most:
            break
        position = FeedPosition(*rows[-1])  # in the place of damaged rows others come
    return found


def _corrected_rows(
    connection: Connection, after: FeedPosition, up_to: int, limit: int, *, is_newest: bool
) -> list[Any]:
    """Return delivery, series and day of the next corrected rows, read only of the sources that have corrected."""
    correcting = (deliveries.c.corrected > 0) & deliveries.c.id.between(after.delivery, up_to)
    found = connection.execute(select(deliveries.c.id, deliveries.c.source).where(correcting)).all()
    if not found:
        return []
    own, before = fixings.c, fixings.alias("before").c
    is_after = or_(
        own.delivery_id > after.delivery,
        and_(own.delivery_id == after.delivery, own.series_id > after.series),
        and_(own.delivery_id == after.delivery, own.series_id == after.series, own.day > after.day),
    )
    is_second = exists().where(
        before.series_id == own.series_id, before.day == own.day, before.delivery_id < own.delivery_id
    )
    of_sources = select(series.c.id).where(series.c.source.in_({source for _, source in found}))
    query = (
        select(own.delivery_id, own.series_id, own.day)
        .where(own.series_id.in_(of_sources), own.delivery_id.in_([number for number, _ in found]))
        .where(is_after, is_second)
        .order_by(*((column.desc() if is_newest else column) for column in (own.delivery_id, own.series_id, own.day)))
        .limit(limit)
    )
    return list(connection.execute(query).all())


def _entry(connection: Connection, row: Row[Any]) -> FeedEntry | None:
    versions = (
        select_received()
        .where(fixings.c.series_id == row.series_id, fixings.c.day == row.day, fixings.c.delivery_id <= row.delivery_id)
        .order_by(None)
        .order_by(fixings.c.delivery_id.desc())
        .limit(2)
    )
    after, before = (parse_received(each) for each in connection.execute(versions))
    if after is None or before is None:
        return None
    own = fixings.c
    is_next = (own.series_id == row.series_id, own.day > row.day, own.delivery_id <= row.delivery_id)
    following: date | None = connection.execute(select(func.min(own.day)).where(*is_next)).scalar_one()
    until = row.day + _CARRY
    if following is not None:
        until = min(until, following - timedelta(days=1))
    position = FeedPosition(row.delivery_id, row.series_id, row.day)
    return FeedEntry(position, Correction(before, after), until)


def read_vintages(connection: Connection, pair: Pair, day: date) -> Iterator[ReceivedFixing | None]:
    """Return everything received for a day of the pairs of all sources that a rate of a pair can be made from."""
    codes = (pair.base, pair.quote, PIVOT)
    rows = connection.execute(select(series).where(or_(series.c.base.in_(codes), series.c.quote.in_(codes))))
    of_source: dict[str, dict[Pair, int]] = defaultdict(dict)
    for row in rows:
        of_source[row.source][Pair(row.base, row.quote)] = row.id
    numbers = [each[found] for each in of_source.values() for found in pairs_about(pair, each)]
    query = select_received().where(fixings.c.series_id.in_(numbers), fixings.c.day == day)
    return (
        parse_received(row) for row in connection.execute(query.order_by(None).order_by(deliveries.c.id, series.c.id))
    )

"""What is asked of the archive's tables."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sqlalchemy import Connection, Select, Subquery, func, select

from cambist.history.fixing import GRAM, GRAMS_OF_A_TROY_OUNCE
from cambist.stores.sql.schema import fixings, receipts, series

_LINE = """
SELECT CAST(julianday(day) - 2440587.5 AS INTEGER), nominal, value
FROM fixings WHERE series_id = ? ORDER BY day, receipt_id
"""
"""2440587.5 is the Julian date at which 1970 began."""

_GRAMS_OF_A_TROY_OUNCE = float(GRAMS_OF_A_TROY_OUNCE)


def series_of(source: str) -> Select[int, str, str, str]:
    """Select the pairs of a source."""
    return select(series.c.id, series.c.base, series.c.quote, series.c.unit).where(series.c.source == source)


def last_days(source: str, before: date = date.max) -> Subquery:
    """Select each pair's last day before a day, by a seek into the index for each."""
    last = (
        select(func.max(fixings.c.day))
        .where(fixings.c.series_id == series.c.id, fixings.c.day < before)
        .correlate(series)
        .scalar_subquery()
    )
    return select(series.c.id.label("series_id"), last.label("day")).where(series.c.source == source).subquery()


def reach_of(source: str) -> Select[int, date, date]:
    """Select how many pairs of a source there are, and its first and last day."""
    of_pair = fixings.c.series_id == series.c.id
    first = select(func.min(fixings.c.day)).where(of_pair).correlate(series).scalar_subquery()
    last = select(func.max(fixings.c.day)).where(of_pair).correlate(series).scalar_subquery()
    each = select(first.label("first"), last.label("last")).where(series.c.source == source).subquery()
    return select(
        func.count(each.c.first).label("pairs"),
        func.min(each.c.first).label("first"),
        func.max(each.c.last).label("last"),
    )


def line_of(connection: Connection, number: int, unit: str) -> tuple[list[int], list[float]]:
    """Read a pair's days since 1970 began and its rates, corrections in place of what they correct.

    The driver is asked directly: there are millions of rows, and each costs less than a microsecond.
    """
    rows = connection.exec_driver_sql(_LINE, (number,)).fetchall()
    ounces = _GRAMS_OF_A_TROY_OUNCE if unit == GRAM else 1
    last = {row[0]: float(row[2]) / row[1] * ounces for row in rows}
    return list(last), list(last.values())


def published(source: str, known_at: datetime | None) -> Select[int, date, int, str]:
    """Select all versions of all cells, a cell's versions together and the latest last."""
    query = (
        select(fixings.c.series_id, fixings.c.day, fixings.c.nominal, fixings.c.value)
        .join(series)
        .where(series.c.source == source)
        .order_by(fixings.c.day, fixings.c.series_id, fixings.c.receipt_id)
    )
    if known_at is None:
        return query
    return query.join(receipts).where(receipts.c.received_at <= stored(known_at))


def received() -> Select[int, str, str, str, str, date, int, str, datetime, str]:
    """Select fixings with all that is known of them, oldest receipt first."""
    return (
        select(
            series.c.id.label("series_id"),
            series.c.source,
            series.c.base,
            series.c.quote,
            series.c.unit,
            fixings.c.day,
            fixings.c.nominal,
            fixings.c.value,
            receipts.c.received_at,
            receipts.c.origin,
        )
        .select_from(fixings.join(series).join(receipts))
        .order_by(receipts.c.id)
    )


def stored(moment: datetime) -> datetime:
    """Give a moment as the tables hold it: UTC without an offset."""
    return moment.astimezone(UTC).replace(tzinfo=None)

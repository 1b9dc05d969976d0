"""What is asked of the archive's tables."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime

from sqlalchemy import LargeBinary, Select, Subquery, cast, func, literal_column, or_, select

from cambist.storage.sql.checksum import CONTENT
from cambist.storage.sql.schema import fixings, receipts, series

_CONTENT = literal_column(CONTENT, LargeBinary).label("content")
"""All that a row says, to be held against its checksum before it is read."""

_DAY = cast(fixings.c.day, LargeBinary)
"""A row's day as it stands there: a damaged one need not be a day."""


def series_of(source: str) -> Select[int, str, str, str]:
    """Select the pairs of a source."""
    return select(series.c.id, series.c.base, series.c.quote, series.c.unit).where(series.c.source == source)


def last_days(source: str, before: date = date.max, codes: Collection[str] = ()) -> Subquery:
    """Select each pair's last day before a day, by a seek into the index for each; `codes` choose among the pairs."""
    last = (
        select(func.max(fixings.c.day))
        .where(fixings.c.series_id == series.c.id, fixings.c.day < before)
        .correlate(series)
        .scalar_subquery()
    )
    query = select(series.c.id.label("series_id"), last.label("day")).where(series.c.source == source)
    if codes:
        query = query.where(or_(series.c.base.in_(codes), series.c.quote.in_(codes)))
    return query.subquery()


def reach_of(source: str) -> Select[int, bytes, bytes]:
    """Select how many pairs of a source there are, and its first and last day."""
    of_pair = fixings.c.series_id == series.c.id
    first = select(func.min(fixings.c.day)).where(of_pair).correlate(series).scalar_subquery()
    last = select(func.max(fixings.c.day)).where(of_pair).correlate(series).scalar_subquery()
    each = select(first.label("first"), last.label("last")).where(series.c.source == source).subquery()
    return select(
        func.count(each.c.first).label("pairs"),
        cast(func.min(each.c.first), LargeBinary).label("first"),
        cast(func.max(each.c.last), LargeBinary).label("last"),
    )


def published(source: str, known_at: datetime | None) -> Select[int, bytes, bytes, int]:
    """Select all versions of all cells, a cell's versions together and the latest last."""
    query = (
        select(fixings.c.series_id, _DAY, _CONTENT, fixings.c.checksum)
        .join(series)
        .where(series.c.source == source)
        .order_by(fixings.c.day, fixings.c.series_id, fixings.c.receipt_id)
    )
    if known_at is None:
        return query
    return query.join(receipts).where(receipts.c.received_at <= stored(known_at))


def received() -> Select[int, str, str, str, str, bytes, int, datetime, str]:
    """Select fixings with all that is known of them, oldest receipt first."""
    return (
        select(
            series.c.id.label("series_id"),
            series.c.source,
            series.c.base,
            series.c.quote,
            series.c.unit,
            _CONTENT,
            fixings.c.checksum,
            receipts.c.received_at,
            receipts.c.origin,
        )
        .select_from(fixings.join(series).join(receipts))
        .order_by(receipts.c.id)
    )


def filed(source: str) -> Select[int]:
    """Select how many rows were ever filed of a source."""
    rows = func.coalesce(func.sum(receipts.c.added + receipts.c.corrected), 0)
    return select(rows).where(receipts.c.source == source)


def stored(moment: datetime) -> datetime:
    """Give a moment as the tables hold it: UTC without an offset."""
    return moment.astimezone(UTC).replace(tzinfo=None)

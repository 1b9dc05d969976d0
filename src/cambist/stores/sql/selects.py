"""What is asked of the archive's tables."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sqlalchemy import Select, select

from cambist.stores.sql.schema import fixings, receipts, series


def series_of(source: str) -> Select[int, str, str]:
    """Select the pairs of a source."""
    return select(series.c.id, series.c.base, series.c.quote).where(series.c.source == source)


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


def received() -> Select[int, str, str, str, date, int, str, datetime, str]:
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


def stored(moment: datetime) -> datetime:
    """Give a moment as the tables hold it: UTC without an offset."""
    return moment.astimezone(UTC).replace(tzinfo=None)

"""The queries on the archive's tables."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache

from sqlalchemy import (
    BindParameter,
    Function,
    ScalarSelect,
    Select,
    Subquery,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from cambist.storage.sql.expressions import DayContent, RowContent
from cambist.storage.sql.schema import deliveries, fixings, series

_CONTENT = RowContent().label("content")
"""The content of a row, to verify its checksum before it is parsed."""

_DAY = DayContent(fixings.c.day)
"""The day of a row as bytes: a damaged one may not be a day."""


def select_series(source: str) -> Select[int, str, str, str]:
    """Select the series of a source."""
    return select(series.c.id, series.c.base, series.c.quote, series.c.unit).where(series.c.source == source)


def _select_last_days() -> Subquery:
    """Select the last day before the day `before` of each pair with one of `codes`."""
    last = (
        select(func.max(fixings.c.day))
        .where(fixings.c.series_id == series.c.id, fixings.c.day < bindparam("before"))
        .correlate(series)
        .scalar_subquery()
    )
    codes: BindParameter[str] = bindparam("codes", expanding=True)
    query = select(series.c.id.label("series_id"), last.label("day")).where(
        series.c.source == bindparam("source"), or_(series.c.base.in_(codes), series.c.quote.in_(codes))
    )
    return query.subquery()


def _day_of_pair(day: Function[date]) -> ScalarSelect[date]:
    """Select the first or last day of a series: one step in the index."""
    return select(day).where(fixings.c.series_id == series.c.id).correlate(series).scalar_subquery()


def select_pair_coverage() -> Select[str, str, str, bytes, bytes]:
    """Select each pair of each source with its first and last day."""
    first, last = _day_of_pair(func.min(fixings.c.day)), _day_of_pair(func.max(fixings.c.day))
    return select(
        series.c.source,
        series.c.base,
        series.c.quote,
        DayContent(first).label("first"),
        DayContent(last).label("last"),
    ).order_by(series.c.id)


def select_coverage(source: str) -> Select[int, bytes, bytes]:
    """Select the number of pairs of a source, and its first and last day."""
    first, last = _day_of_pair(func.min(fixings.c.day)), _day_of_pair(func.max(fixings.c.day))
    each = select(first.label("first"), last.label("last")).where(series.c.source == source).subquery()
    return select(
        func.count(each.c.first).label("pairs"),
        DayContent(func.min(each.c.first)).label("first"),
        DayContent(func.max(each.c.last)).label("last"),
    )


def select_versions(source: str, known_at: datetime | None) -> Select[int, bytes, bytes, int]:
    """Select all versions of all fixings of a source, those of one pair and day together and the latest last."""
    query = (
        select(fixings.c.series_id, _DAY, _CONTENT, fixings.c.checksum)
        .join(series)
        .where(series.c.source == source)
        .order_by(fixings.c.day, fixings.c.series_id, fixings.c.delivery_id)
    )
    if known_at is None:
        return query
    return query.join(deliveries).where(deliveries.c.received_at <= to_stored(known_at))


def select_received() -> Select[int, str, str, str, str, bytes, int, datetime, str]:
    """Select fixings with their deliveries, oldest delivery first."""
    return (
        select(
            series.c.id.label("series_id"),
            series.c.source,
            series.c.base,
            series.c.quote,
            series.c.unit,
            _CONTENT,
            fixings.c.checksum,
            deliveries.c.received_at,
            deliveries.c.origin,
        )
        .select_from(fixings.join(series).join(deliveries))
        .order_by(deliveries.c.id)
    )


@cache
def select_last_received() -> Select[int, str, str, str, str, bytes, int, datetime, str]:
    """Select the last fixing of the source `source` before the day `before` of each pair with one of `codes`.

    It has its delivery. The query is built once: that takes longer than to run it.
    """
    days = _select_last_days()
    is_last = (days.c.series_id == fixings.c.series_id) & (days.c.day == fixings.c.day)
    return select_received().join(days, is_last).where(series.c.source == bindparam("source"))


@cache
def select_revisions() -> Select[int, str, str, str, str, bytes, int, datetime, str]:
    """Select everything received for the pair of `base` and `quote` and the day `on`."""
    # A subquery, because SQLite would read all fixings for a join: only a few series are of this pair.
    of_pair = select(series.c.id).where(series.c.base == bindparam("base"), series.c.quote == bindparam("quote"))
    return select_received().where(fixings.c.series_id.in_(of_pair), fixings.c.day == bindparam("on"))


def select_corrected_series() -> Select[int, str, str, str]:
    """Select the pairs with one of `codes` of the sources that have ever corrected a fixing."""
    codes: BindParameter[str] = bindparam("codes", expanding=True)
    correcting = select(deliveries.c.source).where(deliveries.c.corrected > 0)
    return select(series.c.id, series.c.source, series.c.base, series.c.quote).where(
        series.c.source.in_(correcting), or_(series.c.base.in_(codes), series.c.quote.in_(codes))
    )


@cache
def select_corrected() -> Select[int, str, str, str, str, bytes, int, datetime, str]:
    """Select everything received for the corrected days of the series `numbers` from day `first` to `last`.

    At most `most` days of a series, the newest of all. Along the primary key, only the rows of deliveries that have
    corrected something are compared with the ones before them.
    """
    numbers: BindParameter[int] = bindparam("numbers", expanding=True)
    before = fixings.alias("before")
    same_day = (before.c.series_id == fixings.c.series_id) & (before.c.day == fixings.c.day)
    days = (
        select(fixings.c.series_id, fixings.c.day)
        .distinct()
        .where(fixings.c.series_id.in_(numbers), fixings.c.day.between(bindparam("first"), bindparam("last")))
        .where(fixings.c.delivery_id.in_(select(deliveries.c.id).where(deliveries.c.corrected > 0)))
        .where(exists().where(same_day, before.c.delivery_id < fixings.c.delivery_id))
        .order_by(fixings.c.day.desc(), fixings.c.series_id)
        .limit(bindparam("most"))
        .subquery()
    )
    return select_received().join(days, (days.c.series_id == fixings.c.series_id) & (days.c.day == fixings.c.day))


@cache
def select_last_known() -> Select[int, str, str, str, str, bytes, int, datetime, str]:
    """Select each pair's last fixing of a source as `select_last_received`, of deliveries up to the number `up_to`."""
    codes: BindParameter[str] = bindparam("codes", expanding=True)
    known = fixings.c.delivery_id <= bindparam("up_to")
    last = (
        select(func.max(fixings.c.day))
        .where(fixings.c.series_id == series.c.id, fixings.c.day < bindparam("before"), known)
        .correlate(series)
        .scalar_subquery()
    )
    days = (
        select(series.c.id.label("series_id"), last.label("day"))
        .where(series.c.source == bindparam("source"), or_(series.c.base.in_(codes), series.c.quote.in_(codes)))
        .subquery()
    )
    is_last = (days.c.series_id == fixings.c.series_id) & (days.c.day == fixings.c.day)
    return select_received().join(days, is_last).where(series.c.source == bindparam("source"), known)


def select_revision(moment: datetime | None = None) -> Select[int]:
    """Select the number of the last delivery that changed something, by a moment or by now; 0 if there is none."""
    query = select(func.coalesce(func.max(deliveries.c.id), 0)).where(deliveries.c.added + deliveries.c.corrected > 0)
    return query if moment is None else query.where(deliveries.c.received_at <= to_stored(moment))


def select_deliveries() -> Select[int, str]:
    """Select the deliveries after the delivery `after`, up to `up_to`, that changed something."""
    is_later = deliveries.c.id > bindparam("after")
    query = select(deliveries.c.id, deliveries.c.source).where(is_later, deliveries.c.id <= bindparam("up_to"))
    return query.where(deliveries.c.added + deliveries.c.corrected > 0).order_by(deliveries.c.id)


def select_row_count(source: str, up_to: int | None = None) -> Select[int]:
    """Select how many rows of a source were ever filed, or were filed up to a delivery."""
    rows = func.coalesce(func.sum(deliveries.c.added + deliveries.c.corrected), 0)
    query = select(rows).where(deliveries.c.source == source)
    return query if up_to is None else query.where(deliveries.c.id <= up_to)


def to_stored(moment: datetime) -> datetime:
    """Return a time as the tables store it: UTC without an offset."""
    return moment.astimezone(UTC).replace(tzinfo=None)

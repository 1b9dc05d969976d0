"""Bars in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from math import ceil
from typing import Any

from sqlalchemy import Connection, Engine, Row, bindparam, delete, exists, func, select

from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.storage.sql.backends import WriteLock, backend_named, placeholders, writing
from cambist.storage.sql.schema import bar_series, bars

_SERIES = select(bar_series.c.id).where(
    bar_series.c.base == bindparam("base"),
    bar_series.c.quote == bindparam("quote"),
    bar_series.c.interval == bindparam("interval"),
)
_NEWEST = (
    select(bars)
    .where(bars.c.series_id == _SERIES.scalar_subquery(), bars.c.start.between(bindparam("first"), bindparam("last")))
    .order_by(bars.c.start.desc())
    .limit(bindparam("most"))
)
"""Built once: to build a query and its key in the cache takes longer than to run it."""

_ALL_FIRST, _ALL_LAST = -(1 << 62), 1 << 62


class SqlBars:
    """The `BarStore` protocol in SQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        """Return the newest bars, newest first."""
        bounds = {
            "first": _ALL_FIRST if start is None else _at_or_after(start),
            "last": _ALL_LAST if end is None else _at_or_after(end) - 1,
        }
        of_pair = {"base": pair.base, "quote": pair.quote, "interval": interval.value}
        with self._engine.connect() as connection:
            rows = connection.execute(_NEWEST, of_pair | bounds | {"most": limit}).all()
        return [_bar(row) for row in rows]

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        """Return the start of each pair's first bar."""
        first = select(func.min(bars.c.start)).where(bars.c.series_id == bar_series.c.id).correlate(bar_series)
        query = select(bar_series.c.base, bar_series.c.quote, first.scalar_subquery().label("first"))
        with self._engine.connect() as connection:
            rows = connection.execute(query.where(bar_series.c.interval == interval.value)).all()
        return {Pair(base, quote): _moment(first) for base, quote, first in sorted(rows) if first is not None}

    def file(self, bars_of_pairs: Iterable[PairBar]) -> None:
        """Store bars in one transaction; a bar replaces the stored one of its interval."""
        self._file(bars_of_pairs, replaces=True)

    def file_missing(self, bars_of_pairs: Iterable[PairBar]) -> None:
        """Store bars in one transaction; the stored one of an interval stays."""
        self._file(bars_of_pairs, replaces=False)

    def _file(self, bars_of_pairs: Iterable[PairBar], *, replaces: bool) -> None:
        new = list(bars_of_pairs)
        if not new:
            return
        with writing(self._engine, WriteLock.BARS) as connection:
            numbers = _numbers(connection, {(each.pair, each.interval) for each in new})
            rows = [_row(numbers[each.pair, each.interval], each.bar) for each in new]
            connection.exec_driver_sql(_filing(self._engine.dialect.name, replaces=replaces), rows)

    def delete_before(self, interval: Interval, before: datetime) -> int:
        """Delete old bars, in one transaction for each pair. Return their number."""
        with self._engine.connect() as connection:
            numbers = connection.scalars(select(bar_series.c.id).where(bar_series.c.interval == interval.value)).all()
        count = 0
        for number in numbers:
            old = delete(bars).where(bars.c.series_id == number, bars.c.start < _at_or_after(before))
            with writing(self._engine, WriteLock.BARS) as connection:
                count += connection.execute(old).rowcount
        return count


def _numbers(connection: Connection, wanted: set[tuple[Pair, Interval]]) -> dict[tuple[Pair, Interval], int]:
    # Write before reading: a transaction that reads first may fail to get the write lock.
    rows = [{"base": pair.base, "quote": pair.quote, "interval": interval.value} for pair, interval in sorted(wanted)]
    connection.execute(_new_series(connection.dialect.name), rows)
    stored = connection.execute(select(bar_series))
    return {(Pair(row.base, row.quote), Interval(row.interval)): row.id for row in stored}


@cache
def _new_series(backend: str) -> Any:
    """Insert a series that is not stored yet. A row that is not inserted uses up no number."""
    columns = [bar_series.c.base, bar_series.c.quote, bar_series.c.interval]
    values = [bindparam(column.name, type_=column.type) for column in columns]
    stored = exists().where(*(column == value for column, value in zip(columns, values, strict=True)))
    new = backend_named(backend).insert(bar_series)
    return new.from_select(columns, select(*values).where(~stored)).on_conflict_do_nothing()


@cache
def _filing(backend: str, *, replaces: bool) -> str:
    """Return the statement that stores a bar, in place of the one of its interval or if there is none."""
    columns = bars.c.keys()
    values = placeholders(backend_named(backend), columns)
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns if not bars.c[name].primary_key)
    key = ", ".join(column.name for column in bars.primary_key)
    action = f"UPDATE SET {changes}" if replaces else "NOTHING"
    return f"INSERT INTO bars ({', '.join(columns)}) VALUES {values} ON CONFLICT ({key}) DO {action}"  # noqa: S608  no input in it


def _row(number: int, bar: Bar) -> tuple[Any, ...]:
    prices = (price for side in (bar.bid, bar.ask) for price in (side.o, side.h, side.l, side.c))
    return (number, int(bar.start.timestamp()), *(f"{price:f}" for price in prices))


def _bar(row: Row[*tuple[Any, ...]]) -> Bar:
    _, start, *prices = row
    bid_o, bid_h, bid_l, bid_c, ask_o, ask_h, ask_l, ask_c = map(Decimal, prices)
    return Bar(_moment(start), Ohlc(bid_o, bid_h, bid_l, bid_c), Ohlc(ask_o, ask_h, ask_l, ask_c))


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _at_or_after(moment: datetime) -> int:
    """Return the first whole second at or after a moment: bars start at whole seconds."""
    return ceil(moment.timestamp())

"""Tests for every `BarStore`. A new store is added in STORES."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event
from tests.postgresql import postgresql_url

from cambist.errors import StoreBroken
from cambist.history.bars import Bar, BarStore, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.storage import Store
from cambist.storage.sql import SqlStore

STORES = {
    "sqlite": lambda folder: SqlStore(f"sqlite:///{folder / 'archive.db'}"),
    "postgresql": lambda folder: SqlStore(postgresql_url(folder)),
}

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
EURUSD, USDJPY, EURJPY = Pair("EUR", "USD"), Pair("USD", "JPY"), Pair("EUR", "JPY")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = STORES[request.param](tmp_path)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def bars(store: Store) -> BarStore:
    return store.bars


def side(*prices: str) -> Ohlc:
    return Ohlc(*map(Decimal, prices))


def bar(minute: int = 0, price: str = "1.5", interval: Interval = Interval.MINUTE, pair: Pair = EURUSD) -> PairBar:
    start = NOON.replace(hour=0 if interval is Interval.DAY else NOON.hour) + minute * interval.length
    return PairBar(pair, interval, Bar(start, side(price, price, price, price), side(price, price, price, price)))


def found(
    bars: BarStore, start: datetime | None = None, end: datetime | None = None, limit: int = 100, pair: Pair = EURUSD
) -> list[int]:
    page = bars.newest_bars(pair, Interval.MINUTE, start, end, limit)
    return [int((each.start - NOON) / MINUTE) for each in page]


def test_a_bar_keeps_its_digits(bars: BarStore) -> None:
    filed = Bar(NOON, side("1.10", "1.450", "1.0", "1.3"), side("2E+1", "123456789.123456789", "0.0000000010", "7"))
    bars.file([PairBar(EURUSD, Interval.HOUR, filed)])
    (page,) = bars.newest_bars(EURUSD, Interval.HOUR, None, None, 1)
    assert page == filed
    assert page.start.tzinfo is UTC
    assert [str(price) for price in (page.bid.o, page.bid.h, page.bid.l, page.bid.c)] == ["1.10", "1.450", "1.0", "1.3"]


def test_an_empty_store_has_no_bars(bars: BarStore) -> None:
    assert found(bars) == []
    assert bars.first_starts(Interval.MINUTE) == {}
    bars.file([])
    assert bars.delete_before(Interval.MINUTE, NOON) == 0


def test_bars_come_newest_first_up_to_the_limit(bars: BarStore) -> None:
    bars.file(bar(minute) for minute in (3, 1, 7, 2))
    assert found(bars) == [7, 3, 2, 1]
    assert found(bars, limit=2) == [7, 3]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (NOON + MINUTE, None, [3, 2, 1]),
        (NOON + MINUTE + timedelta(microseconds=1), None, [3, 2]),
        (None, NOON + 2 * MINUTE, [1, 0]),
        (None, NOON + 2 * MINUTE + timedelta(microseconds=1), [2, 1, 0]),
        (NOON + MINUTE, NOON + 3 * MINUTE, [2, 1]),
        (NOON + MINUTE, NOON + MINUTE, []),
        (NOON + 3 * MINUTE, NOON, []),
        (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), [3, 2, 1, 0]),
    ],
)
def test_start_is_inclusive_and_end_is_exclusive(
    bars: BarStore, start: datetime | None, end: datetime | None, expected: list[int]
) -> None:
    bars.file(bar(minute) for minute in range(4))
    assert found(bars, start, end) == expected


def test_pairs_and_intervals_are_separate(bars: BarStore) -> None:
    bars.file([bar(1), bar(2, pair=USDJPY), bar(3, pair=EURUSD.inverse), bar(0, interval=Interval.DAY)])
    assert found(bars) == [1]
    assert found(bars, pair=USDJPY) == [2]
    assert found(bars, pair=EURJPY) == []
    (day,) = bars.newest_bars(EURUSD, Interval.DAY, None, None, 9)
    assert day.start == datetime(2026, 3, 6, tzinfo=UTC)


def test_a_bar_replaces_the_stored_one_of_its_interval(bars: BarStore) -> None:
    bars.file([bar(1, "1"), bar(2, "2")])
    bars.file([bar(1, "9")])
    assert [each.bid.o for each in bars.newest_bars(EURUSD, Interval.MINUTE, None, None, 9)] == [2, 9]


def test_missing_bars_are_stored_beside_those_of_other_intervals(bars: BarStore) -> None:
    bars.file([bar(1, "1"), bar(2, "2")])
    bars.file_missing([bar(0, "7"), bar(1, "8"), bar(3, "9"), bar(1, "8", pair=USDJPY)])
    assert [each.bid.o for each in bars.newest_bars(EURUSD, Interval.MINUTE, None, None, 9)] == [9, 2, 1, 7]
    assert found(bars, pair=USDJPY) == [1]
    bars.file_missing([])
    assert found(bars) == [3, 2, 1, 0]


def test_bars_are_stored_all_or_none(bars: BarStore) -> None:
    def broken() -> Iterator[PairBar]:
        yield bar(1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bars.file(broken())
    nothing: str = None  # type: ignore[assignment]  # what no column takes
    with pytest.raises((TypeError, ValueError)):
        bars.file([bar(1), bar(2)._replace(bar=Bar(NOON, side("1", "1", "1", "1"), Ohlc(*[nothing] * 4)))])
    assert found(bars) == []


def test_first_starts_are_those_of_each_pair(bars: BarStore) -> None:
    bars.file([bar(3), bar(2), bar(5, pair=USDJPY), bar(0, interval=Interval.HOUR, pair=EURJPY)])
    assert bars.first_starts(Interval.MINUTE) == {EURUSD: NOON + 2 * MINUTE, USDJPY: NOON + 5 * MINUTE}
    assert bars.first_starts(Interval.HOUR) == {EURJPY: NOON}
    assert bars.first_starts(Interval.DAY) == {}
    bars.delete_before(Interval.MINUTE, NOON + 3 * MINUTE)
    assert bars.first_starts(Interval.MINUTE) == {EURUSD: NOON + 3 * MINUTE, USDJPY: NOON + 5 * MINUTE}
    bars.delete_before(Interval.MINUTE, NOON + HOUR)
    assert bars.first_starts(Interval.MINUTE) == {}


def test_bars_of_one_interval_before_a_moment_are_deleted(bars: BarStore) -> None:
    bars.file([*(bar(minute, pair=pair) for minute in range(5) for pair in (EURUSD, USDJPY))])
    bars.file([bar(0, interval=Interval.HOUR)])
    assert bars.delete_before(Interval.MINUTE, NOON + 2 * MINUTE) == 4
    assert (found(bars), found(bars, pair=USDJPY)) == ([4, 3, 2], [4, 3, 2])
    assert len(bars.newest_bars(EURUSD, Interval.HOUR, None, None, 9)) == 1
    assert bars.delete_before(Interval.MINUTE, NOON + 2 * MINUTE) == 0


@pytest.mark.long(every=2)
@settings(max_examples=25)
@given(
    gaps=st.lists(st.integers(1, 4), min_size=1, max_size=40),
    limits=st.lists(st.integers(1, 9), min_size=1, max_size=40),
    arriving=st.lists(st.integers(0, 3), max_size=40),
)
@pytest.mark.parametrize("kind", STORES)
def test_paging_backwards_returns_each_bar_once_while_new_ones_are_stored(
    kind: str, gaps: list[int], limits: list[int], arriving: list[int]
) -> None:
    with TemporaryDirectory() as folder:
        store = STORES[kind](Path(folder))
        store.migrate()
        starts = [sum(gaps[: place + 1]) for place in range(len(gaps))]
        store.bars.file(bar(minute) for minute in starts)
        newest, walked, end, turn = starts[-1], list[int](), None, 0
        while True:
            limit = limits[turn % len(limits)]
            page = store.bars.newest_bars(EURUSD, Interval.MINUTE, None, end, limit)
            walked += [int((each.start - NOON) / MINUTE) for each in page]
            if len(page) < limit:
                break
            end = page[-1].start
            for _ in range(arriving[turn] if turn < len(arriving) else 0):
                newest += 1
                store.bars.file([bar(newest)])
            turn += 1
        store.close()
    assert walked == starts[::-1]


PLANS = {
    "sqlite": ("EXPLAIN QUERY PLAN", r"SEARCH bars USING PRIMARY KEY \(series_id=\?", "SCAN bars|TEMP B-TREE"),
    "postgresql": ("EXPLAIN", "Index.* Scan.* bars_pkey", "Seq Scan on bars( |$)"),
}
"""How each database explains a query, and what it says about a lookup in the index and about reading all rows."""


@pytest.mark.long(every=2)
def test_reading_bars_uses_the_index(store: Store, bars: BarStore) -> None:
    """The query plan is checked: an index lookup takes as long in millions of rows as in these."""
    for pair in (EURUSD, USDJPY, EURJPY):
        bars.file(bar(minute, pair=pair) for minute in range(20_000))
    assert isinstance(store, SqlStore)
    asked = list[tuple[str, Any]]()

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(store._engine, "before_cursor_execute", note)
    bars.newest_bars(EURUSD, Interval.MINUTE, NOON, NOON + HOUR, 9)
    bars.first_starts(Interval.MINUTE)
    bars.delete_before(Interval.MINUTE, NOON + MINUTE)
    event.remove(store._engine, "before_cursor_execute", note)
    queries = [(statement, parameters) for statement, parameters in asked if re.search(r"\bbars\b", statement)]
    assert len(queries) == 5  # one each, and the forgetting one a pair
    explain, lookup, scan = PLANS[store._engine.dialect.name]
    for statement, parameters in queries:
        with store._engine.connect() as connection:
            plan = [str(row[-1]) for row in connection.exec_driver_sql(f"{explain} {statement}", parameters)]
        assert any(re.search(lookup, line) for line in plan), plan
        assert not any(re.search(scan, line) for line in plan), plan


def test_a_database_that_cannot_be_used_raises_store_broken(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'nowhere' / 'a.db'}")
    for ask in (
        lambda: store.bars.newest_bars(EURUSD, Interval.DAY, None, None, 1),
        lambda: store.bars.first_starts(Interval.DAY),
        lambda: store.bars.file([bar()]),
        lambda: store.bars.delete_before(Interval.DAY, NOON),
    ):
        with pytest.raises(StoreBroken, match="cannot be used"):
            ask()
    store.close()

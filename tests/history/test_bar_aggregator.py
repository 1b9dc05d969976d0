"""Folding: what it makes of ticks is what anybody would compute from all of them, however they arrive."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history import bar_aggregator as module
from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
SUNDAY = datetime(2026, 3, 8, 22, tzinfo=UTC)
MS, SECOND, MINUTE, HOUR = (timedelta(**{unit: 1}) for unit in ("milliseconds", "seconds", "minutes", "hours"))
EURUSD, USDJPY = Pair("EUR", "USD"), Pair("USD", "JPY")
ALL = datetime.max.replace(tzinfo=UTC)


def tick(bid: float | str, ask: float | str | None = None, *, source: str = "kraken", pair: Pair = EURUSD) -> Tick:
    return Tick(source, pair, Decimal(str(bid)), Decimal(str(bid if ask is None else ask)))


def take(
    aggregator: BarAggregator, bid: float | str, as_of: datetime, now: datetime | None = None, **rest: str
) -> None:
    aggregator.add(tick(bid, **rest), as_of, now or as_of)


def ohlc(*prices: float | str) -> Ohlc:
    return Ohlc(*(Decimal(str(price)) for price in prices))


def minutes(bars: Iterable[PairBar]) -> list[tuple[datetime, Ohlc]]:
    return [(each.bar.start, each.bar.bid) for each in bars if each.interval is Interval.MINUTE]


def of(bars: Iterable[PairBar], interval: Interval) -> list[Bar]:
    return [each.bar for each in bars if each.interval is interval]


# What a bar is


def test_both_sides_have_their_first_highest_lowest_and_last_price() -> None:
    aggregator = BarAggregator()
    for second, bid, ask in ((0, "1.10", "1.20"), (5, "1.40", "1.45"), (10, "1.05", "1.90"), (59, "1.30", "1.31")):
        aggregator.add(tick(bid, ask), NOON + second * SECOND, NOON + second * SECOND)
    (bar,) = of(aggregator.completed(NOON + MINUTE), Interval.MINUTE)
    assert bar == Bar(NOON, ohlc("1.10", "1.40", "1.05", "1.30"), ohlc("1.20", "1.90", "1.20", "1.31"))
    assert str(bar.bid.h) == "1.40"  # the digits that came


def test_one_tick_makes_a_bar_of_each_interval() -> None:
    aggregator = BarAggregator()
    moment = datetime(2026, 3, 6, 12, 34, 56, tzinfo=UTC)
    take(aggregator, 1, moment)
    assert [(each.pair, each.interval, each.bar.start) for each in aggregator.completed(NOON + 24 * HOUR)] == [
        (EURUSD, Interval.MINUTE, datetime(2026, 3, 6, 12, 34, tzinfo=UTC)),
        (EURUSD, Interval.HOUR, NOON),
        (EURUSD, Interval.DAY, datetime(2026, 3, 6, tzinfo=UTC)),
    ]


def test_a_bar_is_completed_when_its_interval_has_ended_and_no_sooner() -> None:
    aggregator = BarAggregator()
    take(aggregator, 1, NOON)
    assert aggregator.completed(NOON + MINUTE - MS) == []
    assert [each.interval for each in aggregator.completed(NOON + MINUTE)] == [Interval.MINUTE]
    assert [each.interval for each in aggregator.completed(NOON + HOUR)] == [Interval.MINUTE, Interval.HOUR]
    assert len(aggregator.completed(NOON + 12 * HOUR)) == 3


def test_where_nothing_is_quoted_there_is_no_bar() -> None:
    aggregator = BarAggregator()
    take(aggregator, 1, NOON)
    take(aggregator, 2, NOON + 10 * MINUTE)
    assert minutes(aggregator.completed(NOON + HOUR)) == [
        (NOON, ohlc(1, 1, 1, 1)),
        (NOON + 10 * MINUTE, ohlc(2, 2, 2, 2)),
    ]


def test_the_day_of_a_sunday_begins_with_its_first_tick_and_at_midnight() -> None:
    aggregator = BarAggregator()
    take(aggregator, 5, SUNDAY - 53 * HOUR)  # Friday's last
    take(aggregator, 7, SUNDAY + 3 * SECOND)
    take(aggregator, 8, SUNDAY + HOUR)
    friday, sunday = of(aggregator.completed(SUNDAY + 24 * HOUR), Interval.DAY)
    assert (friday.start, friday.bid) == (datetime(2026, 3, 6, tzinfo=UTC), ohlc(5, 5, 5, 5))
    assert (sunday.start, sunday.bid) == (datetime(2026, 3, 8, tzinfo=UTC), ohlc(7, 8, 7, 8))


def test_pairs_have_bars_of_their_own() -> None:
    aggregator = BarAggregator()
    aggregator.add(tick(1), NOON, NOON)
    aggregator.add(tick(150, pair=USDJPY), NOON, NOON)
    assert {each.pair: each.bar.bid.o for each in aggregator.completed(NOON + MINUTE)} == {EURUSD: 1, USDJPY: 150}


def test_the_market_s_time_opens_and_closes_not_the_arrival() -> None:
    aggregator = BarAggregator()
    for second, price in ((30, 3), (10, 1), (50, 5), (20, 2)):
        take(aggregator, price, NOON + second * SECOND, NOON + 55 * SECOND)
    assert minutes(aggregator.completed(NOON + MINUTE)) == [(NOON, ohlc(1, 5, 1, 5))]


def test_of_two_ticks_at_one_moment_the_first_opens_and_the_last_closes() -> None:
    aggregator = BarAggregator()
    for price in (2, 1, 3):
        take(aggregator, price, NOON)
    assert minutes(aggregator.completed(NOON + MINUTE)) == [(NOON, ohlc(2, 3, 1, 3))]


# Whose ticks


def test_before_anything_is_published_a_minute_is_of_whoever_began_it() -> None:
    aggregator = BarAggregator()
    take(aggregator, 1, NOON, source="kraken")
    take(aggregator, 9, NOON + SECOND, source="sina")
    take(aggregator, 2, NOON + 2 * SECOND, source="kraken")
    take(aggregator, 9, NOON + MINUTE, source="sina")
    assert [bid for _, bid in minutes(aggregator.completed(NOON + HOUR))] == [ohlc(1, 2, 1, 2), ohlc(9, 9, 9, 9)]


def test_a_minute_is_started_by_the_published_source() -> None:
    aggregator = BarAggregator()
    aggregator.add(tick(9, source="sina"), NOON, NOON, "kraken")
    aggregator.add(tick(1, source="kraken"), NOON + SECOND, NOON + SECOND, "kraken")
    assert minutes(aggregator.completed(NOON + MINUTE)) == [(NOON, ohlc(1, 1, 1, 1))]


def test_a_minute_stays_with_its_source_though_another_is_published_meanwhile() -> None:
    aggregator = BarAggregator()
    for second, price, source, word in (
        (0, 1, "kraken", "kraken"),
        (1, 9, "sina", "sina"),
        (2, 2, "kraken", "sina"),
        (60, 8, "sina", "sina"),
        (61, 3, "kraken", "sina"),
    ):
        moment = NOON + second * SECOND
        aggregator.add(tick(price, source=source), moment, moment, word)
    closed = aggregator.completed(NOON + HOUR)
    assert [bid for _, bid in minutes(closed)] == [ohlc(1, 2, 1, 2), ohlc(8, 8, 8, 8)]
    assert [bar.bid for bar in of(closed, Interval.HOUR)] == [ohlc(1, 8, 1, 8)]
    assert aggregator.late == {}


# Late ticks, and filing


def test_a_stored_bar_is_returned_again_if_a_late_tick_has_amended_it() -> None:
    aggregator = BarAggregator()
    take(aggregator, 2, NOON + 10 * SECOND)
    due = aggregator.completed(NOON + MINUTE)
    aggregator.mark_filed(due, NOON + MINUTE)
    assert aggregator.completed(NOON + MINUTE) == []
    take(aggregator, 1, NOON + 5 * SECOND, NOON + 2 * MINUTE - MS)
    assert minutes(aggregator.completed(NOON + 2 * MINUTE)) == [(NOON, ohlc(1, 2, 1, 2))]
    assert aggregator.late == {}


def test_a_minute_after_its_end_a_bar_takes_nothing_more() -> None:
    aggregator = BarAggregator()
    take(aggregator, 2, NOON)
    take(aggregator, 1, NOON + SECOND, NOON + 2 * MINUTE)
    take(aggregator, 1, NOON + SECOND, NOON + HOUR)
    take(aggregator, 3, NOON + HOUR)
    assert [each.bar.bid for each in aggregator.completed(NOON + HOUR)] == [ohlc(2, 2, 2, 2)] * 2  # nor does its hour
    assert aggregator.late == {"kraken": 2}


def test_a_late_tick_may_be_the_first_of_its_minute() -> None:
    aggregator = BarAggregator()
    take(aggregator, 2, NOON - MINUTE)
    take(aggregator, 1, NOON + 59 * SECOND, NOON + 70 * SECOND)
    assert minutes(aggregator.completed(NOON + 70 * SECOND))[-1] == (NOON, ohlc(1, 1, 1, 1))


def test_who_begins_with_nothing_does_not_begin_anew_what_had_ended_before() -> None:
    """It was filed whole by another, whose last state is lost: one late tick would be filed in its place."""
    aggregator = BarAggregator()
    take(aggregator, 9, NOON - SECOND, NOON + 30 * SECOND)
    take(aggregator, 5, NOON + 20 * SECOND, NOON + 31 * SECOND)
    assert [(each.interval, each.bar.start) for each in aggregator.completed(NOON + HOUR)] == [
        (Interval.MINUTE, NOON),
        (Interval.HOUR, NOON),
    ]
    assert aggregator.late == {"kraken": 1}


def test_who_goes_on_from_what_was_saved_takes_late_ticks() -> None:
    before = BarAggregator()
    take(before, 5, NOON + 20 * SECOND)
    aggregator = BarAggregator.from_bytes(before.to_bytes())
    assert aggregator is not None
    take(aggregator, 9, NOON + 59 * SECOND, NOON + 80 * SECOND)
    assert minutes(aggregator.completed(NOON + 80 * SECOND)) == [(NOON, ohlc(5, 9, 5, 9))]


def test_a_bar_that_could_not_be_stored_is_returned_until_it_is() -> None:
    aggregator = BarAggregator()
    take(aggregator, 1, NOON)
    for hours in (1, 2, 24 * 9):
        assert len(aggregator.completed(NOON + hours * HOUR)) >= 2
    aggregator.mark_filed(aggregator.completed(NOON + 48 * HOUR), NOON + 48 * HOUR)
    assert aggregator.completed(NOON + 96 * HOUR) == []


def test_a_bar_that_changed_while_it_was_stored_is_returned_again() -> None:
    aggregator = BarAggregator()
    take(aggregator, 2, NOON)
    due = aggregator.completed(NOON + MINUTE)
    take(aggregator, 1, NOON + SECOND, NOON + MINUTE + SECOND)
    aggregator.mark_filed(due, NOON + 3 * MINUTE)
    assert minutes(aggregator.completed(NOON + 3 * MINUTE)) == [(NOON, ohlc(2, 2, 1, 1))]


def test_a_stored_bar_that_no_tick_can_change_is_removed() -> None:
    aggregator = BarAggregator()
    for minute in range(300):
        moment = NOON + minute * MINUTE
        take(aggregator, 1, moment)
        aggregator.mark_filed(aggregator.completed(moment), moment)
    assert len(json.loads(aggregator.to_bytes())) <= 6


def test_bars_that_ended_long_ago_are_dropped_stored_or_not_and_not_begun_again() -> None:
    aggregator = BarAggregator()
    for minute in range(4):
        take(aggregator, minute + 1, NOON + minute * MINUTE)
    aggregator.mark_filed(aggregator.completed(NOON + 3 * MINUTE)[:1], NOON + MINUTE)
    before, now = aggregator.revision, NOON + 4 * MINUTE
    aggregator.drop_completed(NOON + 2 * MINUTE)
    assert [start for start, _ in minutes(aggregator.completed(now))] == [NOON + 2 * MINUTE, NOON + 3 * MINUTE]
    assert aggregator.revision > before
    take(aggregator, 9, NOON + MINUTE, now)
    assert [start for start, _ in minutes(aggregator.completed(now))] == [NOON + 2 * MINUTE, NOON + 3 * MINUTE]
    (hour,) = of(aggregator.completed(NOON + HOUR), Interval.HOUR)
    assert hour.bid == ohlc(1, 4, 1, 4)
    assert aggregator.dropped == 0


def test_a_clock_that_is_set_back_begins_no_minute_again() -> None:
    """It would be filed in place of the whole one."""
    aggregator = BarAggregator()
    for second in (0, 59):
        take(aggregator, second + 1, NOON + second * SECOND)
    later = NOON + 2 * MINUTE
    aggregator.mark_filed(aggregator.completed(later), later)
    take(aggregator, 9, NOON + 30 * SECOND)
    assert aggregator.completed(NOON + MINUTE) == []
    assert aggregator.late == {"kraken": 1}


def test_a_clock_that_was_two_hours_ahead_and_is_set_right_goes_on_with_the_next_minute() -> None:
    aggregator, ahead = BarAggregator(), NOON + 2 * HOUR
    take(aggregator, 1, NOON)
    take(aggregator, 2, ahead)
    aggregator.mark_filed(aggregator.completed(ahead + 5 * MINUTE), ahead + 5 * MINUTE)
    for minute in (1, 2, 3):
        take(aggregator, minute, NOON + minute * MINUTE)
    found = minutes(aggregator.completed(NOON + 4 * MINUTE))
    assert [start for start, _ in found] == [NOON + minute * MINUTE for minute in (2, 3)]


def test_bars_that_lie_ahead_of_a_clock_that_is_set_right_are_dropped() -> None:
    aggregator = BarAggregator()
    take(aggregator, 2, NOON + 2 * HOUR)
    take(aggregator, 1, NOON + MINUTE)
    take(aggregator, 3, NOON + 2 * MINUTE)
    assert [(each.interval, each.bar.start) for each in aggregator.completed(ALL)] == [
        (Interval.MINUTE, NOON + 2 * MINUTE),
        (Interval.HOUR, NOON),
        (Interval.DAY, NOON.replace(hour=0)),
    ]


def test_if_too_many_bars_wait_the_oldest_minutes_are_dropped_and_no_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_UNFILED", 100)
    aggregator = BarAggregator()
    for minute in range(180):
        take(aggregator, minute + 1, NOON + minute * MINUTE)
    due = aggregator.completed(NOON + 3 * HOUR)
    assert len(due) == 100
    assert len(of(due, Interval.HOUR)) == 3
    assert minutes(due)[0][0] == NOON + 83 * MINUTE
    assert aggregator.dropped == 83
    assert aggregator.completed(NOON + 3 * HOUR) == due


# Against an independent computation


Heard = tuple[datetime, datetime, Tick]
"""When it was, when it came, and what."""


@st.composite
def days(draw: st.DrawFn) -> list[Heard]:
    """Some hours of ticks over midnight, each at a moment of its own, in the order in which they come."""
    begin = datetime(2026, 3, 6, 22, 30, tzinfo=UTC)
    moments = draw(st.lists(st.integers(0, 12_000_000), unique=True, max_size=60))
    # Many in the same few minutes, or no bar would have a body.
    moments = [moment if moment % 3 else moment % 150_000 for moment in moments]
    heard = []
    for moment in dict.fromkeys(moments):
        as_of = begin + moment * MS
        until_too_late = 120_000 - int((as_of - as_of.replace(second=0, microsecond=0)) / MS) - 1
        delay = draw(st.one_of(st.just(0), st.integers(0, 3000), st.integers(0, until_too_late)))
        bid = draw(st.integers(10_000, 10_020))
        pair = draw(st.sampled_from([EURUSD, USDJPY]))
        said = Tick("kraken", pair, Decimal(bid) / 10_000, Decimal(bid + draw(st.integers(0, 9))) / 10_000)
        heard.append((as_of, as_of + min(delay, until_too_late) * MS, said))
    return sorted(heard, key=lambda each: each[1])


def computed(heard: Sequence[Heard]) -> dict[tuple[Pair, str, str], tuple[Decimal, ...]]:
    """Compute every bar from all ticks at once, by the text of their times."""
    groups: dict[tuple[Pair, str, str], list[tuple[str, Tick]]] = defaultdict(list)
    for as_of, _, said in heard:
        text = as_of.strftime("%Y-%m-%d %H:%M:%S.%f")
        for interval, cut, rest in (("PT1M", 16, ":00"), ("PT1H", 13, ":00:00"), ("P1D", 10, " 00:00:00")):
            groups[said.pair, interval, text[:cut] + rest].append((text, said))
    bars = {}
    for key, group in groups.items():
        ticks = [said for _, said in sorted(group, key=lambda each: each[0])]
        bids, asks = [said.bid for said in ticks], [said.ask for said in ticks]
        bars[key] = tuple(p for side in (bids, asks) for p in (side[0], max(side), min(side), side[-1]))
    return bars


def told(bars: Iterable[PairBar]) -> dict[tuple[Pair, str, str], tuple[Decimal, ...]]:
    """Give bars as `computed` does, a later one in place of an earlier one."""
    return {
        (each.pair, each.interval.value, each.bar.start.strftime("%Y-%m-%d %H:%M:%S")): tuple(
            price for side in (each.bar.bid, each.bar.ask) for price in (side.o, side.h, side.l, side.c)
        )
        for each in bars
    }


@pytest.mark.long
@given(days(), st.data())
def test_bars_are_those_of_all_ticks_however_they_come_are_filed_and_are_saved(
    heard: list[Heard], data: st.DataObject
) -> None:
    aggregator, filed = BarAggregator.from_bytes(b"[]"), list[PairBar]()
    assert aggregator is not None
    for as_of, now, said in heard:
        does = data.draw(st.sampled_from(["nothing", "file", "fail", "restart"]))
        if does in ("file", "fail"):
            due = aggregator.completed(now)
            if does == "file":
                filed += due
                aggregator.mark_filed(due, now)
        if does == "restart":
            restored = BarAggregator.from_bytes(aggregator.to_bytes())
            assert restored is not None
            aggregator = restored
        aggregator.add(said, as_of, now)
    end = datetime(2026, 3, 9, tzinfo=UTC)
    filed += aggregator.completed(end)
    aggregator.mark_filed(aggregator.completed(end), end)
    assert told(filed) == computed(heard)
    assert aggregator.late.total() == 0
    assert json.loads(aggregator.to_bytes()) == []


@given(days())
def test_hours_are_made_of_minutes_and_days_of_hours(heard: list[Heard]) -> None:
    aggregator = BarAggregator()
    for as_of, now, said in heard:
        aggregator.add(said, as_of, now)
    closed = sorted(aggregator.completed(ALL.replace(year=2027)), key=lambda each: each.bar.start)
    for shorter, longer in pairwise(Interval):
        for each in (one for one in closed if one.interval is longer):
            parts = [
                one.bar.bid
                for one in closed
                if (one.pair, one.interval) == (each.pair, shorter)
                and each.bar.start <= one.bar.start < each.bar.start + longer.length
            ]
            highest, lowest = max(part.h for part in parts), min(part.l for part in parts)
            assert each.bar.bid == Ohlc(parts[0].o, highest, lowest, parts[-1].c)


# Saved and restored


def test_restored_it_knows_when_a_bar_opened_and_closed_whose_it_is_and_what_is_filed() -> None:
    aggregator = BarAggregator()
    take(aggregator, 5, NOON + 30 * SECOND)
    aggregator.mark_filed(aggregator.completed(NOON + MINUTE), NOON + MINUTE)
    restored = BarAggregator.from_bytes(aggregator.to_bytes())
    assert restored is not None
    assert restored.completed(NOON + MINUTE) == []
    restored.add(tick(9, source="sina"), NOON + 31 * SECOND, NOON + MINUTE, "sina")
    take(restored, 4, NOON + 20 * SECOND, NOON + MINUTE)
    assert minutes(restored.completed(NOON + MINUTE)) == [(NOON, ohlc(4, 5, 4, 5))]


def test_a_change_shows_in_the_revision() -> None:
    aggregator, seen = BarAggregator(), set()
    seen.add(aggregator.revision)
    take(aggregator, 1, NOON)
    seen.add(aggregator.revision)
    due = aggregator.completed(NOON + MINUTE)
    assert aggregator.revision in seen
    aggregator.mark_filed(due, NOON + MINUTE)
    seen.add(aggregator.revision)
    aggregator.mark_filed([], NOON + 2 * MINUTE)
    seen.add(aggregator.revision)
    assert len(seen) == 4
    aggregator.mark_filed([], NOON + 2 * MINUTE)
    assert aggregator.revision in seen


def spoiled(text: str, change: str) -> bytes:
    before, after = change.split(" -> ")
    assert before in text
    return text.replace(before, after).encode()


CHANGES = [
    '["1.5","1.5" -> ["1.5","NaN"',
    '"1.5" -> "x"',
    '"PT1M" -> "PT5M"',
    '"EUR" -> ""',
    "1772798400 -> 1772798401",
    "] -> ",
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_damaged_is_not_gone_on_from(change: str) -> None:
    aggregator = BarAggregator()
    take(aggregator, "1.5", NOON)
    text = aggregator.to_bytes().decode()
    assert BarAggregator.from_bytes(text.encode()) is not None
    assert BarAggregator.from_bytes(spoiled(text, change)) is None


@given(st.binary(max_size=60))
def test_garbage_is_not_gone_on_from(content: bytes) -> None:
    restored = BarAggregator.from_bytes(content)
    assert restored is None or json.loads(content) == []


@pytest.mark.parametrize("content", [b"[" * 100_000, b'[["\xff"]]', b"", b"null", b"7"])
def test_deep_and_strange_garbage_is_not_gone_on_from(content: bytes) -> None:
    assert BarAggregator.from_bytes(content) is None

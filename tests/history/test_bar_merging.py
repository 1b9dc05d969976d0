"""A bar made of shorter ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from cambist.history.bar_aggregator import BarAggregator
from cambist.history.bar_merging import merge_bars, merged_from_stored
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
EURUSD = Pair("EUR", "USD")


class Stored:
    """Stored bars of one pair."""

    def __init__(self, *bars: PairBar) -> None:
        self.bars = bars

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        assert start is not None
        assert end is not None
        of_pair = [each.bar for each in self.bars if (each.pair, each.interval) == (pair, interval)]
        return sorted((bar for bar in of_pair if start <= bar.start < end), key=lambda bar: bar.start, reverse=True)[
            :limit
        ]

    def first_starts(self, _interval: Interval) -> Mapping[Pair, datetime]:
        return {}


def side(*prices: int) -> Ohlc:
    return Ohlc(*map(Decimal, prices))


def bar(start: datetime, bid: Ohlc, interval: Interval = Interval.MINUTE, pair: Pair = EURUSD) -> PairBar:
    return PairBar(
        pair, interval, Bar(start, bid, side(*(price + 1 for price in map(int, (bid.o, bid.h, bid.l, bid.c)))))
    )


def test_an_hour_is_made_of_its_stored_minutes_alone() -> None:
    own = bar(NOON, side(5, 5, 5, 5), Interval.HOUR)
    stored = Stored(
        bar(NOON - MINUTE, side(90, 90, 90, 90)),
        bar(NOON + 5 * MINUTE, side(2, 9, 2, 3)),
        bar(NOON, side(4, 6, 4, 5)),
        bar(NOON + 59 * MINUTE, side(3, 4, 1, 2)),
        bar(NOON + HOUR, side(91, 91, 91, 91)),
        bar(NOON, side(92, 92, 92, 92), pair=Pair("USD", "JPY")),
        bar(NOON, side(93, 93, 93, 93), Interval.DAY),
    )
    merged = merged_from_stored(stored, own)
    assert merged == own._replace(bar=Bar(NOON, side(4, 9, 1, 2), side(5, 10, 2, 3)))


def test_a_day_is_made_of_its_stored_hours() -> None:
    midnight = NOON.replace(hour=0)
    hours = [bar(midnight + hour * HOUR, side(hour, hour + 50, hour, hour + 1), Interval.HOUR) for hour in range(24)]
    own = bar(midnight, side(5, 5, 5, 5), Interval.DAY)
    assert merged_from_stored(Stored(*hours, bar(midnight, side(99, 99, 99, 99))), own).bar.bid == side(0, 73, 0, 24)


def test_a_bar_without_stored_shorter_ones_stays_as_it_is() -> None:
    own = bar(NOON, side(5, 5, 5, 5), Interval.HOUR)
    assert merged_from_stored(Stored(), own) is own


@given(st.lists(st.tuples(st.integers(1, 1000), st.integers(0, 59)), min_size=1))
def test_minutes_make_the_hour_that_their_ticks_make(ticks: list[tuple[int, int]]) -> None:
    aggregator = BarAggregator()
    for place, (price, minute) in enumerate(sorted(ticks, key=lambda each: each[1])):
        moment = NOON + minute * MINUTE + timedelta(milliseconds=place)
        aggregator.add(Tick("kraken", EURUSD, Decimal(price), Decimal(price + 1), moment), moment, moment)
    done = aggregator.completed(NOON + HOUR)
    hour = next(each.bar for each in done if each.interval is Interval.HOUR)
    assert merge_bars([each.bar for each in done if each.interval is Interval.MINUTE], NOON) == hour

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.bars import NO_BARS, Interval
from cambist.market.pair import Pair

MOMENTS = st.datetimes(datetime(1969, 1, 1), datetime(2100, 1, 1), timezones=st.timezones())  # noqa: DTZ001  in any zone


def test_intervals_are_written_as_in_requests() -> None:
    assert [*Interval] == ["PT1M", "PT1H", "P1D"]
    assert [interval.length for interval in Interval] == [timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)]
    assert [interval.seconds for interval in Interval] == [60, 3600, 86400]


@pytest.mark.parametrize(
    ("interval", "start"), [("PT1M", "2026-03-08T21:17:00"), ("PT1H", "2026-03-08T21:00:00"), ("P1D", "2026-03-08")]
)
def test_a_moment_lies_in_the_interval_that_has_begun(interval: str, start: str) -> None:
    kathmandu = timezone(timedelta(hours=5, minutes=45))
    for moment in (
        datetime(2026, 3, 8, 21, 17, tzinfo=UTC),
        datetime(2026, 3, 8, 21, 17, 59, 999_999, tzinfo=UTC),
        datetime(2026, 3, 9, 3, 2, 30, tzinfo=kathmandu),
    ):
        given_start = Interval(interval).start_of(moment)
        assert given_start == datetime.fromisoformat(start).replace(tzinfo=UTC)
        assert given_start.tzinfo is UTC


@given(MOMENTS, st.sampled_from(Interval))
def test_intervals_follow_each_other_without_a_gap(moment: datetime, interval: Interval) -> None:
    start = interval.start_of(moment)
    assert timedelta() <= moment.astimezone(UTC) - start < interval.length
    assert interval.start_of(start) == start
    assert interval.start_of(start + interval.length) == start + interval.length
    assert interval.start_of(start - timedelta(microseconds=1)) == start - interval.length


def test_a_moment_without_its_zone_lies_nowhere() -> None:
    with pytest.raises(ValueError, match="no zone"):
        Interval.DAY.start_of(datetime(2026, 3, 8))  # noqa: DTZ001  that is the point


def test_where_nothing_is_kept_there_are_no_bars() -> None:
    assert NO_BARS.page(Pair("EUR", "USD"), Interval.DAY, None, None, 100) == []
    assert NO_BARS.earliest(Interval.DAY) == {}
    NO_BARS.file([])
    assert NO_BARS.forget(Interval.DAY, datetime.now(UTC)) == 0

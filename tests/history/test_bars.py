from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cambist.history.bars import NO_BARS, Interval
from cambist.pricing.pair import Pair


def test_intervals_are_written_as_in_requests() -> None:
    assert [*Interval] == ["PT1M", "PT1H", "P1D"]
    assert [interval.length for interval in Interval] == [timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)]
    assert [interval.seconds for interval in Interval] == [60, 3600, 86400]


def test_where_nothing_is_kept_there_are_no_bars() -> None:
    assert NO_BARS.newest_bars(Pair("EUR", "USD"), Interval.DAY, None, None, 100) == []
    assert NO_BARS.first_starts(Interval.DAY) == {}
    NO_BARS.file([])
    NO_BARS.file_missing([])
    assert NO_BARS.delete_before(Interval.DAY, datetime.now(UTC)) == 0

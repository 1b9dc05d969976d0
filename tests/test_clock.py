from __future__ import annotations

from datetime import timedelta

from cambist.clock import utc_now


def test_the_clock_is_in_utc() -> None:
    assert utc_now().utcoffset() == timedelta(0)

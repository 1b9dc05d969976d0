"""Bars of a sandbox: the endpoints of bars answer for any day since 1970, also on a Sunday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.reading import read_with

from cambist.registry.sandbox.sandbox_bars import SimulatedBars

SUNDAY = datetime(2026, 11, 22, 12, tzinfo=UTC)
QUOTES, OHLC, LIMITS = "/fx/quote/time-series", "/fx/ohlc/time-series", "/fx/pairs/historical-limits"


@pytest.fixture
def client(dealing: Any) -> Any:
    client = dealing(now=SUNDAY)
    read_with(client.worker_state, bars=SimulatedBars(1, lambda: SUNDAY))
    return client


def rows(client: Any, target: str) -> list[dict[str, Any]]:
    reply = client.get(target)
    assert reply.status == 200, reply.text
    results: list[dict[str, Any]] = reply.json["results"]
    return results


def test_on_a_sunday_the_last_bars_are_those_of_friday(client: Any) -> None:
    for interval, last in (("PT1M", "21:59:00"), ("PT1H", "21:00:00"), ("P1D", "00:00:00")):
        found = rows(client, f"{OHLC}?pair=EURUSD&interval={interval}")
        assert len(found) == 100
        assert found[0]["dtm"] == f"2026-11-20T{last}Z"
        assert all(0 < row["l"] <= min(row["o"], row["c"]) <= max(row["o"], row["c"]) <= row["h"] for row in found)
        assert len({row["c"] for row in found}) > 90


def test_both_endpoints_have_the_same_bars(client: Any) -> None:
    page = "pair=EURJPY&interval=PT1H&end=1987-10-20"
    quotes, bars = rows(client, f"{QUOTES}?{page}"), rows(client, f"{OHLC}?{page}")
    assert quotes == []  # there was no euro
    page = "pair=USDJPY&interval=PT1H&end=1987-10-20"
    quotes, bars = rows(client, f"{QUOTES}?{page}"), rows(client, f"{OHLC}?{page}")
    assert [(row["dtm"], row["bid"]) for row in quotes] == [(row["dtm"], row["c"]) for row in bars]
    assert all(row["bid"] < row["ask"] for row in quotes)
    assert quotes[0]["dtm"].startswith("1987-10-19")


def test_the_other_way_round_there_are_the_same_times(client: Any) -> None:
    one, other = (rows(client, f"{OHLC}?pair={pair}&end=2001-09-12") for pair in ("USDJPY", "JPYUSD"))
    assert [row["dtm"] for row in one] == [row["dtm"] for row in other]
    assert other[0]["h"] > other[0]["l"]


def test_pages_end_at_the_first_bar(client: Any) -> None:
    limits = client.get(f"{LIMITS}?interval=P1D").json["pairs"]
    assert (limits["USDJPY"], limits["JPYUSD"]) == ("1970-01-01T00:00:00Z",) * 2
    assert limits["EURUSD"] == "1999-01-01T00:00:00Z"
    found = rows(client, f"{OHLC}?pair=EURUSD&end=1999-01-08")
    assert [row["dtm"][:10] for row in found] == [
        "1999-01-07", "1999-01-06", "1999-01-05", "1999-01-04", "1999-01-03", "1999-01-01"
    ]  # fmt: skip
    assert rows(client, f"{OHLC}?pair=EURUSD&end=1999-01-01") == []


def test_next_pages_go_on_where_the_last_one_ended(client: Any) -> None:
    first = rows(client, f"{OHLC}?pair=GBPUSD&interval=PT1M&end=2020-02-03&limit=60")
    second = rows(client, f"{OHLC}?pair=GBPUSD&interval=PT1M&end={first[-1]['dtm']}&limit=60")
    whole = rows(client, f"{OHLC}?pair=GBPUSD&interval=PT1M&end=2020-02-03&limit=100")
    assert [*first, *second][:100] == whole


def test_a_completed_page_is_the_same_again_and_cacheable(client: Any) -> None:
    target = f"{OHLC}?pair=EURUSD&interval=PT1H&start=2026-11-19&end=2026-11-20"
    first = client.get(target)
    assert first.headers["cache-control"] != "no-store"
    read_with(client.worker_state, bars=SimulatedBars(1, lambda: SUNDAY))
    client.worker_state.apply_bars()
    assert client.get(target).json["results"] == first.json["results"]
    assert client.get(target, headers={"If-None-Match": first.headers["etag"]}).status == 304


def test_the_bar_of_now_is_not_there(client: Any) -> None:
    read_with(client.worker_state, bars=SimulatedBars(1, lambda: datetime(2026, 11, 20, 12, 34, 56, tzinfo=UTC)))
    (row,) = rows(client, f"{OHLC}?pair=EURUSD&interval=PT1M&limit=1&dtmfmt=ISO")
    assert datetime.fromisoformat(row["dtm"]) + timedelta(minutes=1) == datetime(2026, 11, 20, 12, 34, tzinfo=UTC)

"""Answers that the service keeps: whoever asks, and whoever asked before, nothing but `ms` differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from cambist.accounts.account import Account, DatetimeFormat, Holder
from cambist.accounts.api_key import digest, mint
from cambist.accounts.plan import default_plans, read_plans
from cambist.app.parts import endpoints
from cambist.history.bars import Bar, Interval, Ohlc
from cambist.market.pair import Pair

PLANS = read_plans(default_plans(), "plans.toml")
KEYS = [mint(lambda alphabet, index=index: alphabet[index]) for index in range(20, 24)]
REACHES = {KEYS[0]: None, KEYS[1]: 45, KEYS[2]: 30, KEYS[3]: 30}
"""Days of history by key."""

BARS = "start=2026-11-20T11:50:00Z&end=2026-11-20T11:55:00Z"
TARGETS = [
    "/fetch-one?from=EUR&to=USD",
    "/fetch-multi?from=EUR&to=USD,JPY",
    "/fetch-all?from=EUR",
    "/fetch-many-to-one?from=EUR,JPY&to=USD",
    "/fetch-matrix?from=EUR,JPY&to=USD,GBP",
    "/convert?from=EUR&to=USD&amount=10",
    "/historical?date=2026-10-30&from=EUR",
    "/historical?date=2026-09-30&from=EUR&to=USD",
    "/time-series?to=EUR",
    "/time-series?to=EUR&end=2026-10-30",
    "/time-series?to=EUR&start=2026-10-10&end=2026-10-30",
    "/currencies",
    "/explain?from=EUR&to=USD",
    "/explain?from=EUR&to=USD&date=2026-10-10",
    "/sources",
    "/crypto/currencies",
    "/crypto/pairs",
    "/crypto/fetch-prices?pairs=BTC/USD,ETH/BTC",
    "/fx/pairs",
    "/fx/currencies",
    "/fx/pairs/quote-sizes",
    "/fx/pairs/historical-limits",
    "/fx/quote?pairs=EURUSD",
    "/fx/quote/time-series?pair=EURUSD&interval=PT1M",
    f"/fx/quote/time-series?pair=EURUSD&interval=PT1M&{BARS}",
    "/fx/quote/time-series?pair=EURUSD&interval=P1D&end=2026-11-10",
    f"/fx/ohlc/time-series?pair=EURUSD&interval=PT1M&{BARS}",
    "/metals/spot?metal=XAU&currency=EUR&unit=gram",
    "/metals/quote?instruments=XAUUSD,XAUXAG",
    "/metals/instruments",
    "/metals/purities",
    "/metals/units",
    "/metals/list",
    "/usage",
]


class OneYearOfBars:
    """A bar of a minute, an hour or a day whenever one is asked for, for a year."""

    def page(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        last = min(end or datetime.max.replace(tzinfo=UTC), datetime(2026, 11, 20, 12, tzinfo=UTC)) - interval.length
        begins = [last - number * interval.length for number in range(limit)]
        side = Ohlc(*map(Decimal, ("1.15", "1.18", "1.14", "1.16")))
        known = [at for at in begins if at >= (start or datetime(2025, 11, 20, tzinfo=UTC))]
        return [Bar(at, side, side) for at in known] if str(pair) == "EUR/USD" else []

    def earliest(self, interval: Interval) -> Mapping[Pair, datetime]:
        return {Pair("EUR", "USD"): datetime(2025, 11, 20, tzinfo=UTC) + interval.length}

    def file(self, bars: Any) -> None:
        raise NotImplementedError

    def forget(self, _interval: Interval, _before: datetime) -> int:
        raise NotImplementedError


@pytest.fixture
def make(dealing: Callable[..., Any], clock: Any) -> Callable[[], Any]:
    """Make a client of a service that has answered nothing yet; each of `KEYS` is on a plan of its own."""
    plans = {
        f"of {days}": replace(PLANS["unlimited"], name=f"of {days}", history_days=days) for days in REACHES.values()
    }
    holders = {
        digest(key): Holder(number, Account(number, str(number), f"of {days}"))
        for number, (key, days) in enumerate(REACHES.items(), 1)
    }
    last = holders[digest(KEYS[3])]
    unix = replace(last.account, datetime_format=DatetimeFormat.UNIX_MS)
    holders[digest(KEYS[3])] = replace(last, account=unix)

    def made() -> Any:
        client = dealing(options={"plans": plans, "holders": holders, "clock": clock})
        client.desk.bars = OneYearOfBars()
        return client

    return made


def told(client: Any, target: str, key: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    """Give status, body and headers, without `ms` and its length."""
    reply = client.get(target, key=key, headers=headers)
    return reply.status, re.sub(r'"ms":\d+', "", reply.text), {**reply.headers, "content-length": ""}


def test_every_endpoint_is_asked_here():
    assert {target.partition("?")[0] for target in TARGETS} == {endpoint.path for endpoint in endpoints()}


@pytest.mark.parametrize("target", TARGETS)
def test_who_asked_before_and_on_which_plan_changes_no_answer(make, target):
    alone = {key: told(make(), target, key) for key in KEYS}
    for first, second in permutations(KEYS, 2):
        client = make()
        assert told(client, target, first) == alone[first]
        assert told(client, target, second) == alone[second]
        if not target.startswith("/usage"):
            assert told(client, target, first) == alone[first]


def test_a_series_without_a_start_reaches_as_far_as_the_plan_of_who_asks(make):
    client, target = make(), "/time-series?to=EUR&end=2026-10-30"
    starts = {key: client.get(target, key=key).json["start"] for key in KEYS}
    assert list(starts.values()) == ["2026-10-01", "2026-10-06", "2026-10-21", "2026-10-21"]


def test_what_a_plan_reaches_moves_at_midnight(make, clock):
    client, target = make(), "/time-series?to=EUR&end=2026-10-30"
    starts = []
    for _ in range(3):
        starts.append(client.get(target, key=KEYS[2]).json["start"])
        clock.now += timedelta(days=1).total_seconds()
    assert starts == ["2026-10-21", "2026-10-22", "2026-10-23"]

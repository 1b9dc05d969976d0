"""`GET /fx/quote/time-series`, `/fx/ohlc/time-series` and `/fx/pairs/historical-limits`: bars of pairs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.reading import read_with

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.api_key import digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.errors import StoreBroken
from cambist.history.bars import Bar, Interval, Ohlc, PairBar
from cambist.pricing.pair import Pair

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
EURO, YEN = Pair("EUR", "USD"), Pair("USD", "JPY")
QUOTES, OHLC = "/fx/quote/time-series", "/fx/ohlc/time-series"
PLANS = read_plans(default_plans(), "plans.toml")


def ohlc(o: str, h: str, l: str, c: str) -> Ohlc:  # noqa: E741  what everybody calls it
    return Ohlc(Decimal(o), Decimal(h), Decimal(l), Decimal(c))


BID, ASK = ohlc("1.15", "1.18", "1.14", "1.16"), ohlc("1.25", "1.28", "1.20", "1.60")


class MemoryBars:
    """Bars in a list."""

    def __init__(self, bars: Iterable[PairBar]) -> None:
        self.bars = list(bars)
        self.broken = False

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        self.first_starts(interval)
        found = [one.bar for one in self.bars if (one.pair, one.interval) == (pair, interval)]
        within = [bar for bar in found if (start is None or start <= bar.start) and (end is None or bar.start < end)]
        return sorted(within, key=lambda bar: bar.start, reverse=True)[:limit]

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        if self.broken:
            raise StoreBroken("it is locked")
        of_interval = [one for one in self.bars if one.interval is interval]
        return {one.pair: min(each.bar.start for each in of_interval if each.pair == one.pair) for one in of_interval}

    def file(self, bars: Iterable[PairBar]) -> None:
        self.bars += bars

    def delete_before(self, _interval: Interval, _before: datetime) -> int:
        return 0


def minutes(count: int, pair: Pair = EURO) -> list[PairBar]:
    """Give the bars of `count` minutes, the last of 11:59; of every seventh there is none."""
    starts = [NOON - number * MINUTE for number in range(1, count + 1)]
    return [PairBar(pair, Interval.MINUTE, Bar(start, BID, ASK)) for start in starts if start.minute % 7]


@pytest.fixture
def bars() -> MemoryBars:
    days = [PairBar(EURO, Interval.DAY, Bar(NOON.replace(hour=0) - timedelta(days=day), BID, ASK)) for day in (1, 2)]
    yen = ohlc("150.24", "151.5", "149", "150")
    return MemoryBars([*minutes(300), *days, PairBar(YEN, Interval.DAY, Bar(days[0].bar.start, yen, yen))])


@pytest.fixture
def client(client_dealing, bars) -> Any:
    read_with(client_dealing.worker_state, bars=bars)
    return client_dealing


def answered(client: Any, target: str) -> Any:
    reply = client.get(target)
    assert reply.status == 200, reply.text
    return reply.json


def test_a_page_repeats_the_request_and_has_the_newest_row_first(client):
    found = answered(
        client, f"{QUOTES}?interval=PT1M&pair=EUR/USD&start=2026-11-20 11:50:00&end=2026-11-20 11:53:00&limit=50"
    )
    assert found | {"ms": 0} == {
        "pair": "EURUSD", "interval": "PT1M", "limit": 50, "dtmfmt": "UTCYMD",
        "start": "2026-11-20 11:50:00", "end": "2026-11-20 11:53:00", "tzOffset": "+00:00", "size": 1,
        "results": [{"dtm": f"2026-11-20 11:{minute}:00", "bid": 1.16, "ask": 1.6} for minute in (52, 51, 50)],
        "ms": 0,
    }  # fmt: skip
    assert list(found) == ["pair", "interval", "limit", "dtmfmt", "start", "end", "tzOffset", "size", "results", "ms"]


def test_ohlc_is_of_the_bid(client):
    found = answered(client, f"{OHLC}?pair=EURUSD&interval=P1D")
    assert found["results"] == [
        {"dtm": "2026-11-19T00:00:00Z", "o": 1.15, "h": 1.18, "l": 1.14, "c": 1.16},
        {"dtm": "2026-11-18T00:00:00Z", "o": 1.15, "h": 1.18, "l": 1.14, "c": 1.16},
    ]
    assert not {"start", "end"} & found.keys()
    assert list(found["results"][0]) == ["dtm", "o", "h", "l", "c"]


def test_the_other_way_round_the_bid_is_that_of_the_inverse(client):
    (row, _) = answered(client, f"{OHLC}?pair=USDEUR&interval=P1D")["results"]
    assert row["o"] == pytest.approx(1 / 1.25, rel=1e-9)
    assert row["h"] == pytest.approx(1 / 1.20, rel=1e-9)
    assert row["l"] == pytest.approx(1 / 1.28, rel=1e-9)
    assert row["c"] == pytest.approx(1 / 1.60, rel=1e-9)
    (quote, _) = answered(client, f"{QUOTES}?pair=USDEUR&interval=P1D")["results"]
    assert (quote["bid"], quote["ask"]) == (pytest.approx(1 / 1.60), pytest.approx(1 / 1.16))


def test_a_weak_base_is_priced_by_its_size(client):
    found = answered(client, f"{OHLC}?pair=JPYUSD&interval=P1D")
    assert found["size"] == 100
    assert found["results"][0]["o"] == pytest.approx(100 / 150.24, rel=1e-9)
    assert answered(client, f"{OHLC}?pair=USDJPY&interval=P1D")["results"][0]["o"] == 150.24


def test_without_start_and_end_the_newest_hundred_bars_are_returned(client):
    rows = answered(client, f"{QUOTES}?interval=PT1M&pair=EURUSD")["results"]
    assert len(rows) == 100
    assert rows[0]["dtm"] == "2026-11-20T11:59:00Z"
    assert [row["dtm"] for row in rows] == sorted((row["dtm"] for row in rows), reverse=True)


@pytest.mark.parametrize(
    ("given_as", "form", "start", "first"),
    [
        ("2026-11-20", "UTCYMD", "2026-11-20 00:00:00", "2026-11-20 11:59:00"),
        ("2026-11-20T13:00:00%2B02:00", "ISO", "2026-11-20T13:00:00+02:00", "2026-11-20T13:59:00+02:00"),
        ("2026-11-20T11:00:00", "ISO", "2026-11-20T11:00:00Z", "2026-11-20T11:59:00Z"),
        ("1795172400000", "TSP", 1795172400000, 1795175940000),
    ],
)
def test_times_are_written_in_the_format_of_the_request(client, given_as, form, start, first):
    found = answered(client, f"{QUOTES}?interval=PT1M&pair=EURUSD&start={given_as}")
    assert (found["dtmfmt"], found["start"], found["results"][0]["dtm"]) == (form, start, first)
    assert found["tzOffset"] == ("+02:00" if "%2B" in given_as else "+00:00")


@pytest.mark.parametrize(
    ("form", "first"), [("iso", "2026-11-20T11:59:00Z"), ("TSP", 1795175940000), ("UTCYMD", "2026-11-20 11:59:00")]
)
def test_or_as_the_client_wants_them(client, form, first):
    found = answered(client, f"{QUOTES}?interval=PT1M&pair=EURUSD&start=2026-11-20&dtmfmt={form}&limit=1")
    assert (found["dtmfmt"], found["results"][0]["dtm"]) == (form.upper(), first)


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(limit=st.integers(1, 100), arrivals=st.lists(st.integers(0, 3), max_size=30))
def test_paging_backwards_returns_each_row_once_while_new_bars_arrive(client_dealing, limit, arrivals):
    bars = MemoryBars(minutes(150))
    read_with(client_dealing.worker_state, bars=bars)
    there = sorted((one.bar.start for one in bars.bars), reverse=True)
    pages, end, later = [], "", NOON
    for new in chain(arrivals, [0] * 200):
        rows = answered(client_dealing, f"{QUOTES}?interval=PT1M&pair=EURUSD&limit={limit}&dtmfmt=TSP{end}")["results"]
        pages.append([row["dtm"] for row in rows])
        if len(rows) < limit:
            break
        end = f"&end={rows[-1]['dtm']}"
        bars.file(PairBar(EURO, Interval.MINUTE, Bar(later + number * MINUTE, BID, ASK)) for number in range(new))
        later += new * MINUTE
    assert list(chain(*pages)) == [int(start.timestamp() * 1000) for start in there]


def test_limits_name_the_earliest_bar_of_each_pair_both_ways_round(client):
    found = answered(client, "/fx/pairs/historical-limits")
    assert found | {"ms": 0} == {
        "interval": "P1D", "price": "bid", "ms": 0,
        "pairs": {
            "EURUSD": "2026-11-18T00:00:00Z", "JPYUSD": "2026-11-19T00:00:00Z",
            "USDEUR": "2026-11-18T00:00:00Z", "USDJPY": "2026-11-19T00:00:00Z",
        },
    }  # fmt: skip
    assert answered(client, "/fx/pairs/historical-limits?interval=pt1m&price=ASK")["pairs"].keys() == {
        "EURUSD",
        "USDEUR",
    }
    assert answered(client, "/fx/pairs/historical-limits?interval=PT1H")["pairs"] == {}


@pytest.mark.parametrize("path", [QUOTES, OHLC])
@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("", 400, "Missing parameter: [pair]"),
        ("?pair=EURZZZ", 400, "[EURZZZ]"),
        ("?pair=EURUSD,USDJPY", 400, "[EURUSD,USDJPY]"),
        ("?pair=EURUSD&interval=PT5M", 400, "Options are [P1D, PT1H, PT1M]"),
        ("?pair=EURUSD&limit=0", 400, "limit: [0]"),
        ("?pair=EURUSD&limit=101", 400, "limit: [101]"),
        ("?pair=EURUSD&limit=ten", 400, "limit: [ten]"),
        ("?pair=EURUSD&dtmfmt=unix", 400, "Options are [ISO, TSP, UTCYMD]"),
        ("?pair=EURUSD&start=today", 400, "start: [today]"),
        ("?pair=EURUSD&end=2026-02-30", 400, "end: [2026-02-30]"),
        ("?pair=EURUSD&start=2026-11-20&end=2026-11-19", 400, "is after end"),
    ],
)
def test_bad_input_is_named_in_the_error(client, path, query, status, said):
    reply = client.get(path + query)
    assert reply.status == status
    assert said in reply.json["error"]


@pytest.mark.parametrize("path", [QUOTES, OHLC])
def test_without_an_interval_bars_are_daily(client, path):
    found = answered(client, f"{path}?pair=EURUSD")
    assert found["interval"] == "P1D"
    assert [row["dtm"] for row in found["results"]] == ["2026-11-19T00:00:00Z", "2026-11-18T00:00:00Z"]


@pytest.mark.parametrize("path", [QUOTES, OHLC])
@pytest.mark.parametrize("pair", ["EURPLN", "PLN/EUR"])
def test_a_listed_pair_without_bars_has_an_empty_page(client, path, pair):
    found = answered(client, f"{path}?pair={pair}")
    assert (found["pair"], found["results"]) == (pair.replace("/", ""), [])


def test_an_archive_that_cannot_be_read_is_a_503(client, bars):
    bars.broken = True
    for target in (f"{QUOTES}?pair=EURUSD", f"{OHLC}?pair=EURUSD", "/fx/pairs/historical-limits"):
        reply = client.get(target)
        assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")


@pytest.mark.parametrize(("plan", "lists", "series"), [("one", 403, 403), ("extra", 200, 403), ("premium", 200, 200)])
def test_plans_include_lists_and_quotes_before_series(dealing, bars, key, plan, lists, series):
    client = dealing(options={"stored_keys": {digest(key): StoredKey(1, Account(1, "shop", plan))}, "plans": PLANS})
    read_with(client.worker_state, bars=bars)
    for target in ("/fx/pairs", "/fx/currencies", "/fx/pairs/quote-sizes", "/fx/pairs/historical-limits"):
        assert client.get(target).status == lists
    # A plan with a slower book still sees the first one, whose fixings are too old to quote: 503.
    assert client.get("/fx/quote?pairs=EURUSD").status == (403 if lists == 403 else 503)
    assert client.get(f"{QUOTES}?pair=EURUSD").status == client.get(f"{OHLC}?pair=EURUSD").status == series


def test_a_page_that_ends_where_it_starts_is_empty(client):
    """Who pages back to a start asks for it where the last page was full."""
    start, end, times = "2026-11-20 11:50:00", "2026-11-20 12:00:00", []
    for _ in range(20):
        page = answered(client, f"{QUOTES}?interval=PT1M&pair=EURUSD&start={start}&end={end}&limit=3")["results"]
        times += [row["dtm"] for row in page]
        if len(page) < 3:
            break
        end = page[-1]["dtm"]
    assert len(times) == len(set(times)) == 9  # of every seventh minute there is none
    assert (page, end) == ([], start)


@pytest.fixture
def two_days(dealing, bars, key) -> Any:
    """A client whose plan reaches back two days, to the eighteenth."""
    plan = structs.replace(PLANS["premium"], history_days=2)
    stored_keys = {digest(key): StoredKey(1, Account(1, "shop", "premium"))}
    client = dealing(options={"stored_keys": stored_keys, "plans": {**PLANS, "premium": plan}})
    bars.file(
        [PairBar(EURO, Interval.DAY, Bar(NOON.replace(hour=0) - timedelta(days=day), BID, ASK)) for day in (3, 4)]
    )
    read_with(client.worker_state, bars=bars)
    return client


@pytest.mark.parametrize("query", ["", "&end=2026-11-21", "&start=2026-11-18"])
def test_bars_begin_at_the_first_day_that_the_plan_includes(two_days, query):
    rows = answered(two_days, f"{OHLC}?pair=EURUSD&interval=P1D{query}")["results"]
    assert [row["dtm"][:10] for row in rows] == ["2026-11-19", "2026-11-18"]


@pytest.mark.parametrize("query", ["&start=2026-11-17", "&end=2026-11-18", "&end=2026-11-01", "&start=2026-11-01"])
def test_bars_from_before_are_not_in_the_plan(two_days, query):
    reply = two_days.get(f"{OHLC}?pair=EURUSD&interval=P1D{query}")
    assert (reply.status, reply.json["code"]) == (403, "not_in_plan")
    assert "limited to 2 days" in reply.json["error"]


def test_an_immutable_page_is_cacheable_and_costs_nothing_if_unchanged(client, bars):
    target = f"{QUOTES}?interval=PT1M&pair=EURUSD&start=2026-11-20T11:50:00Z&end=2026-11-20T11:55:00Z"
    first = client.get(target)
    assert first.headers["cache-control"].startswith("private, max-age=")
    again = client.get(target, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.headers["x-calls-cost"]) == (304, "0")
    bars.file([PairBar(EURO, Interval.MINUTE, Bar(NOON - 4 * MINUTE - 6 * MINUTE, BID, ASK))])
    client.worker_state.apply_bars()
    changed = client.get(target, headers={"If-None-Match": first.headers["etag"]})
    assert (changed.status, changed.headers["x-calls-cost"]) == (200, "1")


@pytest.mark.parametrize("path", [QUOTES, OHLC])
def test_an_immutable_page_is_read_once(client, bars, path):
    target = f"{path}?interval=PT1M&pair=EURUSD&start=2026-11-20T11:50:00Z&end=2026-11-20T11:55:00Z"
    first = answered(client, target)
    bars.broken = True
    assert answered(client, target) | {"ms": 0} == first | {"ms": 0}
    client.worker_state.apply_bars()
    assert client.get(target).status == 503


@pytest.mark.parametrize("query", ["", "&start=2026-11-20", "&end=2026-11-20T11:58:00Z", "&end=2026-11-21"])
def test_a_page_that_may_still_change_is_read_each_time(client, bars, query):
    target = f"{QUOTES}?interval=PT1M&pair=EURUSD{query}"
    answered(client, target)
    bars.broken = True
    assert client.get(target).status == 503


@pytest.mark.parametrize("query", ["", "&start=2026-11-20", "&end=2026-11-20T11:58:00Z", "&end=2026-11-21"])
def test_a_page_that_may_still_change_is_not_cacheable(client, query):
    reply = client.get(f"{QUOTES}?interval=PT1M&pair=EURUSD{query}")
    assert (reply.headers["cache-control"], "etag" in reply.headers) == ("no-store", False)


def test_only_iso_times_know_another_zone(client):
    found = answered(
        client, f"{QUOTES}?interval=PT1M&pair=EURUSD&end=2026-11-20T17:00:00%2B05:30&dtmfmt=UTCYMD&limit=1"
    )
    assert (found["end"], found["tzOffset"]) == ("2026-11-20 11:30:00", "+00:00")


def test_bars_of_a_currency_that_is_no_longer_listed_are_still_returned(client, bars):
    kuna = Pair("EUR", "HRK")
    bars.file([PairBar(kuna, Interval.DAY, Bar(NOON.replace(hour=0) - timedelta(days=1), BID, ASK))])
    assert "EURHRK" in answered(client, "/fx/pairs/historical-limits")["pairs"]
    for name in ("EURHRK", "hrk/eur"):
        assert len(answered(client, f"{OHLC}?pair={name}&interval=P1D")["results"]) == 1


@pytest.mark.parametrize(("path", "columns"), [(QUOTES, ["bid", "ask"]), (OHLC, ["o", "h", "l", "c"])])
@pytest.mark.parametrize("pair", ["EURUSD", "USDEUR", "JPYUSD"])
def test_bars_as_csv_have_the_digits_of_json(client, path, columns, pair):
    query = f"?pair={pair}&interval=P1D"
    served = json.loads(client.get(path + query).content, parse_float=str, parse_int=str)["results"]
    lines = client.get(f"{path}.csv{query}").content.decode().split("\r\n")
    assert lines[0] == ",".join(["pair", "dtm", *columns])
    assert [line.split(",") for line in lines[1:-1]] == [
        [pair, row["dtm"], *(row[name] for name in columns)] for row in served
    ]
    assert served

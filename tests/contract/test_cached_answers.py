"""Cached answers differ from computed ones only in `ms`, whoever requests them."""

from __future__ import annotations

import gzip
import re
from array import array
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest
from msgspec import structs
from tests.reading import read_with

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import digest, mint
from cambist.accounts.plan import default_plans, read_plans
from cambist.api.answer.endpoint_answers import EndpointAnswers
from cambist.api.answer.request_context import RequestContext
from cambist.api.state import response_cache
from cambist.api.state.compression import compress_prefix
from cambist.history.bars import Bar, Interval, Ohlc
from cambist.pricing.pair import Pair
from cambist.reference.assets import AssetKind
from cambist.registry.wiring.components import endpoints

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
    "/averages?to=EUR&start=2026-10-10&end=2026-10-30",
    "/booking-rules",
    "/price-list?to=EUR,JPY&amount=12.50",
    "/price-list?to=EUR,JPY&amount=12.50&date=2026-10-30&markup=2.5%25",
    "/currencies",
    "/explain?from=EUR&to=USD",
    "/explain?from=EUR&to=USD&date=2026-10-10",
    "/sources",
    "/coverage",
    "/coverage?code=EUR",
    "/corrections?from=EUR&to=USD",
    "/corrections?to=EUR&start=2026-11-10&end=2026-11-15",
    "/vintages?from=EUR&to=USD&date=2026-10-30",
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
    "/alerts",
]


CLOSED = [
    "/historical?date=2026-10-30&from=EUR",
    "/historical?date=2026-10-30&from=EUR&to=USD,JPY",
    "/time-series?from=EUR&to=JPY&end=2026-10-30",
    "/time-series?to=EUR&start=1999-01-04&end=2026-10-30",
]


class OneYearOfBars:
    """A bar of a minute, an hour or a day whenever one is asked for, for a year."""

    def newest_bars(
        self, pair: Pair, interval: Interval, start: datetime | None, end: datetime | None, limit: int
    ) -> list[Bar]:
        last = min(end or datetime.max.replace(tzinfo=UTC), datetime(2026, 11, 20, 12, tzinfo=UTC)) - interval.length
        begins = [last - number * interval.length for number in range(limit)]
        side = Ohlc(*map(Decimal, ("1.15", "1.18", "1.14", "1.16")))
        known = [at for at in begins if at >= (start or datetime(2025, 11, 20, tzinfo=UTC))]
        return [Bar(at, side, side) for at in known] if str(pair) == "EUR/USD" else []

    def first_starts(self, interval: Interval) -> Mapping[Pair, datetime]:
        return {Pair("EUR", "USD"): datetime(2025, 11, 20, tzinfo=UTC) + interval.length}

    def file(self, bars: Any) -> None:
        raise NotImplementedError

    def delete_before(self, _interval: Interval, _before: datetime) -> int:
        raise NotImplementedError


@pytest.fixture
def make(dealing: Callable[..., Any], clock: Any) -> Callable[..., Any]:
    """Make a client of a service that has answered nothing yet; each of `KEYS` is on a plan of its own."""
    plans = {
        f"of {days}": structs.replace(PLANS["unlimited"], name=f"of {days}", history_days=days)
        for days in REACHES.values()
    }
    stored_keys = {
        digest(key): StoredKey(number, Account(number, str(number), f"of {days}"))
        for number, (key, days) in enumerate(REACHES.items(), 1)
    }
    last = stored_keys[digest(KEYS[3])]
    unix = replace(last.account, datetime_format=DatetimeFormat.UNIX_MS)
    stored_keys[digest(KEYS[3])] = replace(last, account=unix)

    def made(**choices: Any) -> Any:
        client = dealing(options={"plans": plans, "stored_keys": stored_keys, "clock": clock}, **choices)
        read_with(client.worker_state, bars=OneYearOfBars())
        return client

    return made


def told(client: Any, target: str, key: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    """Give status, body and headers, without `ms` and its length."""
    reply = client.get(target, key=key, headers=headers)
    text = gzip.decompress(reply.content).decode() if "content-encoding" in reply.headers else reply.text
    return reply.status, re.sub(r"(?<=\"ms\":)\d+}$", "", text), {**reply.headers, "content-length": ""}


def test_the_requests_cover_every_endpoint():
    assert {target.partition("?")[0] for target in TARGETS} == {endpoint.path for endpoint in endpoints()}


@pytest.mark.long(every=4)
@pytest.mark.parametrize("target", TARGETS)
def test_earlier_requests_and_their_plans_change_no_answer(make, target):
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


# What is made again, and when


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """Note the path of each answer that is made."""
    paths: list[str] = []
    complete = EndpointAnswers._complete

    def noted(self: EndpointAnswers, outline: Any, view: Any, params: Any) -> Any:
        paths.append(outline.endpoint)
        return complete(self, outline, view, params)

    monkeypatch.setattr(EndpointAnswers, "_complete", noted)
    return paths


LISTS = ["/currencies", "/crypto/pairs", "/fx/pairs", "/fx/currencies", "/fx/pairs/quote-sizes", "/metals/instruments"]


@pytest.mark.parametrize("target", [*LISTS, "/fetch-all?from=EUR", "/historical?date=2026-10-30"])
def test_unknown_parameters_do_not_miss_the_cache(make, made, target):
    client, sign = make(), "&" if "?" in target else "?"
    for number in range(5):
        for stray in (f"zzzz={number}", f"zz%7A{number}=1", f"qqqq={number}&api_key={KEYS[0]}"):
            assert client.get(f"{target}{sign}{stray}", key=KEYS[0]).status == 200
    assert client.get(target, key=KEYS[0]).status == 200
    assert len(made) == 1
    caches = client.worker_state.caches
    live = caches.for_view(client.worker_state.principals.by_digest[digest(KEYS[0])].book_view)
    kept = len(caches.immutable) + len(live.state[1])
    assert kept == 1


def test_an_answer_is_computed_once_for_each_rate_book(make, made, book_with):
    client = make()
    for _ in range(3):
        for _ in range(5):
            client.get("/fetch-one?from=EUR&to=USD", key=KEYS[0])
            client.worker_state.tick()
        client.worker_state.apply_book(book_with())
    assert len(made) == 3


@pytest.mark.parametrize(
    "target", ["/fetch-one?from=XAU&to=USD", "/metals/spot", "/fetch-one?from=EUR&to=USD&max_age=PT1M"]
)
def test_a_cached_answer_expires_when_its_prices_become_stale(make, clock, made, target):
    client = make(ages={AssetKind.METAL: timedelta(seconds=7)})
    limit = 60 if "max_age" in target else 7
    begin = clock.now
    statuses = []
    for after in (0, limit - 3, limit - 2, limit - 1.9, limit + 5):  # the prices are of two seconds before
        clock.now = begin + after
        statuses.append(client.get(target, key=KEYS[0]).status)
    assert statuses == [200, 200, 200, 503, 503]
    assert len(made) <= 4


def test_a_cached_answer_expires_when_the_market_opens(make, clock):
    clock.set(2026, 11, 22, 21, 59, 30)  # half a minute before trade begins in New York
    client = make(ages={AssetKind.CURRENCY: timedelta(minutes=15)})
    first = [client.get("/fx/quote?pairs=EURGBP", key=KEYS[0]).status for _ in range(2)]
    clock.now += 31
    assert (first, client.get("/fx/quote?pairs=EURGBP", key=KEYS[0]).status) == ([200, 200], 503)


# Validators


@pytest.mark.parametrize("target", CLOSED)
def test_a_request_with_the_current_etag_is_304_without_computing_the_answer(make, made, target):
    etag = make().get(target, key=KEYS[0]).headers["etag"]
    assert made.pop()
    reply = make().get(target, key=KEYS[0], headers={"If-None-Match": etag})
    assert (reply.status, reply.headers["etag"], made) == (304, etag, [])


@pytest.mark.long(every=2)
@pytest.mark.parametrize("target", CLOSED)
@pytest.mark.parametrize("code", ["EUR", "JPY", "USD", "GBP"])
def test_an_etag_is_another_one_whenever_the_content_is(make, target, code):
    client = make()
    before = told(client, target, KEYS[0])
    matrix, changes = RequestContext(client.worker_state, None, 0).matrix, []
    for day in (date(2026, 9, 30), date(2026, 10, 20), date(2026, 10, 29), date(2026, 10, 30)):
        cells = array("d", bytes(matrix.cells))
        cells[matrix.row(day) * len(matrix.codes) + matrix.columns[code]] *= 1.001
        client.worker_state.apply_matrix(replace(matrix, cells=memoryview(cells)))
        after = told(client, target, KEYS[0])
        changes.append((after[1] != before[1], after[2]["etag"] != before[2]["etag"]))
    assert all(is_other_etag for is_other_content, is_other_etag in changes if is_other_content)
    assert (True, True) in changes or code not in target


# Compressed answers


GZIP = {"Accept-Encoding": "gzip, deflate, br, zstd"}
LONG = ["/historical?date=2026-10-30", "/fx/pairs", "/time-series?to=EUR&start=2026-01-01"]


@pytest.mark.parametrize("target", TARGETS)
def test_gzip_answers_have_the_same_content(make, target):
    client = make()
    status, text, headers = told(client, target, KEYS[0])
    for _ in range(2):
        again = told(client, target, KEYS[0], **GZIP)
        assert again[0] == status
        if not target.startswith(("/usage", "/sources")):
            assert again[1] == text
        encoding = {"content-encoding": "gzip"} if len(text) > 1024 else {}
        assert again[2] == headers | encoding


@pytest.mark.parametrize("target", LONG)
def test_a_long_answer_is_smaller_compressed(make, target):
    client = make()
    plain, packed = (client.get(target, key=KEYS[0], headers=headers) for headers in ({}, GZIP))
    assert len(packed.content) < len(plain.content) * 2 / 3
    assert all("Accept-Encoding" in reply.headers["vary"] for reply in (plain, packed))
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert re.search(rb'"ms":\d+}$', gzip.decompress(packed.content))


@pytest.mark.long
def test_a_short_answer_is_not_compressed(make):
    for _ in range(2):  # made, then kept
        reply = make().get("/fetch-one?to=EUR", key=KEYS[0], headers=GZIP)
        assert "content-encoding" not in reply.headers
        assert reply.json["base"] == "USD"


@pytest.mark.parametrize("target", ["/historical?date=2026-10-30", "/fx/pairs"])
def test_a_cached_answer_is_compressed_once(make, monkeypatch, target):
    contents: list[bytes] = []
    monkeypatch.setattr(
        response_cache, "compress_prefix", lambda content: contents.append(content) or compress_prefix(content)
    )
    client = make()
    for key in (KEYS[0], KEYS[0], KEYS[0]):
        client.get(target, key=key, headers=GZIP)
        client.get(target, key=key)
    client.request("HEAD", target, key=KEYS[0], headers=GZIP)
    assert len(contents) == 1


def test_where_one_origin_may_read_both_reasons_to_vary_are_named(make_client):
    client = make_client(cors_origin="https://shop.example")
    for _ in range(2):  # made, then kept
        assert set(client.get("/fx/pairs", headers=GZIP).headers["vary"].split(", ")) == {"Accept-Encoding", "Origin"}


@pytest.mark.parametrize("target", [*CLOSED, "/fx/pairs", "/currencies"])
def test_an_unchanged_answer_is_304_for_who_has_it_compressed(make, target):
    client = make()
    etag = client.get(target, key=KEYS[0], headers=GZIP).headers["etag"]
    reply = client.get(target, key=KEYS[0], headers={**GZIP, "If-None-Match": etag})
    assert (reply.status, reply.content) == (304, b"")
    assert "Accept-Encoding" in reply.headers["vary"]
    assert "content-encoding" not in reply.headers

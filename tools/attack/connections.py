"""Attacks with connections: slow, silent, too many, never read, or not HTTP."""

from __future__ import annotations

import contextlib
import socket
import time

from tools.attack.attack import Attack, Means
from tools.attack.sockets import held, opened, sent, side_by_side

_PAGE = b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n"


def _slow(means: Means) -> None:
    clients = held(means.target.port, means.count(50), b"G")
    clients += held(
        means.target.port, means.count(50), b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n"
    )
    for byte in b"ET /fetch-one HTTP/1.1\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaa":
        if means.over():
            break
        for client in clients:
            with contextlib.suppress(OSError):
                client.sendall(bytes([byte]))
        time.sleep(min(1.0, means.seconds / 10))
    _close(clients)


def _silent(means: Means) -> None:
    clients = held(means.target.port, means.count(300), b"")
    clients += held(means.target.operator, means.count(60), b"") if means.target.operator else []
    clients += held(means.target.stream, means.count(200), b"") if means.target.stream else []
    time.sleep(means.seconds * means.share)
    _close(clients)


def _unread(means: Means) -> None:
    clients = held(means.target.port, means.count(200), _PAGE * 5)
    time.sleep(means.seconds * means.share)
    _close(clients)


def _churn(means: Means) -> None:
    def client(_number: int) -> None:
        if not means.over():
            with contextlib.suppress(OSError):
                opened(means.target.port).close()

    side_by_side(means.count(5000), client)


def _malformed(means: Means) -> None:
    heads: tuple[bytes, ...] = (
        b"\0\1\2\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n: x\r\n\r\n",
    )
    heads += (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n")
    chosen = [means.chance.choice(heads) for _ in range(means.count(2000))]

    def client(number: int) -> None:
        if not means.over():
            sent(means.target.port, [chosen[number]])

    side_by_side(len(chosen), client)


def _pipelined(means: Means) -> None:
    def client(_number: int) -> None:
        if not means.over():
            sent(means.target.port, [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100])

    side_by_side(means.count(100), client)


def _half_closed(means: Means) -> None:
    clients = held(means.target.port, means.count(100), b"GET / HTTP/1.1\r\nHost: x\r\n")
    for client in clients:
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_WR)
    _close(clients)


def _close(clients: list[socket.socket]) -> None:
    for client in clients:
        client.close()


ATTACKS = (
    Attack("slow", "100 clients that send one byte a second, half of them of a body.", _slow),
    Attack("silent", "560 connections that say nothing, on all three ports.", _silent),
    Attack("unread", "200 clients that ask for five large files each and read nothing.", _unread),
    Attack("churn", "5,000 connections that are closed at once.", _churn),
    Attack("malformed", "2,000 requests that are not HTTP, or have too many headers or too long a path.", _malformed),
    Attack("pipelined", "100 clients that send 100 requests at once.", _pipelined),
    Attack("half-closed", "100 clients that close their side within a head.", _half_closed),
)

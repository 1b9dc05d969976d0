"""Attacks with connections: slow, silent, too many, never read, or not HTTP."""

from __future__ import annotations

import contextlib
import socket

from tools.attack.attack import CROWDED, HELD, Attack, Means, seen
from tools.attack.sockets import held, opened, sent, side_by_side

_PAGE = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
_MALFORMED = (
    b"\0\1\2\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\n: x\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
)


def _slow(means: Means) -> None:
    body = b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Length: 9999\r\n\r\n"
    with (
        held(means, 50, b"G") as heads,
        held(means, 50, body % means.target.key.encode()) as bodies,
    ):
        for byte in b"ET /fetch-one HTTP/1.1\r\nX-A: aaaaaaaaaaaaaaaaaaaaaaaaa":
            if means.over():
                break
            for client in (*heads, *bodies):
                with contextlib.suppress(OSError):
                    client.sendall(bytes([byte]))
            means.wait(1)


def _silent(means: Means) -> None:
    with contextlib.ExitStack() as stack:
        for port, count in ((means.target.port, 300), (means.target.operator, 60), (means.target.stream, 200)):
            if port:
                stack.enter_context(held(means, count, b"", port))
        means.wait(means.seconds)


def _unread(means: Means) -> None:
    with held(means, 200, _PAGE * 5):
        means.wait(means.seconds)


def _churn(means: Means) -> None:
    def client(_number: int) -> None:
        with contextlib.suppress(OSError):
            opened(means.target.port).close()
            means.seen[HELD] += 1

    side_by_side(means, 5000, client)


def _malformed(means: Means) -> None:
    chosen = [means.chance.choice(_MALFORMED) for _ in range(means.count(2000))]
    side_by_side(means, 2000, lambda number: sent(means, [chosen[number]]))


def _pipelined(means: Means) -> None:
    request = b"GET /no-such-path HTTP/1.1\r\nHost: x\r\n\r\n"
    side_by_side(means, 100, lambda _: sent(means, [request * 100]))


def _half_closed(means: Means) -> None:
    with held(means, 100, b"GET / HTTP/1.1\r\nHost: x\r\n") as clients:
        for client in clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)
        means.wait(5)


ATTACKS = (
    Attack("slow", "100 clients that send one byte a second, half of them of a body.", _slow, seen(HELD)),
    Attack("silent", "560 connections that say nothing, on all three ports.", _silent, seen(HELD)),
    Attack("unread", "200 clients that ask for five large files each and read nothing.", _unread, seen(HELD)),
    Attack("churn", "5,000 connections that are closed at once.", _churn, seen(HELD)),
    Attack(
        "malformed",
        "2,000 requests that are not HTTP, or have too many headers or too long a path.",
        _malformed,
        seen("400", "431"),
        seen("414", "505"),
    ),
    Attack("pipelined", "100 clients that send 100 requests at once.", _pipelined, seen("404"), seen(CROWDED)),
    Attack("half-closed", "100 clients that close their side within a head.", _half_closed, seen(HELD)),
)

"""Attacks with bodies that a service must not keep, or wait for."""

from __future__ import annotations

from collections.abc import Iterator

from tools.attack.attack import CROWDED, HELD, NOTHING, Attack, Means, seen
from tools.attack.sockets import held, sent, side_by_side, status

_POST = b"POST /convert/bulk HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n"
_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def _with_key(means: Means) -> bytes:
    """Return the beginning of a request whose body is read, because its key works."""
    return _POST + b"X-API-Key: " + means.target.key.encode() + b"\r\n"


def _repeated(means: Means, first: bytes, piece: bytes, count: int) -> None:
    def pieces() -> Iterator[bytes]:
        yield first
        for _ in range(means.count(count)):
            if means.over():
                return
            yield piece

    sent(means, pieces())


def _chunks(means: Means) -> None:
    for head in (_POST, _with_key(means)):
        _repeated(means, head + _CHUNKED, b"1\r\nx\r\n" * 1000, 1000)


def _trailers(means: Means) -> None:
    for head in (_POST, _with_key(means)):
        _repeated(means, head + _CHUNKED + b"1\r\nx\r\n0\r\n", b"X-A: " + b"a" * 65536 + b"\r\n", 1600)


def _trailer_keys(means: Means) -> None:
    """Send what a proxy adds, and a key that works, as trailers: neither may count."""
    key = means.target.key.encode()

    def client(number: int) -> None:
        guess = b"X-API-Key: %d\r\n" % number if number % 2 else b""
        body = b"2\r\nhi\r\n0\r\nX-Forwarded-For: 203.0.113.%d\r\nX-API-Key: %s\r\n\r\n" % (number % 250, key)
        sent(means, [_POST + guess + _CHUNKED, body], address=means.target.proxy)

    side_by_side(means, 500, client)


def _extensions(means: Means) -> None:
    for head in (_POST, _with_key(means)):
        _repeated(means, head + _CHUNKED, b"1;" + b"e" * 65536 + b"\r\nx\r\n", 500)


def _short(means: Means) -> None:
    body = b"Content-Length: 1000\r\n\r\n" + b"x" * 999
    with held(means, 2000, _POST + body) as clients:
        for client in clients:
            client.settimeout(0.01)
            try:
                means.seen[status(client.recv(65536))] += 1
            except OSError:
                means.seen[NOTHING] += 1


def _no_key(means: Means) -> None:
    def client(number: int) -> None:
        path = b"/convert/bulk" if number % 2 else b"/no-such-path"
        head = b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n"
        sent(means, [head, b"x" * 1048576])

    side_by_side(means, 500, client)


def _expect(means: Means) -> None:
    with held(means, 300, _with_key(means) + b"Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n") as clients:
        for client in clients[:5]:
            means.seen[status(client.recv(65536))] += 1
        means.wait(5)


ATTACKS = (
    Attack(
        "chunks",
        "Bodies of a million chunks of one byte, without a key and with one.",
        _chunks,
        seen("401", "413"),
        suite_share=0.2,
    ),
    Attack(
        "trailers",
        "100 MB of trailers after a chunked body, without a key and with one.",
        _trailers,
        seen("401"),
        seen("413", "431"),
        suite_share=0.5,
        most_growth=24,
    ),
    Attack(
        "trailer-keys",
        "500 keys that work, and addresses of others, as trailers.",
        _trailer_keys,
        seen("401", "429"),
        suite_share=0.4,
    ),
    Attack(
        "extensions",
        "Chunk extensions of 64 KB on each byte, without a key and with one.",
        _extensions,
        seen("401", "413"),
        suite_share=0.5,
        most_growth=24,
    ),
    Attack("short", "2,000 bodies that end one byte early.", _short, seen(HELD, "401"), seen(CROWDED)),
    Attack(
        "no-key",
        "500 bodies of 1 MB without a key, half of them to unknown paths.",
        _no_key,
        seen("401", "404"),
        seen(CROWDED),
    ),
    Attack("expect", "300 clients that await 100 Continue, and then send nothing.", _expect, seen("100")),
)

"""Attacks with questions: answers that nobody awaits, wrong keys, and messages to /mcp."""

from __future__ import annotations

from tools.attack.attack import Attack, Means
from tools.attack.sockets import held, opened, sent, side_by_side

_SERIES = (
    b"GET /time-series.xlsx?from=EUR&to=USD,GBP,JPY,CHF&start=1999-01-04 HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n"
)


def _gone(means: Means) -> None:
    clients = held(means.target.port, means.count(60), _SERIES % means.target.key.encode())
    for client in clients:
        client.close()


def _wrong_keys(means: Means) -> None:
    keys = [means.chance.randbytes(16).hex().encode() for _ in range(means.count(2000))]

    def client(number: int) -> None:
        head = b"GET /fetch-one?from=EUR&to=USD HTTP/1.1\r\nHost: x\r\nX-API-Key: " + keys[number] + b"\r\n\r\n"
        if not means.over():
            sent(means.target.port, [head], address="127.0.0.1")

    side_by_side(len(keys), client)


def _deep(means: Means) -> None:
    body = b"[" * 30_000 + b"]" * 30_000
    head = b"POST /mcp HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n"
    head += b"Content-Type: application/json\r\nX-API-Key: %s\r\n"
    request = head % means.target.key.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
    same = request.replace(b"Origin: http://evil.example\r\n", b"")

    def client(number: int) -> None:
        if not means.over():
            sent(means.target.port, [request if number % 2 else same])

    side_by_side(means.count(200), client)


def _stream(means: Means) -> None:
    if not means.target.stream:
        return
    upgrade = b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    upgrade += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    huge = upgrade + b"\x82\xff" + (1 << 40).to_bytes(8, "big") + b"mask" + b"x" * 65536
    fragments = upgrade + b"\x02\x81maskx" + b"\x00\x81maskx" * 20_000
    pings = upgrade + b"\x89\x80mask" * 20_000

    def client(number: int) -> None:
        if not means.over():
            sent(means.target.stream, [(huge, fragments, pings)[number % 3]])

    side_by_side(means.count(150), client)
    for each in [opened(means.target.stream) for _ in range(means.count(50))]:
        each.close()


ATTACKS = (
    Attack("gone", "60 workbooks of 27 years for clients that are gone at once.", _gone),
    Attack("wrong-keys", "2,000 wrong keys from the address of the normal client.", _wrong_keys),
    Attack("mcp", "200 deeply nested messages to /mcp, half of them from a foreign origin.", _deep),
    Attack("stream", "WebSockets that do not authenticate and send huge frames, fragments or pings.", _stream),
)

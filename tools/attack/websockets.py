"""Attacks on the stream: WebSockets whose handshake is accepted, before the key and after it."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct

from tools.attack.attack import HELD, NOTHING, Attack, Means, seen
from tools.attack.sockets import held, opened, side_by_side, status

UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
_MASK = b"\0\0\0\0"
_HUGE = b"\x81\xff" + (1 << 40).to_bytes(8, "big") + _MASK + b"x" * 65536
_LONG = b"\x81\xff" + (1 << 20).to_bytes(8, "big") + _MASK
_PART, _PING, _BINARY = b"\x00\x81" + _MASK + b"x", b"\x89\x80" + _MASK, b"\x82\x81" + _MASK + b"x"
_FRAMES = (_HUGE, _LONG + b"x" * (1 << 20), b"\x01\x81" + _MASK + b"x" + _PART * 20_000, _PING * 20_000, _BINARY * 1000)
_CODES = re.compile(rb"\x88[\x02-\x7d]([\x03-\x0f].)", re.DOTALL)


def shaken(means: Means) -> socket.socket:
    """Return a WebSocket that the stream has accepted and greeted. Raises OSError where it was not."""
    client = opened(means.target.stream)
    client.sendall(UPGRADE)
    answer = client.recv(65536)
    means.seen[status(answer)] += 1
    if b'"op":"connect"' not in answer:
        answer += client.recv(65536)
    return client


def text(**fields: object) -> bytes:
    """Return a message as a frame."""
    payload = json.dumps(fields).encode()
    header = bytes((0x81, 0x80 | len(payload))) if len(payload) < 126 else struct.pack("!BBH", 0x81, 0xFE, len(payload))
    return header + _MASK + payload


def _frames(means: Means) -> None:
    def client(number: int) -> None:
        with contextlib.suppress(OSError), shaken(means) as opened_client:
            with contextlib.suppress(OSError):
                opened_client.sendall(_FRAMES[number % len(_FRAMES)])
            means.seen[_close_code(opened_client)] += 1

    side_by_side(means, 150, client)


def _close_code(client: socket.socket) -> str:
    """Return the code with which the stream closes a WebSocket."""
    received = b""
    with contextlib.suppress(OSError):
        while piece := client.recv(65536):
            received += piece
            if found := _CODES.search(received):
                return f"ws {int.from_bytes(found[1], 'big')}"
    return NOTHING


def _unfinished(means: Means) -> None:
    with held(means, 900, UPGRADE + _LONG + b"x" * 900_000, means.target.stream) as clients:
        for client in clients[:5]:
            means.seen[status(client.recv(65536))] += 1
        means.wait(5)


def _unread_stream(means: Means) -> None:
    pairs = [
        f"{base}/{quote}" for base in ("USD", "EUR", "GBP", "BTC", "ETH", "XAU") for quote in ("USD", "JPY", "CHF")
    ]
    with contextlib.ExitStack() as stack:
        for _ in range(means.count(40)):
            with contextlib.suppress(OSError):
                client = stack.enter_context(shaken(means))
                client.sendall(text(op="auth", key=means.target.key))
                client.sendall(text(op="subscribe", stream="fx", pairs=pairs))
                means.seen["ws auth" if b"Authenticated OK" in client.recv(4096) else "ws refused"] += 1
                client.sendall(text(op="status") * 80)
        means.wait(means.seconds)


def _websocket_churn(means: Means) -> None:
    def client(number: int) -> None:
        with contextlib.suppress(OSError), shaken(means) as opened_client:
            if number % 2:
                opened_client.sendall(text(op="auth", key=means.target.key))
                means.seen[HELD] += 1

    side_by_side(means, 2000, client)


def _handshakes(means: Means) -> None:
    with (
        held(means, 300, UPGRADE[:40], means.target.stream),
        held(means, 300, b"GET / HTTP/1.1\r\nA: " + b"a" * 15_000, means.target.stream),
    ):
        means.wait(5)


ATTACKS = (
    Attack(
        "frames",
        "150 WebSockets without a key that send huge frames, parts of messages, pings or binary frames.",
        _frames,
        seen("101", "ws 1009", "ws 1008", "ws 1003"),
        suite_share=0.2,
        port="stream",
    ),
    Attack(
        "unfinished",
        "900 WebSockets without a key that have sent most of a frame of 1 MB.",
        _unfinished,
        seen(HELD, "101"),
        suite_share=0.1,
        port="stream",
    ),
    Attack(
        "unread-stream",
        "40 WebSockets with a key that read no prices and no replies.",
        _unread_stream,
        seen("101", "ws auth"),
        port="stream",
    ),
    Attack(
        "websocket-churn",
        "2,000 WebSockets that are closed after the handshake, half of them with a key.",
        _websocket_churn,
        seen("101", HELD),
        port="stream",
    ),
    Attack("handshakes", "600 handshakes that do not end.", _handshakes, seen(HELD), port="stream"),
)

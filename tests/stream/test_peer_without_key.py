"""What a peer without a key can send to the stream: each has a bound, in bytes over real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.stream.listening import CONTINUED, HANDSHAKE, PING, beginning, context, frame

from cambist.accounts.account import Account
from cambist.accounts.api_key import digest, mint
from cambist.accounts.principal import StoredKey
from cambist.stream import client_connection, unauthenticated_limit
from cambist.stream import server as server_module
from cambist.stream.admission import MAX_UNAUTHENTICATED
from cambist.stream.messages import MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES_BEFORE_AUTH
from cambist.stream.server import StreamServer
from cambist.stream.unauthenticated_limit import UnauthenticatedLimit

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
KEY = mint(lambda alphabet: alphabet[7])
KEYS = {digest(KEY): StoredKey(1, Account(1, "owner", "unlimited"))}
AUTH = frame(json.dumps({"op": "auth", "key": KEY}).encode())
TOO_BIG, POLICY = b"\x88\x02\x03\xf1", b"\x88\x02\x03\xf0"
Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Talk = Callable[[StreamServer, Peer], Awaitable[None]]


def talk(ledger: Any, conversation: Talk) -> None:
    """Let a client talk to a server, which is checked every 50 ms as in the service."""
    asyncio.run(asyncio.wait_for(_talk(ledger, conversation), PATIENCE))


async def _talk(ledger: Any, conversation: Talk) -> None:
    server = StreamServer(context(ledger, KEYS))
    listening = await server.listen("127.0.0.1", 0, None)
    peer = await asyncio.open_connection(*listening.sockets[0].getsockname()[:2])
    checking = asyncio.create_task(_check(server))
    try:
        await conversation(server, peer)
    finally:
        checking.cancel()
        peer[1].close()
        listening.close()


async def _check(server: StreamServer) -> None:
    while True:
        await asyncio.sleep(0.05)
        for _ in server.check():
            pass


async def shake_hands(peer: Peer) -> None:
    peer[1].write(HANDSHAKE)
    assert (await peer[0].readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
    await peer[0].readuntil(b"}")


def is_refused(peer: Peer, status: int, close: bytes) -> Awaitable[bool]:
    """Read until the closing frame; return whether the status came before it."""

    async def read() -> bool:
        return b'"status":%d' % status in await peer[0].readuntil(close)

    return read()


# Bytes.


@pytest.mark.parametrize("declared", [MAX_MESSAGE_BYTES_BEFORE_AUTH + 1, MAX_MESSAGE_BYTES, 1 << 20])
def test_before_auth_no_more_of_a_frame_is_kept_than_a_key_takes(ledger: Any, declared: int) -> None:
    async def conversation(server: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        peer[1].write(beginning(declared) + b"x" * MAX_MESSAGE_BYTES_BEFORE_AUTH)
        peer[1].write(b"x")
        assert await is_refused(peer, 413, TOO_BIG)
        (connection,) = server.connections
        peer[1].write(b"x" * (declared - MAX_MESSAGE_BYTES_BEFORE_AUTH - 1))
        await peer[1].drain()
        assert connection.unparsed_bytes < 2 * MAX_MESSAGE_BYTES_BEFORE_AUTH

    talk(ledger, conversation)


def test_before_auth_no_more_of_a_message_in_parts_is_kept(ledger: Any) -> None:
    async def conversation(_: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        part = b"x" * (MAX_MESSAGE_BYTES_BEFORE_AUTH // 4)
        peer[1].write(frame(part, is_last=False) + frame(part, CONTINUED, is_last=False) * 4)
        assert await is_refused(peer, 413, TOO_BIG)

    talk(ledger, conversation)


def test_what_follows_a_frame_that_cannot_be_parsed_is_not_kept(ledger: Any) -> None:
    async def conversation(server: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        (connection,) = server.connections
        peer[1].write(beginning(1 << 40) + b"x" * (4 << 20))
        await peer[0].readuntil(TOO_BIG[2:])
        while server.connections:
            assert connection.unparsed_bytes < 1 << 16
            await asyncio.sleep(0)

    talk(ledger, conversation)


def test_after_auth_a_message_may_be_long_and_too_long_a_one_is_answered(ledger: Any) -> None:
    def subscribe(size: int) -> bytes:
        return frame(json.dumps({"op": "subscribe", "stream": "fx", "pairs": "x" * size}).encode())

    async def conversation(_: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        peer[1].write(AUTH + subscribe(MAX_MESSAGE_BYTES - 100))
        assert b'"op":"auth","status":200' in await peer[0].readuntil(b"}")
        assert b'"op":"subscribe","status":400' in await peer[0].readuntil(b"}")
        peer[1].write(subscribe(MAX_MESSAGE_BYTES))
        assert await is_refused(peer, 413, TOO_BIG)

    talk(ledger, conversation)


def test_the_head_of_a_handshake_is_bounded(ledger: Any) -> None:
    async def conversation(_: StreamServer, peer: Peer) -> None:
        peer[1].write(b"GET / HTTP/1.1\r\nA: " + b"a" * 20_000)
        assert await peer[0].read() == b""

    talk(ledger, conversation)


# Connections.


def test_of_one_address_connections_without_a_key_are_limited_before_the_handshake_and_others_stay(
    ledger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unauthenticated_limit.MAX_OF_ONE_ADDRESS == 2 * MAX_UNAUTHENTICATED
    monkeypatch.setattr(unauthenticated_limit, "MAX_OF_ONE_ADDRESS", 5)

    async def conversation(server: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        peer[1].write(AUTH)
        assert b'"op":"auth","status":200' in await peer[0].readuntil(b"}")
        host, port = peer[1].get_extra_info("peername")
        crowd = [await asyncio.open_connection(host, port) for _ in range(12)]
        crowd[-1][1].write(HANDSHAKE)
        await crowd[-1][0].readuntil(b"}")  # the server has accepted them all
        limit = UnauthenticatedLimit(port, server, ())
        ends = [asyncio.create_task(reader.read(1)) for reader, _ in crowd]
        assert await asyncio.to_thread(limit.close_excess) == 7
        while sum(end.done() for end in ends) < 7:  # noqa: ASYNC110  the last of them is not known
            await asyncio.sleep(0.01)
        assert [each.has_key for each in server.connections].count(True) == 1
        for _, writer in crowd:
            writer.close()
        await asyncio.gather(*ends)

    talk(ledger, conversation)


# Frames without end.


@pytest.mark.long(every=4)
@pytest.mark.parametrize(
    "endless",
    [
        pytest.param(frame(b"", PING), id="pings"),
        pytest.param(frame(b"x", is_last=False), id="beginnings"),
        pytest.param(frame(b"", CONTINUED, is_last=False), id="parts of a message"),
        pytest.param(frame(b"{}"), id="messages"),
    ],
)
def test_frames_without_end_before_auth_are_refused_and_no_longer_read(ledger: Any, endless: bytes) -> None:
    async def conversation(server: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        peer[1].write(endless * 1000)
        assert await is_refused(peer, 429, POLICY)
        while server.connections:  # noqa: ASYNC110  nothing says that it has ended
            await asyncio.sleep(0.01)

    talk(ledger, conversation)


# Time.


@pytest.mark.parametrize("begun", [b"", HANDSHAKE[:30]])
def test_a_handshake_has_a_deadline(ledger: Any, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    assert server_module._HANDSHAKE_SECONDS == 10
    monkeypatch.setattr(server_module, "_HANDSHAKE_SECONDS", 0.2)

    async def conversation(_: StreamServer, peer: Peer) -> None:
        peer[1].write(begun)
        assert await peer[0].read() == b""

    talk(ledger, conversation)


def test_a_key_has_a_deadline_which_frames_do_not_extend(ledger: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client_connection._KEY_SECONDS == 10
    monkeypatch.setattr(client_connection, "_KEY_SECONDS", 0.3)

    async def conversation(_: StreamServer, peer: Peer) -> None:
        await shake_hands(peer)
        trickling = asyncio.create_task(_trickle(peer))
        try:
            assert await is_refused(peer, 401, POLICY)
        finally:
            trickling.cancel()

    talk(ledger, conversation)


async def _trickle(peer: Peer) -> None:
    while True:
        peer[1].write(frame(b"", PING))
        await asyncio.sleep(0.1)

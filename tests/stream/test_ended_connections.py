"""A connection that has ended stays in no memory, also when the garbage collector does not run."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.stream.listening import HANDSHAKE, context

from cambist.stream import server as server_module
from cambist.stream.client_connection import ClientConnection
from cambist.stream.context import StreamContext
from cambist.stream.server import StreamServer

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
MASK = b"\0\0\0\0"
CLOSE = b"\x88\x80" + MASK
PART = b"\x01\x85" + MASK + b"hello"
NONSENSE = b"\x81\x85" + MASK + b"hello"
BINARY = b"\x82\x85" + MASK + b"hello"
BAD_KEY = b"\x81\x9a" + MASK + b'{"op":"auth","key":"nope"}'


@pytest.mark.long(every=6)
@pytest.mark.parametrize("sent", [b"", CLOSE, PART, NONSENSE, BINARY, BAD_KEY])
def test_an_ended_connection_is_freed_without_the_collector(
    ledger: Any, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    made: list[weakref.ref[ClientConnection]] = []

    def note(*arguments: Any) -> ClientConnection:
        connection = ClientConnection(*arguments)
        made.append(weakref.ref(connection))
        return connection

    monkeypatch.setattr(server_module, "ClientConnection", note)
    gc.collect()
    gc.disable()
    try:
        asyncio.run(_come_and_go(context(ledger), sent, made))
    finally:
        gc.enable()


async def _come_and_go(shared: StreamContext, sent: bytes, made: list[weakref.ref[ClientConnection]]) -> None:
    server = StreamServer(shared)
    listening = await server.listen("127.0.0.1", 0, None)
    reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname()[:2])
    writer.write(HANDSHAKE)
    assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
    assert await asyncio.wait_for(reader.read(10), PATIENCE)
    writer.write(sent)
    if sent:
        await asyncio.sleep(0)
        await writer.drain()
    writer.close()
    async with asyncio.timeout(PATIENCE):
        while server.connections or made[0]() is not None:  # noqa: ASYNC110  nothing says that it was freed
            await asyncio.sleep(0.01)
    assert len(made) == 1
    listening.close()

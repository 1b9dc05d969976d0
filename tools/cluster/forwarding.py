"""Ports of 127.0.0.1 that lead into the namespaces of a cluster: connections to them are passed on to the nodes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Mapping, Sequence

_VARIABLE = "CLUSTER_SOCKETS"
_CHUNK = 65536

Address = tuple[str, int]


def bind(ports: Sequence[int]) -> list[int]:
    """Listen on ports before this program runs in other namespaces, where it finds them; return the open files."""
    if _VARIABLE not in os.environ:
        bound = [socket.create_server(("127.0.0.1", port), backlog=128).detach() for port in ports]
        os.environ[_VARIABLE] = ",".join(str(number) for number in bound)
    return [int(number) for number in os.environ[_VARIABLE].split(",")]


def forward(addresses: Sequence[Address]) -> None:
    """Pass connections to the ports that were bound on to addresses, in the same order, in a thread."""
    sockets = [socket.socket(fileno=int(number)) for number in os.environ.pop(_VARIABLE).split(",")]
    routes = dict(zip(sockets, addresses, strict=True))
    threading.Thread(target=lambda: asyncio.run(_forward(routes)), name="forwarding", daemon=True).start()


async def _forward(routes: Mapping[socket.socket, Address]) -> None:
    servers = [
        await asyncio.start_server(lambda reader, writer, to=to: _connect(reader, writer, to), sock=from_)  # type: ignore[misc]
        for from_, to in routes.items()
    ]
    await asyncio.gather(*(server.serve_forever() for server in servers))


async def _connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: Address) -> None:
    try:
        there = await asyncio.open_connection(*address)
    except OSError:
        writer.close()
        return
    await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while content := await reader.read(_CHUNK):
            writer.write(content)
            await writer.drain()
    writer.close()

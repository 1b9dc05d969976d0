"""Clients of an attack: connections from an address of loopback that the normal client does not use."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

ADDRESS = "127.0.0.9"
_AT_ONCE = 16
_TIMEOUT_SECONDS = 5


def opened(port: int, address: str = ADDRESS) -> socket.socket:
    """Return a new connection. Raises OSError where the service refuses it."""
    return socket.create_connection(("127.0.0.1", port), _TIMEOUT_SECONDS, source_address=(address, 0))


def sent(port: int, pieces: Iterable[bytes], *, read: bool = True, address: str = ADDRESS) -> bytes:
    """Send pieces on a new connection and close it; return the first bytes of the answer, empty if there is none."""
    answer = b""
    with contextlib.suppress(OSError), opened(port, address) as client:
        try:
            for piece in pieces:
                client.sendall(piece)
        except OSError:
            read = True  # the service has closed; its answer may still be there
        if read:
            answer = client.recv(65536)
    return answer


def side_by_side(count: int, run: Callable[[int], object]) -> None:
    """Run a client so many times, up to 16 of them at once."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done in [pool.submit(run, number) for number in range(count)]:
            done.result()


def held(port: int, count: int, first: bytes) -> list[socket.socket]:
    """Open connections that send their first bytes and stay; those that the service refuses are left out."""
    clients = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            client = opened(port)
            clients.append(client)
            client.sendall(first)
    return clients

"""Clients of an attack: connections from an address of loopback that the normal client does not use."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from tools.attack.attack import HELD, NOTHING, Means

ADDRESS = "127.0.0.9"
_AT_ONCE = 16
_TIMEOUT_SECONDS = 5


def opened(port: int, address: str = ADDRESS) -> socket.socket:
    """Return a new connection. Raises OSError where the service refuses it."""
    return socket.create_connection(("127.0.0.1", port), _TIMEOUT_SECONDS, source_address=(address, 0))


def sent(
    means: Means, pieces: Iterable[bytes], *, port: int = 0, address: str = ADDRESS, patience: float = _TIMEOUT_SECONDS
) -> bytes:
    """Send pieces on a new connection, note the status of the answer, and return its first bytes.

    The port is by default that of the API, `patience` the seconds until an answer is given up.
    """
    answer = b""
    with contextlib.suppress(OSError), opened(port or means.target.port, address) as client:
        with contextlib.suppress(OSError):  # the service has closed; its answer may still be there
            for piece in pieces:
                client.sendall(piece)
        client.settimeout(patience)
        answer = client.recv(65536)
    means.seen[status(answer)] += 1
    return answer


def sent_and_gone(means: Means, data: bytes, seconds: float = 0) -> None:
    """Send bytes, and be gone after a while without reading."""
    with contextlib.suppress(OSError), opened(means.target.port) as client:
        client.sendall(data)
        means.seen[HELD] += 1
        client.settimeout(seconds or None)
        if seconds:
            client.recv(1, socket.MSG_PEEK)


def status(answer: bytes) -> str:
    """Return the status of an answer over HTTP."""
    return answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/1.") else NOTHING


def side_by_side(means: Means, count: int, run: Callable[[int], object]) -> None:
    """Run a share of so many clients, up to 16 of them at once, until the time is over."""

    def client(number: int) -> None:
        if not means.over():
            run(number)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done in [pool.submit(client, number) for number in range(means.count(count))]:
            done.result()


@contextlib.contextmanager
def held(means: Means, count: int, first: bytes, port: int = 0) -> Iterator[list[socket.socket]]:
    """Hold a share of so many connections that send their first bytes; those that the service refuses are left out."""
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(means.count(count)):
            with contextlib.suppress(OSError):
                client = stack.enter_context(opened(port or means.target.port))
                clients.append(client)
                client.sendall(first)
                means.seen[HELD] += 1
        yield clients

"""Connections of a worker: how many it may hold in all and from one address, and the thread that sees to it.

The HTTP server ends a connection that brings no request in time, and the kernel one whose client does not read; neither
counts them. A client that opens more than it may loses those that have been silent longest.
"""

from __future__ import annotations

import logging
import os
import resource
import socket
import stat
import struct
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cambist.accounts.addresses import Networks, is_in, neighbourhood

log = logging.getLogger(__name__)

IDLE_SECONDS = 10
"""How long a client may take to send a request's head, the first one or the next; it holds a socket, and no thread."""

MOST = 512
"""How many connections a worker holds; it accepts twice as many, so that there is room while it closes others."""

_OTHER_FILES = 256
"""What else a worker has open, and more: the database, mapped files, pipes."""

_LOOK_EVERY = 0.25
_DESCRIPTORS = Path("/proc/self/fd")
_TCP = (socket.AF_INET, socket.AF_INET6)
_LISTENS = 10
_LAST_DATA_RECEIVED = 52
"""Where Linux's `struct tcp_info` has the milliseconds since data came; its first byte is the state."""


@dataclass(frozen=True, slots=True)
class Connection:
    """An open connection: its descriptor and inode, where it is from, and for how long nothing came, in ms.

    The address is empty where it is not to be counted.
    """

    descriptor: int
    inode: int
    address: str
    silent: int


def raise_file_limit() -> int:
    """Raise the limit of open files as far as is needed and allowed; give how many connections a worker may hold."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    room = wanted if soft == resource.RLIM_INFINITY else soft
    return max(1, min(MOST, (room - _OTHER_FILES) // 2))


def excess(held: Iterable[Connection], most: int, of_one: int) -> list[Connection]:
    """Choose what has to go so that `most` remain in all and `of_one` of each address: what is silent longest."""
    kept: Counter[str] = Counter()
    over = []
    for connection in sorted(held, key=lambda one: one.silent):
        if kept.total() >= most or (connection.address and kept[connection.address] >= of_one):
            over.append(connection)
        else:
            kept[connection.address] += 1
    return over


class ConnectionLimit(threading.Thread):
    """Looks over the connections accepted on a port, four times a second, and closes those that are too many.

    Addresses in `proxies` speak for many clients: of one such there may be as many as in all.
    """

    def __init__(self, port: int, most: int, of_one: int, proxies: Networks) -> None:
        super().__init__(name="connections", daemon=True)
        self._port = port
        self._most = most
        self._of_one = of_one
        self._proxies = proxies
        self._ended = threading.Event()

    def start(self) -> None:
        """Start, where the machine shows what is needed: Linux."""
        if _DESCRIPTORS.is_dir() and hasattr(socket, "TCP_INFO"):
            super().start()

    def run(self) -> None:
        """Look until the process ends."""
        while not self._ended.wait(_LOOK_EVERY):
            try:
                self.look()
            except Exception:  # without it the next flood would stop the worker
                log.exception("Connections cannot be counted")

    def look(self) -> int:
        """Close what is too much; give how many."""
        if len(_descriptors()) <= min(self._most, self._of_one):
            return 0
        over = excess(self._held(), self._most, self._of_one)
        for connection in over:
            with suppress(OSError), _opened(connection.descriptor) as opened:
                if os.fstat(opened.fileno()).st_ino == connection.inode:
                    opened.shutdown(socket.SHUT_RDWR)
        return len(over)

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()

    def _held(self) -> Iterator[Connection]:
        for descriptor in _descriptors():
            with suppress(OSError):  # closed meanwhile
                found = self._connection(descriptor)
                if found:
                    yield found

    def _connection(self, descriptor: int) -> Connection | None:
        file = os.fstat(descriptor)
        if not stat.S_ISSOCK(file.st_mode):
            return None
        with _opened(descriptor) as opened:
            if opened.family not in _TCP or opened.getsockname()[1] != self._port:
                return None
            state = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 64)
            if state[0] == _LISTENS:
                return None
            peer = str(opened.getpeername()[0])
        address = "" if is_in(peer, self._proxies) else neighbourhood(peer)
        return Connection(descriptor, file.st_ino, address, *struct.unpack_from("I", state, _LAST_DATA_RECEIVED))


def _descriptors() -> list[int]:
    with os.scandir(_DESCRIPTORS) as entries:
        return [int(entry.name) for entry in entries]


def _opened(descriptor: int) -> socket.socket:
    """Open a descriptor a second time: the number itself may be given to another file at any moment."""
    return socket.socket(fileno=os.dup(descriptor))

"""Limits of the connections of a worker, in all and from one address, and the thread that enforces them.

The HTTP server closes a connection that sends no request in time, and the kernel one whose client does not read;
neither counts connections. Of too many connections those that have been silent longest are closed.
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
"""How long a client may take to send the head of a request. Meanwhile it occupies a socket, but no thread."""

MAX_CONNECTIONS = 512
"""How many connections a worker keeps; it accepts twice as many, so that there is room while it closes others."""

_OTHER_FILES = 256
"""More than a worker has open otherwise: the database, mapped files, pipes."""

_CHECK_SECONDS = 0.25
_DESCRIPTORS = Path("/proc/self/fd")
_TCP = (socket.AF_INET, socket.AF_INET6)
_LISTENS = 10
_LAST_DATA_RECEIVED = 52
"""The offset, in Linux's `struct tcp_info`, of the milliseconds since data came; its first byte is the state."""


@dataclass(frozen=True, slots=True)
class Connection:
    """An open connection: its descriptor, its inode, its client's network, and the milliseconds since data came.

    The address is empty if connections from it are not limited.
    """

    descriptor: int
    inode: int
    address: str
    silent: int


def raise_file_limit() -> int:
    """Raise the limit of open files as needed and allowed; return how many connections a worker may keep."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MAX_CONNECTIONS + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    room = wanted if soft == resource.RLIM_INFINITY else soft
    return max(1, min(MAX_CONNECTIONS, (room - _OTHER_FILES) // 2))


def excess(held: Iterable[Connection], most: int, of_one: int) -> list[Connection]:
    """Return the connections to close so that `most` remain in all and `of_one` of each address."""
    kept: Counter[str] = Counter()
    over = []
    for connection in sorted(held, key=lambda one: one.silent):
        if kept.total() >= most or (connection.address and kept[connection.address] >= of_one):
            over.append(connection)
        else:
            kept[connection.address] += 1
    return over


class ConnectionLimit(threading.Thread):
    """Closes connections on a port above `most` in all and `of_one` of an address; checks four times a second.

    Connections from `proxies` are only limited in all, because they carry many clients.
    """

    def __init__(self, port: int, most: int, of_one: int, proxies: Networks) -> None:
        super().__init__(name="connections", daemon=True)
        self._port = port
        self._most = most
        self._of_one = of_one
        self._proxies = proxies
        self._ended = threading.Event()

    def start(self) -> None:
        """Start, on Linux; other systems do not show what is needed."""
        if _DESCRIPTORS.is_dir() and hasattr(socket, "TCP_INFO"):
            super().start()

    def run(self) -> None:
        """Check until the process ends."""
        while not self._ended.wait(_CHECK_SECONDS):
            try:
                self.close_excess()
            except Exception:  # without this thread the next flood would stop the worker
                log.exception("Connections cannot be counted")

    def close_excess(self) -> int:
        """Close the connections above the limits; return how many."""
        few = min(self._most, self._of_one)
        # The kernel says how many there are since Linux 6.2; before, it says 0.
        if 0 < _DESCRIPTORS.stat().st_size <= few or len(self.descriptors()) <= few:
            return 0
        over = excess(self._connections(), self._most, self._of_one)
        for connection in over:
            with suppress(OSError), _duplicate(connection.descriptor) as opened:
                if os.fstat(opened.fileno()).st_ino == connection.inode:
                    opened.shutdown(socket.SHUT_RDWR)
        return len(over)

    def descriptors(self) -> list[int]:
        """Return the descriptors among which connections are counted: all of the process."""
        with os.scandir(_DESCRIPTORS) as entries:
            return [int(entry.name) for entry in entries]

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()

    def _connections(self) -> Iterator[Connection]:
        for descriptor in self.descriptors():
            with suppress(OSError):  # closed meanwhile
                found = self._connection(descriptor)
                if found:
                    yield found

    def _connection(self, descriptor: int) -> Connection | None:
        file = os.fstat(descriptor)
        if not stat.S_ISSOCK(file.st_mode):
            return None
        with _duplicate(descriptor) as opened:
            if opened.family not in _TCP or opened.getsockname()[1] != self._port:
                return None
            state = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 64)
            if state[0] == _LISTENS:
                return None
            peer = str(opened.getpeername()[0])
        address = "" if is_in(peer, self._proxies) else neighbourhood(peer)
        return Connection(descriptor, file.st_ino, address, *struct.unpack_from("I", state, _LAST_DATA_RECEIVED))


def _duplicate(descriptor: int) -> socket.socket:
    """Duplicate a descriptor: its number may be reused for another file at any time."""
    return socket.socket(fileno=os.dup(descriptor))

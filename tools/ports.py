"""A port for a server of a test."""

from __future__ import annotations

import socket
from random import SystemRandom

_LOWEST, _HIGHEST = 10_000, 32_000


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nobody listens now.

    It is below those that systems give to outgoing connections, so that none of them takes it before the server does.
    """
    while True:
        port = SystemRandom().randrange(_LOWEST, _HIGHEST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

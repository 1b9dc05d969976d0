"""A port for a server of a test."""

from __future__ import annotations

import os
import socket
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import SystemRandom

_LOWEST, _HIGHEST = 10_000, 32_000
_GIVEN = Path(tempfile.gettempdir()) / f"cambist-ports-{os.getuid()}"
_KEPT_SECONDS = 600


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nobody listens now, and that no test was given in the last minutes.

    A server may listen only some time later, and other tests run meanwhile. The port is below those that systems give
    to outgoing connections, so that none of them takes it before the server does.
    """
    _GIVEN.mkdir(exist_ok=True)
    while True:
        port = SystemRandom().randrange(_LOWEST, _HIGHEST)
        if not _take(port):
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def _take(port: int) -> bool:
    """Note that a port is given to somebody; return whether nobody has it."""
    note = _GIVEN / str(port)
    with suppress(FileNotFoundError):
        if time.time() - note.stat().st_mtime > _KEPT_SECONDS:
            note.unlink()
    try:
        note.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

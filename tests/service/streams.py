"""A service with a stream, started for the tests that are its clients."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port
from websockets.sync.client import ClientConnection, connect

"""Seconds for what takes one or two on a machine of its own."""


@dataclass
class Service:
    """A started sandbox with a stream."""

    process: subprocess.Popen[bytes]
    port: int
    data: Path
    log: Path

    @property
    def key(self) -> str:
        return (self.data / "owner.key").read_text().strip()

    def run(self, *arguments: str) -> str:
        command = [COMMAND, *arguments, "--data", str(self.data)]
        done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout

    def is_up(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def connect(self) -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self.port}/", compression=None, open_timeout=10, ping_interval=None)

    def kill(self, place: int, with_signal: int = signal.SIGKILL) -> None:
        """Signal a child process: usage writer, sandbox, stream, in the order in which they were started."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        children = {int(number) for path in tasks.glob("*/children") for number in path.read_text().split()}
        started = sorted(
            child for child in children if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()
        )
        os.kill(started[place], with_signal)


@contextmanager
def serving(folder: Path, *flags: str) -> Iterator[Service]:
    port = free_port()
    data, log = folder / "data", folder / "log"
    copy_first_start(data, is_sandbox=True)
    arguments = ["--sandbox", "--data", str(data), "--port", str(free_port()), "--stream-port", str(port), *flags]
    with log.open("wb") as to:
        command = [COMMAND, "serve", "--workers", "1", *arguments]
        process = subprocess.Popen(command, env=environment(), stdout=to, stderr=to)
    service = Service(process, port, data, log)
    with ended_in_the_end(process):
        assert until(service.is_up, 2 * PATIENCE), log.read_text()
        yield service

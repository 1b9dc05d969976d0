"""The service under attack: one that this tool starts on loopback, with a data folder of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_START_SECONDS = 120
_STOP_SECONDS = 20


@dataclass(frozen=True)
class Target:
    """A service on 127.0.0.1: its ports, the id of its first process, and a key that works."""

    port: int
    stream: int
    operator: int
    pid: int
    key: str


@contextlib.contextmanager
def started(folder: Path, workers: int = 2) -> Iterator[Target]:
    """Start a service that asks no sources, and end it.

    Raises:
        RuntimeError: It has ended or does not answer within two minutes.
    """
    port, stream, operator = _free_ports(3)
    flags = {"data": folder / "data", "port": port, "stream-port": stream, "operator-port": operator}
    command = [str(Path(sys.executable).parent / "cambist"), "serve", "--no-fetch", "--workers", str(workers)]
    for name, value in flags.items():
        command += [f"--{name}", str(value)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=kept)
    try:
        _wait(process, (port, stream, operator))
        key = (folder / "data" / "owner.key").read_text(encoding="ascii").strip()
        yield Target(port, stream, operator, process.pid, key)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        finally:
            process.kill()
            process.wait(_STOP_SECONDS)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def _wait(process: subprocess.Popen[bytes], ports: tuple[int, ...]) -> None:
    end = time.monotonic() + _START_SECONDS
    waiting = list(ports)
    while waiting:
        if process.poll() is not None or time.monotonic() > end:
            message = f"The service does not answer on port {waiting[0]}."
            raise RuntimeError(message)
        try:
            socket.create_connection(("127.0.0.1", waiting[0]), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            waiting.pop(0)

"""The service under attack: one that this tool starts, or one that runs already; on loopback only."""

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
from urllib.parse import urlsplit

from tools.ports import free_port

_START_SECONDS = 120
_STOP_SECONDS = 20
PROXY = "127.0.0.10"
_LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Target:
    """A service on 127.0.0.1: its ports, the id of its first process, and a key that works.

    `small_key` is one on the smallest plan. `proxy` is an address whose `X-Forwarded-For` the service trusts. A port
    that it does not have is 0.
    """

    port: int
    stream: int
    operator: int
    pid: int
    key: str
    small_key: str
    proxy: str = PROXY


@contextlib.contextmanager
def started(folder: Path, workers: int = 2) -> Iterator[Target]:
    """Start a service on a simulated market, and end it.

    Raises:
        RuntimeError: It has ended or does not answer within two minutes.
    """
    port, stream, operator = free_port(), free_port(), free_port()
    flags = {"data": folder / "data", "port": port, "stream-port": stream, "operator-port": operator}
    program = str(Path(sys.executable).parent / "cambist")
    command = [program, "serve", "--sandbox", "--workers", str(workers)]
    for name, value in flags.items():
        command += [f"--{name}", str(value)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    kept["CAMBIST_PROXIES"] = f"{PROXY}/32"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=kept)
    try:
        _wait(process, (port, stream, operator))
        key = (folder / "data" / "owner.key").read_text(encoding="ascii").strip()
        create = [program, "account", "create", "small", "--plan", "one", "--data", str(folder / "data")]
        shown = subprocess.run(create, env=kept, check=True, capture_output=True, text=True).stdout
        small_key = next(word for word in shown.split() if word.startswith("cmb_"))
        yield Target(port, stream, operator, process.pid, key, small_key)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        finally:
            process.kill()
            process.wait(_STOP_SECONDS)


def running(url: str, stream: str, operator: str, pid: int, key: str) -> Target:
    """Return a service that runs on this machine; without an address it has no stream, or no operator's port.

    Raises:
        ValueError: An address is not one of loopback.
    """
    port, stream_port, operator_port = (
        _port_on_loopback(address) if address else 0 for address in (url, stream, operator)
    )
    return Target(port, stream_port, operator_port, pid, key, key)


def _port_on_loopback(address: str) -> int:
    parts = urlsplit(address)
    if parts.hostname not in _LOOPBACK or parts.port is None:
        message = f"Only a service on this machine may be attacked: {address} is not http://127.0.0.1 with a port."
        raise ValueError(message)
    return parts.port


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

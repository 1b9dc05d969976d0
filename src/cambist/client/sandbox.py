"""A sandbox for the tests of other programs: a service with a simulated market, started here and ended afterwards."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from cambist.client.errors import PackageMissing, SandboxFailed

_START_SECONDS = 120.0
_END_SECONDS = 15.0
_POLL_SECONDS = 0.05
_ATTEMPTS = 3
_LOG_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class SandboxAddress:
    """Where a sandbox answers, and the key of its owner."""

    url: str
    stream_url: str
    key: str = field(repr=False)


@contextmanager
def running_sandbox(seed: int = 1) -> Iterator[SandboxAddress]:
    """Run a sandbox in a temporary folder on free ports of this machine; it asks no other machine.

    The same seed gives the same prices. Errors: PackageMissing without the service, SandboxFailed.
    """
    if importlib.util.find_spec("cambist.processes") is None:
        raise PackageMissing('The service is not installed: pip install "cambist-client[sandbox]"')
    for attempt in range(1, _ATTEMPTS + 1):
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cambist-sandbox-")))
            ports = _free_ports(3)
            process = stack.enter_context(_service(folder, ports, seed))
            key = _await_key(process, folder, ports)
            if key:
                yield SandboxAddress(f"http://127.0.0.1:{ports[0]}", f"ws://127.0.0.1:{ports[1]}", key)
                return
            log = (folder / "log").read_text(encoding="utf-8", errors="replace")[-_LOG_CHARACTERS:].strip()
        # Another program may have taken a port in between; then there are others.
        if attempt == _ATTEMPTS or "port" not in log:
            raise SandboxFailed(f"The sandbox does not start: {log or 'it says nothing'}")


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(closing(socket.socket())) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextmanager
def _service(folder: Path, ports: list[int], seed: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the service, with its settings and nothing of the environment's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    chosen = dict(zip(("CAMBIST_PORT", "CAMBIST_STREAM_PORT", "CAMBIST_OPERATOR_PORT"), map(str, ports), strict=True))
    chosen |= {"CAMBIST_SANDBOX_SEED": str(seed), "CAMBIST_WORKERS": "1"}
    command = [sys.executable, "-m", "cambist", "serve", "--sandbox", "--data", str(folder / "data")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  the service itself
            command, cwd=folder, env=kept | chosen, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _await_key(process: subprocess.Popen[bytes], folder: Path, ports: list[int]) -> str:
    """Wait until the service answers and streams, and return the owner's key; empty if it ends or takes too long."""
    deadline = time.monotonic() + _START_SECONDS
    with httpx2.Client(trust_env=False, timeout=_END_SECONDS) as http:
        while process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError, httpx2.HTTPError):
                key = (folder / "data" / "owner.key").read_text(encoding="utf-8").strip()
                url = f"http://127.0.0.1:{ports[0]}/fetch-one?from=EUR&to=USD"
                if key and http.get(url, headers={"X-API-Key": key}).status_code == 200:
                    socket.create_connection(("127.0.0.1", ports[1]), timeout=_END_SECONDS).close()
                    return key
            time.sleep(_POLL_SECONDS)
    return ""

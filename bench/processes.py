"""Start the servers as a user does, and stop them in every case."""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from load import HOST, NotMeasuredError

SERVER_CORE, CLIENT_CORE = 0, 1
READY_WITHIN, STOPPED_WITHIN = 90.0, 15.0

Probe = Callable[[], int | None]
"""Requests a server once; returns the status of its answer, or None if it does not listen yet."""


def can_pin() -> bool:
    """Return whether server and client can have a core each."""
    if shutil.which("taskset") is None or not hasattr(os, "sched_getaffinity"):
        return False
    return {SERVER_CORE, CLIENT_CORE} <= os.sched_getaffinity(0)


def free_port() -> int:
    """Return an unused loopback port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command: list[str], log: Path, *, pinned: bool) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in a process group of its own, and kill the whole group at the end."""
    pin = ["taskset", "-c", str(SERVER_CORE)] if pinned else []
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*pin, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C reaches this harness only, which then stops the servers in order
        )
    try:
        yield process
    finally:
        _sweep(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a server with SIGTERM. It is an error if it does not stop, or has ended before."""
    if process.poll() is not None:
        raise NotMeasuredError(f"ended by itself with {process.returncode} while it was measured")
    process.terminate()
    try:
        process.wait(STOPPED_WITHIN)
    except subprocess.TimeoutExpired:
        raise NotMeasuredError(f"did not stop within {STOPPED_WITHIN:.0f} s of SIGTERM") from None


def _sweep(process: subprocess.Popen[bytes]) -> None:
    """Stop a server if it still runs, then kill what is left of its group."""
    try:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
    finally:  # also if a second Ctrl-C interrupts the wait
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)


def await_ready(process: subprocess.Popen[bytes], probe: Probe, log: Path) -> float:
    """Probe until the answer is 200; return the seconds that this took."""
    started, status = time.perf_counter(), None
    while (waited := time.perf_counter() - started) < READY_WITHIN:
        if process.poll() is not None:
            raise NotMeasuredError(f"ended with {process.returncode} before it was ready:\n{_tail(log)}")
        status = probe()
        if status == http.client.OK:
            return time.perf_counter() - started
        time.sleep(0.01)
    raise NotMeasuredError(f"not ready after {waited:.0f} s, last status {status}:\n{_tail(log)}")


def status_of(port: int, path: str, headers: dict[str, str]) -> int | None:
    """Send one request on a new connection; return the status, or None if there is no answer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _tail(log: Path) -> str:
    """Return the end of what a server printed."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])

"""The real service under a service manager of this test: its messages, and a process that hangs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service]


class Manager:
    """The socket of a service manager, and the messages on it."""

    def __init__(self, bound: socket.socket) -> None:
        self._bound = bound
        self.lines: list[str] = []

    def receive(self) -> None:
        while True:
            try:
                self.lines += self._bound.recv(4096).decode().splitlines()
            except BlockingIOError:
                return

    def has(self, line: str) -> bool:
        self.receive()
        return line in self.lines

    def forget(self) -> None:
        self.receive()
        self.lines.clear()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.bind(str(tmp_path / "notify"))
        bound.setblocking(False)
        yield Manager(bound)


@pytest.fixture
def process(tmp_path: Path, manager: Manager) -> Iterator[subprocess.Popen[bytes]]:
    """A service whose manager waits eight seconds for a sign of life, and which has told that it is ready."""
    variables = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "8000000", "CAMBIST_FETCH": "false"}
    copy_first_start(tmp_path / "data")
    command = [COMMAND, "serve", "--data", str(tmp_path / "data"), "--port", str(free_port()), "--workers", "1"]
    with (tmp_path / "log").open("wb") as log:
        started = subprocess.Popen(command, stdout=log, stderr=log, env=environment(**variables))
        with ended_in_the_end(started):
            assert until(lambda: manager.has("READY=1"), PATIENCE), (tmp_path / "log").read_text()
            yield started


def children(process: subprocess.Popen[bytes]) -> dict[str, int]:
    """Return the process ids of the children by their names."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    numbers = [int(number) for path in tasks for number in path.read_text().split()]
    return {Path(f"/proc/{number}/comm").read_text().strip(): number for number in numbers}


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="processes have no names here")
def test_the_manager_hears_of_the_start_of_a_reload_of_a_process_that_hangs_and_of_the_end(
    process: subprocess.Popen[bytes], manager: Manager, tmp_path: Path
) -> None:
    assert until(lambda: manager.has("WATCHDOG=1"), PATIENCE)
    assert any(line.startswith("STATUS=Answering on http://127.0.0.1:") for line in manager.lines)

    manager.forget()
    process.send_signal(signal.SIGHUP)
    assert until(lambda: manager.has("RELOADING=1") and manager.has("READY=1"), PATIENCE)

    worker = children(process)["worker 1"]
    os.kill(worker, signal.SIGSTOP)
    try:
        assert until(lambda: "worker 1 has not worked for 4 s" in (tmp_path / "log").read_text(), PATIENCE)
        manager.forget()
        assert not until(lambda: manager.has("WATCHDOG=1"), 3)
    finally:
        os.kill(worker, signal.SIGCONT)
    assert until(lambda: manager.has("WATCHDOG=1"), PATIENCE)

    manager.forget()
    process.terminate()
    assert process.wait(PATIENCE) == 0
    assert manager.has("STOPPING=1")

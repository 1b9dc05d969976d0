"""What the service manager is told: ready, reloading, stopping, and signs of life while the processes work."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cambist.processes.heartbeat import Heartbeat
from cambist.processes.service_manager import ServiceManager, service_manager
from cambist.processes.watchdog import Watchdog


@pytest.fixture
def address(tmp_path: Path) -> str:
    return str(tmp_path / "notify")


@pytest.fixture
def inbox(address: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.bind(address)
        bound.setblocking(False)
        yield bound


def messages(inbox: socket.socket) -> list[str]:
    """Return the first lines of what has arrived."""
    found = []
    while True:
        try:
            found.append(inbox.recv(4096).decode().splitlines()[0])
        except BlockingIOError:
            return found


class Child:
    """The part of a child process that the watchdog sees."""

    def __init__(self, name: str, *, age: float | None = 0.0, is_running: bool = True) -> None:
        self.name, self.age, self.is_running = name, age, is_running

    @property
    def has_begun(self) -> bool:
        return self.age is not None

    def hangs(self, seconds: float) -> bool:
        return self.is_running and self.age is not None and self.age > seconds


# The protocol


def test_without_a_service_manager_nothing_is_sent() -> None:
    manager = service_manager({})
    manager.ready("well")
    assert (manager.is_present, manager.watchdog_seconds) == (False, None)


def test_its_variables_are_removed_so_that_no_child_process_has_them(address: str) -> None:
    environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "180000000", "WATCHDOG_PID": str(os.getpid()), "A": "b"}
    assert service_manager(environment).watchdog_seconds == 180.0
    assert environment == {"A": "b"}


def test_a_watchdog_for_another_process_is_not_this_ones(address: str) -> None:
    environment = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "180000000", "WATCHDOG_PID": "1"}
    manager = service_manager(environment)
    assert (manager.is_present, manager.watchdog_seconds) == (True, None)


def test_each_message_is_one_datagram(address: str, inbox: socket.socket) -> None:
    manager = ServiceManager(address)
    manager.ready("Answering on http://127.0.0.1:8000")
    assert inbox.recv(4096) == b"READY=1\nSTATUS=Answering on http://127.0.0.1:8000"
    manager.reloading()
    first, second = inbox.recv(4096).decode().splitlines()
    assert first == "RELOADING=1"
    assert second.removeprefix("MONOTONIC_USEC=").isdecimal()
    manager.stopping()
    assert inbox.recv(4096).startswith(b"STOPPING=1\n")
    manager.alive()
    assert inbox.recv(4096) == b"WATCHDOG=1"


def test_a_name_of_the_abstract_namespace_is_used(tmp_path: Path) -> None:
    name = f"cambist-{tmp_path.name}-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
        inbox.bind(f"\0{name}")
        ServiceManager(f"@{name}").alive()
        inbox.settimeout(5)
        assert inbox.recv(4096) == b"WATCHDOG=1"


def test_a_manager_that_is_gone_is_logged_once(address: str, caplog: pytest.LogCaptureFixture) -> None:
    manager = ServiceManager(address)
    manager.alive()
    manager.alive()
    assert [record.getMessage() for record in caplog.records] == [
        "The service manager cannot be told WATCHDOG=1: [Errno 2] No such file or directory"
    ]


# The watchdog


def test_the_service_is_ready_when_all_workers_listen(address: str, inbox: socket.socket) -> None:
    first, second = Child("worker 1"), Child("worker 2", age=None)
    watchdog = Watchdog(ServiceManager(address), [first, second], [Child("stream", age=None)], "well")  # type: ignore[list-item]
    watchdog.check()
    assert messages(inbox) == []
    second.age = 0.0
    watchdog.check()
    watchdog.check()
    assert messages(inbox) == ["READY=1"]


def test_a_process_that_hangs_ends_the_signs_of_life_until_it_works_again(
    address: str, inbox: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    worker, stream = Child("worker 1"), Child("stream")
    watchdog = Watchdog(ServiceManager(address, 20.0), [worker], [stream], "well")  # type: ignore[list-item]

    def told() -> list[str]:
        watchdog._due = 0.0
        watchdog.check()
        return messages(inbox)

    assert told() == ["READY=1", "WATCHDOG=1"]
    stream.age = 10.5
    assert told() == []
    assert told() == []
    stream.age = 0.1
    assert told() == ["WATCHDOG=1"]
    assert [record.getMessage() for record in caplog.records] == [
        "The stream has not worked for 10 s: the service manager may restart the service",
        "The stream works again",
    ]


def test_a_dead_process_is_the_supervisors_work_unless_no_worker_is_left(address: str, inbox: socket.socket) -> None:
    workers = [Child("worker 1"), Child("worker 2")]
    writer = Child("usage writer", age=99.0, is_running=False)
    watchdog = Watchdog(ServiceManager(address, 20.0), workers, [writer], "well")  # type: ignore[arg-type, list-item]
    watchdog.check()
    assert messages(inbox) == ["READY=1", "WATCHDOG=1"]
    for worker in workers:
        worker.is_running = False
    watchdog._due = 0.0
    watchdog.check()
    assert messages(inbox) == []


def test_signs_of_life_are_sent_four_times_in_the_time_that_the_manager_waits(
    address: str, inbox: socket.socket
) -> None:
    watchdog = Watchdog(ServiceManager(address, 3600.0), [Child("worker 1")], [], "well")  # type: ignore[list-item]
    for _ in range(5):
        watchdog.check()
    assert messages(inbox) == ["READY=1", "WATCHDOG=1"]


def test_a_reload_is_told_before_and_after(address: str, inbox: socket.socket) -> None:
    watchdog = Watchdog(ServiceManager(address), [Child("worker 1")], [], "well")  # type: ignore[list-item]
    watchdog.check()
    watchdog.reloading()
    watchdog.reloaded()
    assert messages(inbox) == ["READY=1", "RELOADING=1", "READY=1"]


# Heartbeats


def test_a_heartbeat_has_no_age_before_the_first_beat_and_after_a_reset() -> None:
    heartbeat = Heartbeat()
    assert heartbeat.age is None
    heartbeat.beat()
    assert heartbeat.age is not None
    assert heartbeat.age >= 0
    heartbeat.reset()
    assert heartbeat.age is None

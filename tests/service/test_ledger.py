"""What a sceptic tries: kill -9 under full load, a database that is locked, keys that are guessed, slow clients."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, environment
from tools.ports import free_port

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PATH = "/fetch-one?from=EUR&to=USD"
WORKERS, CONNECTIONS = 4, 8
ROUNDS = 3 * int(os.environ.get("LONGER", "1"))
"""Rounds of kills, each with a start of the service; `make long-rounds` makes more."""


@dataclass
class Service:
    """A data folder on which the service is started again and again."""

    data: Path
    port: int = field(default_factory=free_port)
    operator_port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    log_file: Path | None = None

    @property
    def key(self) -> str:
        return (self.data / "owner.key").read_text().strip()

    @property
    def log(self) -> Path:
        return self.log_file or self.data.with_suffix(".log")

    def start(self) -> None:
        arguments = ["--data", self.data, "--port", self.port, "--workers", WORKERS, "--threads", 2]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [COMMAND, "serve", *map(str, arguments), "--operator-port", str(self.operator_port)],
                stdout=log,
                stderr=log,
                env=environment(CAMBIST_FETCH="false"),
                start_new_session=True,
            )
        self.wait_until_it_answers()

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.ask("/nothing")[0] == 404:
                    return
            time.sleep(0.02)
        raise AssertionError(f"the service does not answer:\n{self.log.read_text()[-2000:]}")

    def ask(self, path: str, key: str | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(
                "GET", path, headers={"X-API-Key": key or self.key if self.data.exists() else "", **headers}
            )
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        finally:
            connection.close()

    def used(self) -> int:
        """Give the calls of the current period, as the owner reads them."""
        return int(json.loads(self.ask("/usage")[2])["current_period"]["usage"])

    def children(self) -> tuple[list[int], list[int]]:
        """Return the API workers, which have mapped the rate matrix, and the usage writer, which has not."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        pids = {int(pid) for path in tasks.glob("*/children") for pid in path.read_text().split()}
        spawned = [pid for pid in pids if b"resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_bytes()]
        workers = [pid for pid in spawned if "rates.image" in Path(f"/proc/{pid}/maps").read_text()]
        return workers, [pid for pid in spawned if pid not in workers]

    def kill_everything(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after a first start."""
    data = tmp_path_factory.mktemp("ledger") / "data"
    copy_first_start(data)
    return data


@pytest.fixture(scope="module")
def service(prepared: Path) -> Iterator[Service]:
    """A running service; every test leaves it running, and asks with keys of its own."""
    service = Service(prepared)
    service.start()
    try:
        yield service
    finally:
        with contextlib.suppress(ProcessLookupError):
            service.stop()
            service.kill_everything()


@dataclass
class Load:
    """Connections that ask as fast as they are answered, and count: whole 200s, and askings without an answer.

    `pause` are seconds between an answer and the next request.
    """

    service: Service
    pause: float = 0
    answered: int = 0
    unanswered: int = 0
    others: list[bytes] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        request = f"GET {PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: {self.service.key}\r\n\r\n".encode()
        self.threads = [threading.Thread(target=self._connection, args=(request,)) for _ in range(CONNECTIONS)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join(PATIENCE)

    def _connection(self, request: bytes) -> None:
        while not self.over.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.service.port), timeout=5) as peer:
                    self._talk(peer, request)
            except OSError:
                time.sleep(0.01)

    def _talk(self, peer: socket.socket, request: bytes) -> None:
        while not self.over.is_set():
            peer.sendall(request)
            try:
                answer = whole_answer(peer)
            except OSError:
                answer = b""
            with self.lock:
                self.answered += answer.startswith(b"HTTP/1.1 200")
                self.unanswered += not answer
                if answer and not answer.startswith(b"HTTP/1.1 200"):
                    self.others.append(answer)
            if not answer:
                return
            time.sleep(self.pause)


def whole_answer(peer: socket.socket) -> bytes:
    """Receive an answer up to its last byte; nothing when the connection ends before."""
    received = b""
    while True:
        chunk = peer.recv(65536)
        if not chunk:
            return b""
        received += chunk
        head, ended, body = received.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if ended and length and len(body) >= int(length[1]):
            return received


@pytest.mark.long
def test_a_locked_database_delays_the_usage_writer_and_nothing_else(service: Service) -> None:
    """Before anything is killed: a call cut off in the midst of being counted, and never answered, may count or not."""
    before = service.used()
    database = sqlite3.connect(service.data / "cambist.db", isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    try:
        with Load(service, pause=0.02) as load:
            wait_until(lambda: "calls cannot be written to the database" in service.log.read_text(), PATIENCE)
            time.sleep(1)
        assert not load.others
        assert not load.unanswered
        assert service.used() == before + 1 + load.answered
        assert metric(service, "cambist_usage_write_failures_total") >= 1
        shown = metric(service, r'cambist_http_requests_total\{endpoint="/fetch-one",status="200"\}')
        assert shown >= load.answered
    finally:
        database.execute("ROLLBACK")
    expected = service.used() + 1
    wait_until(lambda: folded(database) == expected)
    wait_until(lambda: "nothing was lost" in service.log.read_text())
    database.close()


def test_no_call_is_lost_or_invented_through_rounds_of_kills(service: Service) -> None:
    chance = random.Random(1970)  # noqa: S311  it draws moments, not secrets
    for number in range(ROUNDS):
        before = service.used()
        with Load(service) as load:
            wait_until(lambda load=load: load.answered > 100, PATIENCE)
            time.sleep(chance.uniform(0.05, 0.2))
            workers, usage_writers = service.children()
            os.kill(chance.choice(workers), signal.SIGKILL)
            time.sleep(chance.uniform(0.02, 0.2))
            os.kill(usage_writers[0], signal.SIGKILL)
            time.sleep(chance.uniform(0.02, 0.3))
            service.kill_everything()
        service.start()
        # `/usage` itself is a call: the one that gave `before` counts in what follows.
        counted = service.used() - before - 1
        assert not load.others
        assert load.answered <= counted <= load.answered + load.unanswered, f"round {number}"


def folded(database: sqlite3.Connection) -> int:
    return database.execute("SELECT coalesce(sum(calls), 0) FROM usage").fetchone()[0]


def metric(service: Service, name: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", service.operator_port, timeout=5)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return float(re.search(rf"^{name} (\S+)$", text, re.MULTILINE)[1])


def wait_until(holds, seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it does not come about"
        time.sleep(0.05)


def run(service: Service, *arguments: str) -> str:
    command = [COMMAND, *arguments, "--data", str(service.data)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


@pytest.mark.long
def test_a_revoked_key_stops_within_a_second_on_every_worker(service: Service) -> None:
    key = run(service, "account", "create", "leaver", "--plan", "premium").strip()
    wait_until(lambda: all(service.ask(PATH, key)[0] == 200 for _ in range(20)))
    run(service, "key", "revoke", "leaver", key[:8])
    time.sleep(1)
    assert {service.ask(PATH, key)[0] for _ in range(40)} == {401}


def test_plans_are_reloaded_by_signal_and_a_broken_file_changes_nothing(service: Service) -> None:
    key = run(service, "account", "create", "reader", "--plan", "one").strip()
    plans = service.data / "plans.toml"
    text = plans.read_text()
    wait_until(lambda: service.ask(PATH, key)[0] == 200, PATIENCE)
    try:
        plans.write_text(text.replace('tags = ["currency", "crypto", "admin"]', 'tags = ["admin"]'))
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: {service.ask(PATH, key)[0] for _ in range(12)} == {403}, PATIENCE)
        plans.write_text(text.replace("rate = 50", 'rate = "fast"'))
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "line " in service.log.read_text().rpartition("Plans:")[2], PATIENCE)
        assert service.ask(PATH, key)[0] == 403
    finally:
        plans.write_text(text)
    service.process.send_signal(signal.SIGHUP)
    wait_until(lambda: {service.ask(PATH, key)[0] for _ in range(12)} == {200}, PATIENCE)


@pytest.mark.long
def test_the_rate_holds_within_two_per_cent_over_all_workers(service: Service) -> None:
    key = run(service, "account", "create", "busy", "--plan", "extra").strip()
    wait_until(lambda: service.ask("/usage", key)[0] == 200, PATIENCE)
    statuses: list[tuple[float, int]] = []

    def ask_on(connection: http.client.HTTPConnection, until: float) -> None:
        while (now := time.monotonic()) < until:
            connection.request("GET", PATH, headers={"X-API-Key": key})
            response = connection.getresponse()
            response.read()
            statuses.append((now, response.status))
            if response.status == 429:
                assert int(response.headers["Retry-After"]) >= 1
                time.sleep(0.001)

    begun = time.monotonic()
    connections = [http.client.HTTPConnection("127.0.0.1", service.port, timeout=10) for _ in range(12)]
    threads = [threading.Thread(target=ask_on, args=(connection, begun + 13)) for connection in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in connections:
        connection.close()
    assert {status for _, status in statuses} == {200, 429}
    # Three seconds empty the burst of 200; then ten seconds at 100 a second.
    steady = sum(status == 200 for at, status in statuses if begun + 3 <= at < begun + 13)
    assert 980 <= steady <= 1020


def test_slow_clients_do_not_hold_up_others(service: Service) -> None:
    slow = [socket.create_connection(("127.0.0.1", service.port), timeout=5) for _ in range(200)]
    try:
        for peer in slow:
            peer.sendall(b"GET /fetch-one?to=EUR HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        waits = []
        for _ in range(50):
            for peer in slow[::10]:
                peer.sendall(b"a")
            begun = time.monotonic()
            assert service.ask(PATH)[0] == 200
            waits.append(time.monotonic() - begun)
        assert sorted(waits)[25] < 1
    finally:
        for peer in slow:
            peer.close()


def test_guessing_keys_is_slowed_down_and_valid_keys_are_not_affected(service: Service) -> None:
    wrong = service.key[:-8] + "AAAAAAAA"
    statuses = [service.ask(PATH, wrong)[0] for _ in range(40 * WORKERS)]
    assert set(statuses) == {401, 429}
    assert service.ask(PATH)[0] == 200


TABLE = "/time-series.{}?from=EUR&to=USD,GBP,JPY,CHF,SEK,NOK,DKK,PLN,CZK,HUF&start=1999-01-04&end=2026-01-01"
TABLE_COST = 10


@pytest.mark.long
def test_tables_asked_for_at_once_spend_no_more_than_the_quota(service: Service) -> None:
    quota, found = 100, []
    plans = service.data / "plans.toml"
    plans.write_text(f'{plans.read_text()}\n[small]\ncalls_a_month = {quota}\ntags = ["currency", "admin"]\n')
    service.process.send_signal(signal.SIGHUP)
    key = run(service, "account", "create", "small", "--plan", "small").strip()

    def ask(path: str) -> int:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)) as connection:
            connection.request("GET", path, headers={"X-API-Key": key})
            response = connection.getresponse()
            response.read()
            found.append((response.status, int(response.headers["X-Calls-Cost"] or 0)))
            return response.status

    wait_until(lambda: ask("/usage") == 200)
    time.sleep(1)  # every worker knows the account
    threads = [threading.Thread(target=ask, args=(TABLE.format("csv"),)) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    answered = [cost for status, cost in found if status == 200]
    assert {status for status, _ in found} <= {200, 401, 429}
    assert answered.count(TABLE_COST) == (quota - 1) // TABLE_COST
    assert sum(answered) <= quota


def test_tables_of_clients_that_left_hold_up_no_page_cost_nothing_and_leave_no_connection(service: Service) -> None:
    key = run(service, "account", "create", "impatient", "--plan", "unlimited").strip()
    wait_until(lambda: service.ask("/usage", key)[0] == 200)
    time.sleep(1)  # every worker knows the account
    before = used_by(service, key)
    peers = [socket.create_connection(("127.0.0.1", service.port), timeout=5) for _ in range(40)]
    for peer in peers:
        peer.sendall(f"GET {TABLE.format('xlsx')} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\n\r\n".encode())
    for path, status in (("/docs", 200), ("/nothing", 404), (PATH, 200)):
        assert service.ask(path)[0] == status
    for peer in peers:
        peer.close()
    wait_until(lambda: not closing_connections(service.port), PATIENCE)
    assert used_by(service, key) - before == 1  # the question itself


def used_by(service: Service, key: str) -> int:
    return int(json.loads(service.ask("/usage", key)[2])["current_period"]["usage"])


def closing_connections(port: int) -> list[str]:
    """Return the connections to a port that their clients have closed, and the service has not (CLOSE-WAIT)."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [line for line in lines if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "08"]

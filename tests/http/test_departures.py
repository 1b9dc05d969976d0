"""Clients that leave while their requests wait: noticed, not computed for, not charged, and not kept in CLOSE-WAIT."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from tests.http.serving import running

from cambist.http.delivery import ClientGone, on_delivery, while_awaited
from cambist.http.listening_socket import bind_socket
from cambist.http.scheduler import MOST_WAITING, Kind, TooManyWaiting, Work
from cambist.http.server import HttpServer

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
PATIENCE = 10


class Tables:
    """Writes tables row by row until it is told to end, and notes what became of each. All but /page take long."""

    def __init__(self) -> None:
        self.end = threading.Event()
        self.begun: list[str] = []
        self.settled: list[tuple[str, bool]] = []
        self.ended_early: list[str] = []

    def body_limit(self, _environ: dict[str, Any]) -> int:
        return 0

    def direct(self, _received: bytes, _environ: Any) -> bytes | None:
        return None

    def settle(self) -> None: ...

    def at_once(self, _environ: dict[str, Any]) -> bytes | None:
        return None

    def work_of(self, environ: dict[str, Any]) -> Work:
        path = environ["PATH_INFO"]
        return Work(Kind.QUICK if path == "/page" else Kind.LONG, path.split("-")[0])

    def refused(self, _environ: dict[str, Any], refused: TooManyWaiting) -> bytes:
        return b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n" if refused.is_own else b""

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path != "/page":
            self.begun.append(path)
            on_delivery(environ, lambda is_sent: self.settled.append((path, is_sent)))
            try:
                for _ in while_awaited(iter(lambda: self.end.wait(0.01), True), environ):
                    pass
            except ClientGone:
                self.ended_early.append(path)
                start("499 Client Gone", [])
                return []
        start("200 OK", [("Content-Type", "text/plain")])
        return [path.encode()]


@pytest.fixture
def tables() -> Tables:
    return Tables()


@pytest.fixture
def server(tables: Tables) -> Iterator[HttpServer]:
    with running(HttpServer(tables, bind_socket("127.0.0.1", 0), 2, turns=tables)) as server:
        yield server
        tables.end.set()


def connect(server: HttpServer, path: str, version: str = "1.1") -> socket.socket:
    client = socket.create_connection(server._bound.getsockname()[:2], PATIENCE)
    client.sendall(f"GET {path} HTTP/{version}\r\nHost: x\r\n\r\n".encode())
    return client


def until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def reset(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


@pytest.mark.parametrize("leave", [socket.socket.close, reset])
def test_tables_of_clients_that_left_hold_up_nobody(
    server: HttpServer, tables: Tables, leave: Callable[[socket.socket], None]
) -> None:
    most = MOST_WAITING[Kind.LONG]
    clients = [connect(server, "/ann-0")]
    assert until(lambda: tables.begun == ["/ann-0"])
    clients += [connect(server, f"/ann-{number}") for number in range(1, most)]
    assert until(lambda: len(server._waiting._waiting) == most)
    with connect(server, "/page") as page:
        assert page.recv(4096).endswith(b"/page")
    for client in clients:
        leave(client)
    assert until(lambda: not server.connections)
    assert until(lambda: tables.settled == [(path, False) for path in tables.begun])
    assert tables.ended_early == tables.begun
    assert len(tables.begun) < most  # the others were never begun
    tables.end.set()
    with connect(server, "/ann-last") as client:
        assert client.recv(4096).endswith(b"/ann-last")
    assert tables.settled[-1] == ("/ann-last", True)


def test_a_client_that_sends_no_more_but_reads_gets_its_long_answer(server: HttpServer, tables: Tables) -> None:
    with connect(server, "/ann-1") as client:
        client.shutdown(socket.SHUT_WR)
        received = client.recv(4096)
        assert received == b"HTTP/1.1 100 Continue\r\n\r\n"  # which a client of HTTP/1.1 skips
        assert not tables.ended_early
        tables.end.set()
        answer = b""
        while piece := client.recv(4096):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert answer.endswith(b"/ann-1")
    assert tables.settled == [("/ann-1", True)]


def test_a_client_of_the_older_protocol_gets_nothing_before_its_answer(server: HttpServer, tables: Tables) -> None:
    with connect(server, "/ann-1", "1.0") as client:
        client.shutdown(socket.SHUT_WR)
        client.settimeout(0.8)
        with pytest.raises(TimeoutError):
            client.recv(4096)
        client.settimeout(PATIENCE)
        tables.end.set()
        assert client.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_short_answer_to_a_client_that_sends_no_more_is_as_ever(server: HttpServer) -> None:
    with connect(server, "/page") as client:
        client.shutdown(socket.SHUT_WR)
        assert client.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")


def test_an_answer_that_was_there_when_its_client_left_is_not_charged(server: HttpServer, tables: Tables) -> None:
    client = connect(server, "/ann-1")
    assert until(lambda: tables.begun == ["/ann-1"])
    client.close()
    tables.end.set()
    assert until(lambda: bool(tables.settled))
    assert until(lambda: not server.connections)
    assert tables.settled == [("/ann-1", False)]


def test_an_owner_with_too_many_waiting_is_refused_and_others_are_not(server: HttpServer, tables: Tables) -> None:
    most = MOST_WAITING[Kind.LONG]
    clients = [connect(server, "/ann-0")]
    assert until(lambda: tables.begun == ["/ann-0"])
    clients += [connect(server, f"/ann-{number}") for number in range(1, most + 1)]
    assert until(lambda: len(server._waiting._waiting) == most + 1)
    with connect(server, "/ann-more") as refused, connect(server, "/bob-1") as other:
        assert refused.recv(4096).startswith(b"HTTP/1.1 429 ")
        assert until(lambda: "/bob-1" in tables.begun)
        tables.end.set()
        assert other.recv(4096).endswith(b"/bob-1")
    for client in clients:
        with client:
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")

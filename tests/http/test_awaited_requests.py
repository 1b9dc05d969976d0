"""Requests that soon may be answered in the event loop wait there, and hold no thread."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any, BinaryIO

import pytest
from tests.http.serving import running

from cambist.http.listening_socket import bind_socket
from cambist.http.server import HttpServer
from cambist.http.waiting_answers import AWAITED

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
PATIENCE = 10
MANY = 200


class Accounts:
    """Answers /ANYTHING in the event loop when it is granted; /never-… in a thread, as soon as it is worth asking."""

    def __init__(self) -> None:
        self.granted = self.is_worth_asking = False
        self.asked: list[str] = []
        self.in_thread: list[str] = []

    def body_limit(self, _environ: dict[str, Any]) -> int:
        return 0

    def direct(self, _received: bytes, _environ: Any) -> bytes | None:
        return None

    def settle(self) -> None: ...

    def at_once(self, environ: dict[str, Any]) -> bytes | None:
        path = environ["PATH_INFO"]
        self.asked.append(path)
        if self.granted and not path.startswith("/never"):
            return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(path), path.encode())
        environ[AWAITED] = lambda: self.is_worth_asking
        return None

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        assert AWAITED not in environ
        self.in_thread.append(environ["PATH_INFO"])
        start("503 Service Unavailable", [])
        return [b""]


@pytest.fixture
def accounts() -> Accounts:
    return Accounts()


@pytest.fixture
def server(accounts: Accounts) -> Iterator[HttpServer]:
    with running(HttpServer(accounts, bind_socket("127.0.0.1", 0), 1)) as server:
        yield server


def asked(server: HttpServer, *paths: str) -> socket.socket:
    client = socket.create_connection(server._name, PATIENCE)
    client.sendall(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths))
    return client


def received(client: socket.socket, answers: int) -> list[tuple[bytes, bytes]]:
    """The status and the body of some answers."""
    with client.makefile("rb") as file:
        return [_read(file) for _ in range(answers)]


def _read(file: BinaryIO) -> tuple[bytes, bytes]:
    status, length = file.readline()[9:12], 0
    while line := file.readline().strip():
        name, _, value = line.partition(b": ")
        length = int(value) if name == b"content-length" else length
    return status, file.read(length)


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_many_wait_at_once_without_a_thread(server: HttpServer, accounts: Accounts) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(asked(server, f"/{number}")) for number in range(MANY)]
        until(lambda: len(accounts.asked) == MANY)
        accounts.granted = accounts.is_worth_asking = True
        for number, client in enumerate(clients):
            assert received(client, 1) == [(b"200", b"/%d" % number)]
    assert accounts.in_thread == []
    assert len(accounts.asked) == 2 * MANY, "each is asked again when it is worth it, and not before"


def test_what_waits_keeps_its_place_on_its_connection(server: HttpServer, accounts: Accounts) -> None:
    with asked(server, "/1", "/2", "/3") as client:
        until(lambda: accounts.asked == ["/1"])
        accounts.granted = accounts.is_worth_asking = True
        assert [body for _, body in received(client, 3)] == [b"/1", b"/2", b"/3"]


def test_what_is_still_not_known_is_left_to_a_thread(server: HttpServer, accounts: Accounts) -> None:
    with asked(server, "/never-1") as client:
        until(lambda: accounts.asked)
        accounts.is_worth_asking = True
        assert received(client, 1)[0][0] == b"503"
    assert accounts.asked == ["/never-1"] * 2
    assert accounts.in_thread == ["/never-1"]


def test_a_client_that_is_gone_is_forgotten(server: HttpServer, accounts: Accounts) -> None:
    asked(server, "/1").close()
    with asked(server, "/2") as client:
        until(lambda: len(accounts.asked) == 2 and len(server.connections) == 1)
        accounts.granted = accounts.is_worth_asking = True
        assert received(client, 1) == [(b"200", b"/2")]
    assert accounts.asked.count("/1") == 1

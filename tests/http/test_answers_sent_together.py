"""Direct answers are sent together, after they were counted, and in the order of the requests of their connection."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.api.direct.two_ways import Transport
from tests.http.test_http_server import Echo, get

from cambist.http.connection import HttpConnection
from cambist.http.server import _MOST_TOGETHER, HttpServer


class Loop:
    """Keeps what is to be called in the next round of the event loop."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []

    def call_soon(self, call: Callable[[], None]) -> None:
        self.soon.append(call)

    def call_later(self, _seconds: float, _call: Callable[[], None]) -> None: ...

    def next_round(self) -> None:
        soon, self.soon = self.soon, []
        for call in soon:
            call()


class Recorded(Echo):
    """Notes when it is told to count."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self.log = log

    def settle(self) -> None:
        self.log.append("counted")


class Logged(Transport):
    """A transport that notes what is sent."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self.log = log

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: bytes) -> None:
        super().write(data)
        self.log.append(data.rpartition(b"\r\n\r\n")[2].decode())


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def server(log: list[str], loop: Loop) -> Iterator[HttpServer]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        made: Any = HttpServer(Recorded(log), bound, 1)
        made._loop = loop
        yield made
        made._waiting.close()


def connected(server: HttpServer, log: list[str]) -> tuple[HttpConnection, Logged]:
    transport, connection = Logged(log), HttpConnection(server)
    connection.connection_made(transport)  # type: ignore[arg-type]
    return connection, transport


def test_answers_of_one_round_are_counted_once_and_then_sent(server: HttpServer, loop: Loop, log: list[str]) -> None:
    connections = [connected(server, log)[0] for _ in range(3)]
    for connection in connections:
        connection.data_received(get("/again"))
        assert not connection.is_idle
    assert log == []
    loop.next_round()
    assert log == ["counted", "again", "again", "again"]
    assert all(connection.is_idle for connection in connections)
    loop.next_round()
    assert len(log) == 4


def test_no_answer_waits_for_more_than_so_many_others(server: HttpServer, loop: Loop, log: list[str]) -> None:
    for _ in range(_MOST_TOGETHER + 1):
        connected(server, log)[0].data_received(get("/again"))
    assert log == ["counted", *["again"] * _MOST_TOGETHER]
    loop.next_round()
    assert log[_MOST_TOGETHER + 1 :] == ["counted", "again"]


def test_what_comes_behind_a_direct_answer_is_answered_behind_it(server: HttpServer, log: list[str]) -> None:
    connection, _ = connected(server, log)
    connection.data_received(get("/again"))
    connection.data_received(get("/again"))
    connection.data_received(get("/other"))
    assert log[:2] == ["counted", "again"]
    assert log[2:] == ["/other"]
    connection.data_received(get("/again"))
    connection.data_received(b"no\r\n\r\n")
    assert log[3:5] == ["counted", "again"]
    assert "malformed_request" in log[5]


def test_both_of_two_direct_answers_are_sent(server: HttpServer, loop: Loop, log: list[str]) -> None:
    connection, transport = connected(server, log)
    connection.data_received(get("/again"))
    connection.data_received(get("/again"))
    loop.next_round()
    assert b"".join(transport.sent).count(b"HTTP/1.1 200 OK") == 2


def test_a_client_that_has_sent_all_gets_its_answer_and_one_that_is_gone_none(
    server: HttpServer, loop: Loop, log: list[str]
) -> None:
    connection, _ = connected(server, log)
    connection.data_received(get("/again"))
    assert connection.eof_received() is False
    assert log == ["counted", "again"]
    gone, transport = connected(server, log)
    gone.data_received(get("/again"))
    gone.connection_lost(None)
    loop.next_round()
    assert transport.sent == []

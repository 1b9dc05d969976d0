"""The server over real sockets: order, pipelining, threads, deadlines, and its end."""

from __future__ import annotations

import io
import logging
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cambist.http import server as server_module
from cambist.http.connection import READ_AHEAD_BYTES, RECEIVED
from cambist.http.file_body import PIECE_BYTES, FileBody
from cambist.http.listening_socket import bind_socket
from cambist.http.responses import encode_response, new_request_id, with_request_id
from cambist.http.server import HttpServer
from cambist.logs import REQUEST_ID

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
Environ = dict[str, Any]
Connect = Callable[[], socket.socket]
CONTENT = bytes(range(256)) * 40_000
"""Ten megabytes: more than any buffer on the way."""


class Echo:
    """Answers with the path: /slow after waiting in a thread, anything else at once; /again directly."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked: list[bytes] = []
        self.files: list[io.BytesIO] = []

    def direct(self, received: bytes, _environ: Environ | None) -> bytes | None:
        if not received.startswith(b"GET /again "):
            return None
        self.asked.append(received)
        return with_request_id(encode_response("200 OK", [], b"again"), new_request_id())

    def settle(self) -> None: ...

    def body_limit(self, environ: Environ) -> int:
        return 0 if environ["PATH_INFO"] == "/refused" else 1024 * 1024

    def at_once(self, environ: Environ) -> bytes | None:
        path = environ["PATH_INFO"]
        return None if path in ("/slow", "/fails", "/file") else encode_response("200 OK", [], path.encode())

    def __call__(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/fails":
            raise RuntimeError
        if environ["PATH_INFO"] == "/slow":
            self.go_on.wait(20)
        if environ["PATH_INFO"] == "/file":
            self.files.append(io.BytesIO(CONTENT))
            start("200 OK", [("Content-Length", str(len(CONTENT)))])
            return FileBody(self.files[-1])
        start("200 OK", [("Content-Type", "text/plain")])
        return [environ["PATH_INFO"].encode(), b" ", environ["wsgi.input"].read()]


@pytest.fixture
def application() -> Echo:
    return Echo()


@pytest.fixture
def connect(application: Echo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Run the server in a thread, with short deadlines."""
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 1)
    monkeypatch.setattr(server_module, "_SWEEP_SECONDS", 0.1)
    bound = bind_socket("127.0.0.1", 0)
    server = HttpServer(application, bound, 2)
    ready, stop = threading.Event(), threading.Event()

    # A thread gets no signals: the server is ended by `stop`.
    monkeypatch.setattr(HttpServer, "_on_stop", lambda self, call: _poll(self, stop, call))
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(server.run, ready.set)
        assert ready.wait(10)
        yield lambda: socket.create_connection(bound.getsockname()[:2], 10)
        application.go_on.set()
        stop.set()
        assert done.result(15) is True


def _poll(server: Any, stop: threading.Event, call: Callable[[], None]) -> None:
    if stop.is_set():
        call()
    else:
        server.later(0.05, lambda: _poll(server, stop, call))


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: x", *headers, "", ""]).encode()


def read_bodies(client: socket.socket, count: int) -> list[bytes]:
    """Read so many responses, and return their bodies."""
    data, bodies = b"", []
    while len(bodies) < count:
        head, end, rest = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]) if end else 0
        if end and len(rest) >= length:
            bodies.append(rest[:length])
            data = rest[length:]
            continue
        received = client.recv(65_536)
        assert received, (data, bodies)
        data += received
    assert data == b""
    return bodies


def test_pipelined_requests_are_answered_in_their_order_also_when_one_waits(
    connect: Connect, application: Echo
) -> None:
    with connect() as client:
        client.sendall(get("/a") + get("/slow") + get("/b") + get("/c"))
        assert read_bodies(client, 1) == [b"/a"]
        application.go_on.set()
        assert read_bodies(client, 3) == [b"/slow ", b"/b", b"/c"]


def test_a_connection_is_read_on_after_what_came_in_pieces(connect: Connect, application: Echo) -> None:
    head = "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n"
    body = b"x" * (READ_AHEAD_BYTES - len(head.format(16_000)))
    with connect() as client:
        client.sendall(head.format(len(body)).encode() + body + get("/again"))
        time.sleep(0.2)  # it is paused while the first request waits
        application.go_on.set()
        assert read_bodies(client, 2)[0] == b"/slow " + body
        client.sendall(get("/again"))
        assert read_bodies(client, 1) == [b"again"]


def test_others_are_answered_while_one_waits(connect: Connect, application: Echo) -> None:
    with connect() as waiting, connect() as other:
        waiting.sendall(get("/slow"))
        time.sleep(0.1)
        other.sendall(get("/quick"))
        assert read_bodies(other, 1) == [b"/quick"]
        application.go_on.set()
        assert read_bodies(waiting, 1) == [b"/slow "]


def test_a_request_is_answered_directly_but_not_within_another_request(connect: Connect, application: Echo) -> None:
    with connect() as client:
        client.sendall(get("/again"))
        assert read_bodies(client, 1) == [b"again"]
        body = get("/again")
        client.sendall(f"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        time.sleep(0.1)
        client.sendall(body)
        assert read_bodies(client, 1) == [b"/p " + body]
    assert application.asked == [get("/again")]


def test_requests_before_a_malformed_one_are_answered_first_also_when_one_waits(
    connect: Connect, application: Echo
) -> None:
    with connect() as client:
        client.sendall(get("/a") + get("/slow") + get("/b") + b"no\r\n\r\n")
        assert read_bodies(client, 1) == [b"/a"]
        application.go_on.set()
        received = b""
        while data := client.recv(65_536):
            received += data
    starts = [received.find(part) for part in (b"/slow ", b"/b", b"HTTP/1.1 400 ")]
    assert starts == sorted(starts)
    assert -1 not in starts
    assert received.count(b"HTTP/1.1 ") == 3


def test_a_body_reaches_the_application(connect: Connect) -> None:
    with connect() as client:
        client.sendall(b"POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
        assert read_bodies(client, 1) == [b"/p hi"]


@pytest.mark.parametrize("request_", [get("/a", "Connection: close"), b"GET /a HTTP/1.0\r\n\r\n", b"no\r\n\r\n"])
def test_a_connection_ends_after_its_last_answer(connect: Connect, request_: bytes) -> None:
    with connect() as client:
        client.sendall(request_)
        received = b""
        while data := client.recv(65_536):
            received += data
        assert b"\r\nconnection: close\r\n" in received


def test_a_failure_of_the_application_is_a_500(connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    with connect() as client:
        client.sendall(get("/fails"))
        assert client.recv(65_536).startswith(b"HTTP/1.1 500 ")
    assert "A request failed" in caplog.text


def test_an_answer_reaches_a_client_that_sends_no_more(connect: Connect, application: Echo) -> None:
    with connect() as client:
        client.sendall(get("/slow"))
        client.shutdown(socket.SHUT_WR)
        time.sleep(0.1)
        application.go_on.set()
        assert client.recv(65_536).endswith(b"/slow ")


@pytest.mark.long(every=3)
@pytest.mark.parametrize("beginning", [b"", b"GET / HTTP/1.1\r\nHo", get("/a")])
def test_a_silent_connection_is_closed(connect: Connect, beginning: bytes) -> None:
    with connect() as client:
        client.sendall(beginning)
        if beginning == get("/a"):
            read_bodies(client, 1)
        assert client.recv(65_536) == b""


@pytest.mark.long
def test_a_waiting_request_is_not_silent(connect: Connect, application: Echo) -> None:
    with connect() as client:
        client.sendall(get("/slow"))
        time.sleep(1.5)
        application.go_on.set()
        assert read_bodies(client, 1) == [b"/slow "]


def test_what_waits_is_answered_before_the_end() -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:  # a process of its own: the server ends by a signal
        os._exit(_serve_slowly(writing))
    try:
        port = int(os.read(reading, 20))
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            client.sendall(get("/slow"))
            time.sleep(0.2)
            os.kill(pid, signal.SIGTERM)
            assert b"\r\nconnection: close\r\n" in client.recv(65_536)
    finally:
        _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def _serve_slowly(writing: int) -> int:
    application, bound = Echo(), bind_socket("127.0.0.1", 0)
    threading.Timer(1, application.go_on.set).start()
    server = HttpServer(application, bound, 2)
    is_finished = server.run(lambda: bool(os.write(writing, str(bound.getsockname()[1]).encode())))
    return 0 if is_finished else 1


def test_a_file_is_sent_whole_and_then_the_next_answer(connect: Connect, application: Echo) -> None:
    with connect() as client:
        client.sendall(get("/file") + get("/next") + get("/file") + get("/last"))
        assert read_bodies(client, 4) == [CONTENT, b"/next", CONTENT, b"/last"]
    assert [file.closed for file in application.files] == [True, True]


def test_a_file_is_read_only_as_far_as_the_client_reads(connect: Connect, application: Echo) -> None:
    with connect() as client, connect() as other:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE_BYTES)
        client.sendall(get("/file") + get("/next"))
        assert client.recv(1)
        time.sleep(0.3)
        assert 0 < application.files[0].tell() < len(CONTENT)
        other.sendall(get("/quick"))
        assert read_bodies(other, 1) == [b"/quick"]
        received = b""
        while not received.endswith(b"/next"):
            received += client.recv(1_000_000)
        assert CONTENT in received


def test_a_file_is_closed_when_the_client_is_gone(connect: Connect, application: Echo) -> None:
    with connect() as client:
        client.sendall(get("/file"))
        assert client.recv(1)
    until = time.monotonic() + 10
    while not application.files[0].closed and time.monotonic() < until:
        time.sleep(0.02)
    assert application.files[0].closed


def test_a_file_is_the_last_answer_of_a_connection_that_closes(connect: Connect) -> None:
    with connect() as client:
        client.sendall(get("/file", "Connection: close"))
        received = b""
        while piece := client.recv(1_000_000):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"\r\nconnection: close\r\n" in head
    assert body == CONTENT


def id_of(client: socket.socket, request: bytes) -> str:
    """Send a request, and return the identifier in the head of its answer."""
    client.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        received = client.recv(65_536)
        assert received, data
        data += received
    lines = [line for line in data.partition(b"\r\n\r\n")[0].split(b"\r\n") if line.startswith(b"x-request-id: ")]
    assert len(lines) == 1
    return lines[0].removeprefix(b"x-request-id: ").decode()


@pytest.mark.parametrize("path", ["/a", "/fails", "/again", "/file"])
def test_each_answer_has_an_identifier_of_its_own_or_that_of_the_client(connect: Connect, path: str) -> None:
    found = []
    for header in ([], [], ["X-Request-Id: order-7/a"], ["X-Request-Id: with space"], ["X-Request-Id: " + "x" * 129]):
        with connect() as client:
            # What is answered directly has no identifier of its own.
            found.append(id_of(client, get(path, *header) if path != "/again" or not header else get("/b", *header)))
    assert found[2] == "order-7/a"
    assert len(set(found)) == 5
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]+", each) for each in found if each != "order-7/a")


def test_a_malformed_request_has_an_identifier_too(connect: Connect) -> None:
    with connect() as client:
        assert id_of(client, b"nonsense\r\n\r\n")


def test_a_request_with_an_identifier_is_not_kept_to_be_repeated(connect: Connect, application: Echo) -> None:
    kept: list[bool] = []
    at_once = application.at_once

    def note(environ: Environ) -> bytes | None:
        kept.append(RECEIVED in environ)
        return at_once(environ)

    application.at_once = note  # type: ignore[method-assign]
    with connect() as client:
        id_of(client, get("/a"))
        id_of(client, get("/a", "X-Request-Id: 1"))
    assert kept == [True, False]


def test_a_message_of_a_request_names_it(connect: Connect, application: Echo) -> None:
    named: list[str] = []
    at_once = application.at_once

    def note(environ: Environ) -> bytes | None:
        named.append(REQUEST_ID.get())
        return at_once(environ)

    class Named(logging.Handler):
        def emit(self, _record: logging.LogRecord) -> None:
            named.append(REQUEST_ID.get())

    application.at_once = note  # type: ignore[method-assign]
    handler = Named()
    server_module.log.addHandler(handler)
    with connect() as client:
        id_of(client, get("/fails", "X-Request-Id: first"))
    with connect() as client:
        id_of(client, get("/a", "X-Request-Id: second"))
    server_module.log.removeHandler(handler)
    assert named == ["first", "first", "second"]

"""What a peer without a key can send: each has a bound, in bytes over real sockets."""

from __future__ import annotations

import gc
import io
import socket
import threading
import time
import tracemalloc
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cambist.http import body_room
from cambist.http import connection as connection_module
from cambist.http import server as server_module
from cambist.http.body_room import NO_ROOM, BodyRoom
from cambist.http.connection import READ_AHEAD_BYTES, HttpConnection
from cambist.http.listening_socket import bind_socket
from cambist.http.refusals import MOST_AT_ONCE, PERIOD_SECONDS
from cambist.http.request_parser import (
    MAX_BODY_BYTES,
    MAX_FRAMING_BYTES,
    MAX_HEAD_BYTES,
    MalformedRequest,
    RequestParser,
)
from cambist.http.responses import encode_response
from cambist.http.server import HttpServer

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
Connect = Callable[[], socket.socket]
CHUNKED = b"POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


class Counting:
    """Answers with the path, the size of the body and the key; it wants no body at /refused."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def direct(self, _received: bytes, _environ: Any) -> bytes | None:
        return None

    def settle(self) -> None: ...

    def body_limit(self, environ: dict[str, Any]) -> int:
        return {"/refused": 0, "/short": 10}.get(environ["PATH_INFO"], MAX_BODY_BYTES)

    def at_once(self, environ: dict[str, Any]) -> bytes | None:
        is_quick = environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"] != "/slow"
        return encode_response("200 OK", [], b"quick") if is_quick else None

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/slow":
            self.go_on.wait(20)
        start("401 Unauthorized" if environ["PATH_INFO"] == "/refused" else "200 OK", [])
        names = sorted(name for name in environ if name.startswith("HTTP_"))
        return [f"{environ['PATH_INFO']} {len(environ['wsgi.input'].read())} {','.join(names)}".encode()]


@pytest.fixture
def application() -> Counting:
    return Counting()


@pytest.fixture
def connect(application: Counting, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Run the server in a thread, with short deadlines."""
    monkeypatch.setattr(server_module, "IDLE_SECONDS", 1)
    monkeypatch.setattr(server_module, "_SWEEP_SECONDS", 0.1)
    monkeypatch.setattr(connection_module, "_LINGER_SECONDS", 0.2)
    bound = bind_socket("127.0.0.1", 0)
    server = HttpServer(application, bound, 2)
    ready, stop = threading.Event(), threading.Event()
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


def all_of(client: socket.socket) -> bytes:
    """Return what comes until the server ends the connection."""
    received = io.BytesIO()
    while piece := client.recv(65_536):
        received.write(piece)
    return received.getvalue()


def answer_to(connect: Connect, data: bytes) -> bytes:
    """Send bytes, and return the answer and what follows it until the end; the connection need not take them all."""
    with connect() as client:
        sending = threading.Thread(target=_send, args=(client, data))
        sending.start()
        try:
            return all_of(client)
        finally:
            sending.join(10)


def _send(client: socket.socket, data: bytes) -> None:
    try:
        client.sendall(data)
    except OSError:
        """The server has ended the connection."""


# The body.


@pytest.mark.parametrize("header", [b"Content-Length: 1000000000", b"Transfer-Encoding: chunked"])
def test_a_body_that_is_not_wanted_is_not_waited_for(connect: Connect, header: bytes) -> None:
    answer = answer_to(connect, b"POST /refused HTTP/1.1\r\nHost: x\r\n%b\r\n\r\n" % header)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"\r\nconnection: close\r\n" in answer
    assert b"/refused 0 " in answer


def test_what_follows_an_unwanted_body_is_no_request(connect: Connect) -> None:
    body = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    head = b"POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert answer_to(connect, head + body).count(b"HTTP/1.1 ") == 1


def test_nobody_is_told_to_continue_whose_body_is_not_wanted(connect: Connect) -> None:
    head = b"HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    assert answer_to(connect, b"POST /refused " + head).startswith(b"HTTP/1.1 401 ")
    with connect() as client:
        client.sendall(b"POST /p " + head)
        assert client.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"hi")
        assert b"/p 2 " in client.recv(65_536)


def test_continue_does_not_overtake_an_earlier_answer(connect: Connect, application: Counting) -> None:
    with connect() as client:
        client.sendall(
            b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"
            b"POST /p HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        )
        client.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.settimeout(10)
        application.go_on.set()
        received = b""
        while b"100 Continue\r\n\r\n" not in received:
            received += client.recv(65_536)
        assert received.index(b"/slow 0") < received.index(b"HTTP/1.1 100 ")
        client.sendall(b"hi")
        assert b"/p 2 " in all_of(client)


def test_a_declared_length_is_refused_before_the_body(connect: Connect) -> None:
    answer = answer_to(connect, b"POST /short HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_body_in_chunks_is_refused_at_its_limit(connect: Connect) -> None:
    answer = answer_to(connect, CHUNKED.replace(b"/p", b"/short") + b"b\r\nhello world\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_million_chunks_of_one_byte_are_refused(connect: Connect) -> None:
    answer = answer_to(connect, CHUNKED + b"1\r\na\r\n" * 1_000_000 + b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert str(MAX_FRAMING_BYTES).encode() in answer


def test_the_longest_body_in_pieces_is_copied_once() -> None:
    parser, pieces = RequestParser("a"), [b"%x\r\n%b\r\n" % (100, b"a" * 100)] * (MAX_BODY_BYTES // 100)
    parser.read(CHUNKED)
    tracemalloc.start()
    for piece in pieces:
        assert parser.read(piece) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (request,) = parser.read(b"0\r\n\r\n")
    assert len(request.body) == 100 * len(pieces)
    assert peak < 2 * MAX_BODY_BYTES


@pytest.fixture
def small_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave room for three bodies of 100 bytes of one owner."""
    monkeypatch.setattr(body_room, "MOST_BYTES_OF_ONE", 300)


@pytest.mark.usefixtures("small_room")
def test_bodies_that_are_read_or_wait_have_room_for_so_many_bytes(connect: Connect, application: Counting) -> None:
    short = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
    body = b"a" * 100
    with connect() as read, connect() as waiting, connect() as left:
        for client in (read, left):
            client.sendall(short % b"/p" + body[1:])
        waiting.sendall(short % b"/slow" + body)
        assert _until_refused(connect, short % b"/p" + body).startswith(b"HTTP/1.1 429 ")
        application.go_on.set()
        assert b"/slow 100 " in waiting.recv(65_536)
        assert _until_answered(connect, short % b"/p" + body)


@pytest.mark.usefixtures("small_room")
def test_the_room_of_a_body_is_given_back_however_its_request_ends(connect: Connect) -> None:
    head = b"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 250\r\n\r\n"
    chunked = CHUNKED.replace(b"/p", b"/short")  # may have ten bytes, and takes as much
    for data in (head + b"a" * 250, head + b"a" * 249, chunked + b"nonsense", chunked + b"b\r\nhello world\r\n"):
        for _ in range(4):
            with connect() as client:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                _read_to_the_end(client)
        assert _until_answered(connect, head + b"a" * 250)


@pytest.mark.usefixtures("small_room")
def test_a_body_that_is_longer_than_the_room_is_refused_by_its_head(connect: Connect) -> None:
    answer = answer_to(connect, CHUNKED)
    assert answer.startswith(b"HTTP/1.1 429 ")
    assert b"\r\nconnection: close\r\n" in answer


def test_the_room_of_all_bodies_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_room, "MOST_BYTES_IN_ALL", 300)
    monkeypatch.setattr(body_room, "MOST_BYTES_OF_ONE", 200)
    room = BodyRoom()
    environs: list[dict[str, Any]] = [{"CONTENT_LENGTH": "150"} for _ in range(3)]
    assert [room.take(environ, owner, 1000) for owner, environ in enumerate(environs)] == [True, True, False]
    assert environs[2][NO_ROOM].is_own is False
    assert room.take(another := {"CONTENT_LENGTH": "51"}, 0, 1000) is False
    assert another[NO_ROOM].is_own is True
    environs.clear()
    assert room.taken == 0


def _until_refused(connect: Connect, data: bytes) -> bytes:
    """Ask until the answer is another than 200: the server may not have read what others have sent."""
    until = time.monotonic() + 10
    while (answer := _first_of(connect, data)).startswith(b"HTTP/1.1 200 ") and time.monotonic() < until:
        time.sleep(0.02)
    return answer


def _until_answered(connect: Connect, data: bytes) -> bool:
    """Ask until the answer is 200: a thread may not have forgotten its last request."""
    until = time.monotonic() + 10
    while not (answer := _first_of(connect, data)).startswith(b"HTTP/1.1 200 ") and time.monotonic() < until:
        time.sleep(0.02)
    return answer.startswith(b"HTTP/1.1 200 ")


def _first_of(connect: Connect, data: bytes) -> bytes:
    with connect() as client:
        _send(client, data)
        return client.recv(65_536)


# What comes after the head.


def test_a_trailer_is_no_header_of_the_request(connect: Connect) -> None:
    trailers = b"2\r\nhi\r\n0\r\nX-API-Key: k\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n"
    with connect() as client:
        client.sendall(CHUNKED + trailers)
        assert client.recv(65_536).endswith(b"/p 2 HTTP_HOST,HTTP_TRANSFER_ENCODING")


@pytest.mark.parametrize(
    "endless",
    [
        pytest.param(b"0\r\n" + b"A: b\r\n" * MAX_HEAD_BYTES, id="many trailers"),
        pytest.param(b"0\r\nA: " + b"b" * 4_000_000, id="a long trailer"),
        pytest.param(b"1;" + b"b" * 4_000_000, id="a long extension"),
        pytest.param(b"1;a=b\r\na\r\n" * 100_000, id="many extensions"),
    ],
)
def test_what_frames_a_body_is_bounded(connect: Connect, endless: bytes) -> None:
    assert answer_to(connect, CHUNKED + endless)[:13] in (b"HTTP/1.1 413 ", b"HTTP/1.1 431 ")


# Time.


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    "beginning",
    [b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"],
)
def test_a_request_that_trickles_has_one_deadline(connect: Connect, beginning: bytes) -> None:
    with connect() as client:
        client.sendall(beginning)
        ended = threading.Event()

        def trickle() -> None:
            while not ended.wait(0.3):
                _send(client, b"a")

        thread = threading.Thread(target=trickle)
        thread.start()
        begun = time.monotonic()
        try:
            client.recv(1)
        except ConnectionResetError:
            pass
        finally:
            ended.set()
            thread.join(10)
        assert time.monotonic() - begun < 9, "the deadline is one second here, and the client waits for ten"


@pytest.mark.long(every=4)
@pytest.mark.parametrize("jump", [7_200, -7_200, 86_400, -86_400])
def test_a_clock_that_jumps_moves_no_deadline(connect: Connect, monkeypatch: pytest.MonkeyPatch, jump: int) -> None:
    real = time.time
    with connect() as waited_for, connect() as silent:
        for client in (waited_for, silent):
            client.sendall(b"GET / HTTP/1.1\r\n")
        monkeypatch.setattr(time, "time", lambda: real() + jump)
        time.sleep(0.3)  # the server looks for deadlines every tenth of a second here
        waited_for.sendall(b"Host: x\r\n\r\n")
        assert waited_for.recv(65_536).startswith(b"HTTP/1.1 200 ")
        assert silent.recv(1) == b""


# What RFC 9112 refuses.


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x, y\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        (b"GET / HTTP/0.9\r\nHost: x\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nContent-Length: 1\r\n\r\n", 417),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\nab", 400),
        (CHUNKED + b"0x2\r\nab\r\n0\r\n\r\n", 400),
        (CHUNKED + b"-2\r\nab\r\n0\r\n\r\n", 400),
        (CHUNKED + b"fffffffffffffffff\r\nab\r\n0\r\n\r\n", 400),
        (CHUNKED + b"2\nab\r\n0\r\n\r\n", 400),
        (CHUNKED + b"2 \r\nab\r\n0\r\n\r\n", 400),
        (CHUNKED + b"2\r\nabc\r\n0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n A: b\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", 400),
        (b"GET / HTTP/1.1\nHost: x\n\n", 400),
    ],
)
def test_what_the_standard_refuses_is_refused_and_ends_the_connection(
    connect: Connect, data: bytes, status: int
) -> None:
    answer = answer_to(connect, data)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nconnection: close\r\n" in answer
    assert answer.count(b"HTTP/1.1 4") + answer.count(b"HTTP/1.1 5") == 1


def test_http_1_0_may_expect_what_it_likes(connect: Connect) -> None:
    answer = answer_to(connect, b"GET / HTTP/1.0\r\nExpect: foo\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


# Memory.


def test_an_ended_connection_is_freed_without_the_collector(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[weakref.ref[HttpConnection] | weakref.ref[RequestParser]] = []
    made = HttpConnection.connection_made

    def note(self: HttpConnection, transport: Any) -> None:
        made(self, transport)
        kept.extend((weakref.ref(self), weakref.ref(self._parser)))

    monkeypatch.setattr(HttpConnection, "connection_made", note)
    gc.collect()
    gc.disable()
    try:
        for data in (
            b"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n" + b"a" * 499_999,
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET / HT",
            CHUNKED + b"2\r\nhi\r\n0\r\n\r\n",
            b"GET /a b HTTP/1.1\r\n\r\n",
            b"POST /short HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n",
            b"POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n",
        ):
            with connect() as client:
                client.sendall(data)
                client.shutdown(socket.SHUT_WR)
                _read_to_the_end(client)
        until = time.monotonic() + 10
        while any(each() is not None for each in kept) and time.monotonic() < until:
            time.sleep(0.02)
        assert len(kept) == 14
        assert [each() for each in kept if each() is not None] == []
    finally:
        gc.enable()


def test_requests_behind_one_that_waits_are_not_parsed_ahead(
    connect: Connect, application: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []
    read = HttpConnection._read

    def note(self: HttpConnection, data: bytes) -> None:
        read(self, data)
        waiting.append(len(self._requests))

    monkeypatch.setattr(HttpConnection, "_read", note)
    one = b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    count = 200_000 // len(one)
    with connect() as client:
        client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n" + one * count)
        client.shutdown(socket.SHUT_WR)
        time.sleep(0.3)
        application.go_on.set()
        assert all_of(client).count(b"HTTP/1.1 200 ") == 1 + count, "all are answered in the end"
    assert 0 < max(waiting) <= READ_AHEAD_BYTES // len(one)


def _read_to_the_end(client: socket.socket) -> None:
    try:
        all_of(client)
    except ConnectionResetError:
        """The server closed it before it had read everything."""


def test_a_refused_request_keeps_nothing_of_its_connection() -> None:
    parser = RequestParser("a")
    kept = weakref.ref(parser)
    gc.disable()
    try:
        with pytest.raises(MalformedRequest):
            parser.read(b"GET / HTTP/2.0\r\nHost: x\r\n\r\n")
        del parser
        assert kept() is None
    finally:
        gc.enable()


def test_of_many_refusals_to_one_address_only_so_many_are_sent_at_once(connect: Connect, monkeypatch: Any) -> None:
    monkeypatch.setattr(server_module, "_SWEEP_SECONDS", 60)  # no further period
    with ThreadPoolExecutor(8) as threads:
        begun = time.monotonic()
        answers = list(
            threads.map(lambda _: answer_to(connect, b"GET /a b HTTP/1.1\r\n\r\n"), range(2 * MOST_AT_ONCE + 8))
        )
        assert time.monotonic() - begun >= PERIOD_SECONDS
    assert all(answer.startswith(b"HTTP/1.1 400 ") for answer in answers), answers[-1]
    begun = time.monotonic()
    assert answer_to(connect, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - begun < PERIOD_SECONDS

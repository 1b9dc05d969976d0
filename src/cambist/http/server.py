"""The server: it listens, hands requests to the application, closes silent connections, and stops in order."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import ssl
from collections.abc import Callable, Iterable
from time import monotonic, perf_counter_ns
from typing import Protocol

import uvloop

from cambist.http.body_room import NO_ROOM, BodyRoom
from cambist.http.connection import HttpConnection
from cambist.http.connection_limit import IDLE_SECONDS
from cambist.http.departures import LOOK_SECONDS
from cambist.http.file_body import FileBody
from cambist.http.refusals import PERIOD_SECONDS, Refusals
from cambist.http.request_parser import Environ, ReceivedRequest
from cambist.http.responses import REQUEST_ID, encode_response, request_id_of, status_line
from cambist.http.scheduler import Kind, TooManyWaiting, Work
from cambist.http.waiting_answers import AWAITED, AskingConnection, WaitingAnswers
from cambist.http.wsgi import Start, call_wsgi
from cambist.logs import REQUEST_ID as LOGGED_ID

log = logging.getLogger(__name__)
access_log = logging.getLogger("cambist.access")

FINISH_SECONDS = 10
"""How long a worker may take to finish its requests when the service stops."""

_BACKLOG = 1024
_MOST_TOGETHER = 32
"""How many direct answers are sent together: the first of them waits for the others."""

_SWEEP_SECONDS = PERIOD_SECONDS
_SHUTDOWN_SECONDS = 1.0
"""How long a client may take to confirm the end of TLS; by default it would be half a minute."""

_ACCESS_LINE = '%(addr)s "%(method)s %(path)s" %(status)d %(dt_ms).3f ms'
"""A line of the access log; never with the query, which may contain an API key."""


class Application(Protocol):
    """What answers requests: a WSGI application, which is called in threads, with two quicker ways."""

    def direct(self, received: bytes, environ: Environ | None) -> bytes | None:
        """Return the response to a whole request, if it is a hot question; `environ` if its headers are new."""

    def settle(self) -> None:
        """Count the responses of `direct` since the last call, before they are sent."""

    def body_limit(self, environ: Environ) -> int:
        """Return how many bytes the body of a request may have, by its head; 0 if it is answered without its body."""

    def at_once(self, environ: Environ) -> bytes | None:
        """Return the response to a request for which nothing has to be waited for, or None."""

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer any request."""


class Turns(Protocol):
    """What the application says of the requests that have to wait for a thread."""

    def work_of(self, environ: Environ) -> Work:
        """Return the kind of a request's work, and who it is for."""

    def refused(self, environ: Environ, refused: TooManyWaiting) -> bytes:
        """Return the response to a request for which there is no room to wait."""


class _EqualTurns:
    """Treats all requests alike."""

    def work_of(self, _environ: Environ) -> Work:
        """Return the same for every request."""
        return Work(Kind.CALL, None)

    def refused(self, _environ: Environ, refused: TooManyWaiting) -> bytes:
        """Return the response to a request for which there is no room to wait."""
        status = 429 if refused.is_own else 503
        return encode_response(status_line(status), [("Retry-After", "1")], str(refused).encode())


class HttpServer:
    """Serves an application on a bound socket, with `threads` threads for requests that have to wait, and a few more.

    `turns` says what kind of work a request is and whose, so that these have fair shares of the threads. `refusals` is
    what limits how many of them an address gets at once; it may be replaced before the start.
    """

    def __init__(
        self,
        application: Application,
        bound: socket.socket,
        threads: int,
        certificate: ssl.SSLContext | None = None,
        *,
        logs_access: bool = False,
        turns: Turns | None = None,
    ) -> None:
        self.connections: set[HttpConnection] = set()
        self.is_ending = False
        self.is_secure = certificate is not None
        self.now = monotonic()
        self.direct: Callable[[bytes, Environ | None], bytes | None] = _never if logs_access else application.direct
        self.body_limit: Callable[[Environ], int] = self._body_limit
        self._bodies = BodyRoom()
        self.refusals = Refusals()
        self._application = application
        self._bound = bound
        self._name: tuple[str, int] = bound.getsockname()[:2]
        self._certificate = certificate
        self._turns = turns or _EqualTurns()
        in_loop = self._soon, self.later, self._answer_again
        self._waiting = WaitingAnswers(threads, self._answer_waiting, *in_loop, is_secure=self.is_secure)
        self._logs_access = logs_access
        self._answered: list[HttpConnection] = []

    def run(self, ready: Callable[[], None], beat: Callable[[], None] = lambda: None) -> bool:
        """Serve until SIGTERM, calling `ready` when it listens; return whether all requests were finished.

        `beat` is called twice a second by the event loop.
        """
        return uvloop.run(self._serve(ready, beat))

    async def _serve(self, ready: Callable[[], None], beat: Callable[[], None]) -> bool:
        self._loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        self._on_stop(stopped.set)
        server = await self._loop.create_server(
            lambda: HttpConnection(self),
            sock=self._bound,
            ssl=self._certificate,
            backlog=_BACKLOG,
            ssl_handshake_timeout=IDLE_SECONDS if self.is_secure else None,
            ssl_shutdown_timeout=_SHUTDOWN_SECONDS if self.is_secure else None,
        )
        ready()
        beat()
        sweep, watch = asyncio.create_task(self._sweep(beat)), asyncio.create_task(self._watch())
        await stopped.wait()
        server.close()
        is_finished = await self._finish()
        sweep.cancel()
        watch.cancel()
        self._waiting.close()
        return is_finished

    def _on_stop(self, call: Callable[[], None]) -> None:
        self._loop.add_signal_handler(signal.SIGTERM, call)

    async def _sweep(self, beat: Callable[[], None]) -> None:
        """Close connections that send no whole request in time, twice a second."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            beat()
            self.now = monotonic()
            self.refusals.begin_period()
            self._close_silent()

    def _close_silent(self) -> None:
        """Close what is silent for too long. The variable of a loop within `_sweep` would keep the last connection."""
        for connection in list(self.connections):
            if self.now - connection.silent_since > IDLE_SECONDS and connection.is_idle:
                connection.close()

    async def _watch(self) -> None:
        """Look for clients that leave while their requests wait."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._waiting.look()

    async def _finish(self) -> bool:
        """Finish the requests in flight; return whether that took no longer than it may."""
        self.is_ending = True
        deadline = monotonic() + FINISH_SECONDS
        await asyncio.sleep(0.01)  # what has arrived is still read
        while self.connections and monotonic() < deadline:
            for connection in list(self.connections):
                if connection.is_idle:
                    connection.close()
            await asyncio.sleep(0.02)
        return not self.connections

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function later."""
        self._loop.call_later(seconds, call)

    def answer(self, request: ReceivedRequest) -> bytes | None:
        """Return the response to a request, unless it has to be waited for."""
        begun = perf_counter_ns()
        environ = request.environ
        environ[REQUEST_ID] = request_id = request_id_of(environ)
        logged_as = LOGGED_ID.set(request_id)
        answer = self._application.at_once(environ)
        if answer is not None and self._logs_access:
            self._log_access(request, answer, begun)
        LOGGED_ID.reset(logged_as)
        return answer

    def _body_limit(self, environ: Environ) -> int:
        """Return how many bytes the body of a request may have; 0 if it is answered without its body."""
        limit = self._application.body_limit(environ)
        has_room = limit and self._bodies.take(environ, self._turns.work_of(environ).owner, limit)
        return limit if has_room else 0

    def answer_in_thread(self, request: ReceivedRequest, connection: AskingConnection) -> None:
        """Answer a request in a thread; the connection sends the answer."""
        if NO_ROOM in request.environ:
            self._refuse(request, connection, request.environ.pop(NO_ROOM))
            return
        try:
            self._waiting.add(request, connection, self._turns.work_of)
        except TooManyWaiting as refused:
            self._refuse(request, connection, refused)

    def _answer_again(self, request: ReceivedRequest, connection: AskingConnection) -> None:
        """Answer a request for which nothing more has to be awaited, or else in a thread."""
        if (answer := self.answer(request)) is not None:
            connection.finish(answer, request)
        else:
            request.environ.pop(AWAITED, None)
            self.answer_in_thread(request, connection)

    def _refuse(self, request: ReceivedRequest, connection: AskingConnection, refused: TooManyWaiting) -> None:
        request.environ.setdefault(REQUEST_ID, request_id_of(request.environ))
        answer = self._turns.refused(request.environ, refused)
        # Not within this call: the connection is about to wait for the answer.
        self._loop.call_soon(connection.finish, answer, request)

    def refusal_delay(self, answer: bytes, request: ReceivedRequest | None, peer: str) -> float:
        """Return after how many seconds an answer is to be sent, if it is one of too many refusals."""
        if answer[9:10] != b"4":
            return 0.0
        return self.refusals.delay(peer if request is None else self._turns.work_of(request.environ).owner)

    def send_soon(self, connection: HttpConnection) -> None:
        """Send a direct answer with those of the other connections that have received something by now.

        A client that is awake already costs less to write to, and calls of one key are counted together.
        """
        if not self._answered:
            self._loop.call_soon(self.send_answered)
        self._answered.append(connection)
        if len(self._answered) >= _MOST_TOGETHER:
            self.send_answered()

    def send_answered(self) -> None:
        """Have all direct answers counted and sent."""
        if self._answered:
            answered, self._answered = self._answered, []
            self._application.settle()
            for connection in answered:
                connection.send_due()

    def departed(self, connection: HttpConnection) -> None:
        """Forget the request of a connection that is lost."""
        self._waiting.abandon(connection)

    def _soon(self, call: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(call)

    def _answer_waiting(self, request: ReceivedRequest) -> tuple[bytes, FileBody | None]:
        """Return the response to a request, and the file with its body if it has one."""
        begun = perf_counter_ns()
        request_id = request.environ.get(REQUEST_ID) or request_id_of(request.environ)
        request.environ[REQUEST_ID] = request_id
        logged_as = LOGGED_ID.set(request_id)
        scheme = "https" if self.is_secure else "http"
        body: FileBody | None = None
        try:
            answer, body = call_wsgi(self._application, request, self._name, scheme)
        except Exception:
            log.exception("A request failed")
            request.keep_alive = False
            answer = encode_response("500 Internal Server Error", [], b"")
        if self._logs_access:
            self._log_access(request, answer, begun)
        LOGGED_ID.reset(logged_as)
        return answer, body

    def _log_access(self, request: ReceivedRequest, answer: bytes, begun: int) -> None:
        environ = request.environ
        fields = {
            "addr": environ["REMOTE_ADDR"],
            "method": environ["REQUEST_METHOD"],
            "path": environ["PATH_INFO"],
            "status": int(answer[9:12]),
            "dt_ms": (perf_counter_ns() - begun) / 1e6,
        }
        access_log.info(_ACCESS_LINE, fields)


def _never(_received: bytes, _environ: Environ | None) -> None:
    return None

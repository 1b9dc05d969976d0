"""Answers that are computed in threads: in fair turns, for clients that are there, and charged when they are sent."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from cambist.http.delivery import DELIVERY, AnswerDelivery, is_charged
from cambist.http.departures import LOOK_SECONDS, Presence, presences
from cambist.http.file_body import FileBody
from cambist.http.request_parser import Environ, ReceivedRequest
from cambist.http.scheduler import FairScheduler, Job, Kind, TooManyWaiting, Work

log = logging.getLogger(__name__)

AWAITED = "cambist.awaited"
"""The key in the environ of a function that returns whether a request may be answered at once, if it soon may be."""

_LOOK_SECONDS, _LOOK_SECONDS_EACH = 0.005, 0.00002
"""How long it takes until all such functions are asked again, and how much longer for each of them."""


class AskingConnection(Protocol):
    """A connection whose request waits, as it is seen here."""

    @property
    def descriptor(self) -> int:
        """The descriptor of its socket; below 0 if it is closed."""

    def send_continue(self) -> bool:
        """Send `100 Continue`, if the client can have it; return whether it was sent."""

    def finish(self, answer: bytes, request: ReceivedRequest, body: FileBody | None = None) -> None:
        """Send an answer, and go on."""

    def abandon(self) -> None:
        """Close the connection at once."""


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request in a thread or on its way there; `looks` counts for how many looks its client has sent no more.

    One that awaits something without a thread has no job.
    """

    request: ReceivedRequest
    connection: AskingConnection
    job: Job | None = None
    delivery: AnswerDelivery = field(default_factory=AnswerDelivery)
    looks: int = 0


class WaitingAnswers:
    """The requests of a server that wait for a thread or are in one. All methods but `_run` are of the loop's thread.

    `answer` computes an answer in a thread, `soon` calls a function in the loop from a thread, `later` after
    some seconds. What awaits something without a thread is asked `again` in the loop.
    """

    def __init__(
        self,
        threads: int,
        answer: Callable[[ReceivedRequest], tuple[bytes, FileBody | None]],
        soon: Callable[[Callable[[], None]], None],
        later: Callable[[float, Callable[[], None]], None],
        again: Callable[[ReceivedRequest, AskingConnection], None],
        *,
        is_secure: bool,
    ) -> None:
        self._scheduler = FairScheduler(threads)
        self._answer = answer
        self._soon = soon
        self._later = later
        self._again = again
        self._is_secure = is_secure
        self._waiting: dict[AskingConnection, _Waiting] = {}
        self._awaiting: list[tuple[_Waiting, Callable[[], bool]]] = []
        self._is_to_ask = False

    def add(self, request: ReceivedRequest, connection: AskingConnection, work_of: Callable[[Environ], Work]) -> None:
        """Have a request answered when it is its turn. Errors: TooManyWaiting."""
        is_over: Callable[[], bool] | None = request.environ.pop(AWAITED, None)
        if is_over is not None:
            waiting = self._waiting[connection] = _Waiting(request, connection)
            self._awaiting.append((waiting, is_over))
            self._ask_again_later()
            return
        # The job does not refer to what waits, which refers to it: without a cycle both are freed at once.
        job = Job(work_of(request.environ), partial(self._run, connection))
        waiting = self._waiting[connection] = _Waiting(request, connection, job)
        request.environ[DELIVERY] = waiting.delivery
        try:
            self._scheduler.submit(job)
        except TooManyWaiting:
            del self._waiting[connection], request.environ[DELIVERY]
            raise

    def _ask_again(self) -> None:
        """Ask the requests again that await something, if that may be there."""
        self._is_to_ask = False
        awaiting, self._awaiting = self._awaiting, []
        for waiting, is_over in awaiting:
            if self._waiting.get(waiting.connection) is not waiting:
                continue  # its client is gone
            if is_over():
                del self._waiting[waiting.connection]
                # Each in a turn of the loop of its own: one that fails keeps no other from its answer.
                self._later(0.0, partial(self._again, waiting.request, waiting.connection))
            else:
                self._awaiting.append((waiting, is_over))
        self._ask_again_later()

    def _ask_again_later(self) -> None:
        if self._awaiting and not self._is_to_ask:
            self._is_to_ask = True
            self._later(_LOOK_SECONDS + len(self._awaiting) * _LOOK_SECONDS_EACH, self._ask_again)

    def look(self) -> None:
        """Look which clients are gone, and forget their requests."""
        if not self._waiting:
            return
        found = presences([connection.descriptor for connection in self._waiting])
        for waiting in list(self._waiting.values()):
            presence = found.get(waiting.connection.descriptor, Presence.GONE)
            if presence is Presence.GONE or (presence is Presence.ENDED and self._is_secure):
                self.abandon(waiting.connection)
            elif presence is Presence.ENDED:
                waiting.looks += 1
                if waiting.looks == 2:  # not at the first look: most answers are there before the second
                    waiting.connection.send_continue()

    def abandon(self, connection: AskingConnection) -> None:
        """Forget the request of a client that is gone: what waits is not computed, and what is computed ends soon."""
        waiting = self._waiting.pop(connection, None)
        if waiting is not None:
            waiting.delivery.is_gone = True
            if waiting.job is not None and self._scheduler.cancel(waiting.job):
                waiting.delivery.settle(is_sent=False)
            connection.abandon()

    def close(self) -> None:
        """End the threads."""
        self._scheduler.close()

    def _run(self, connection: AskingConnection) -> None:
        """Answer in a thread."""
        waiting = self._waiting.get(connection)
        if waiting is None:  # its client is gone
            return
        descriptor = connection.descriptor
        if waiting.delivery.is_gone or presences([descriptor])[descriptor] is Presence.GONE:
            self._soon(lambda: self._drop(waiting, None))
            return
        answer, body = self._answer(waiting.request)
        self._soon(lambda: self._deliver(waiting, answer, body))

    def _deliver(self, waiting: _Waiting, answer: bytes, body: FileBody | None) -> None:
        """Send an answer, if its client is there; what it costs is charged before it is sent."""
        connection = waiting.connection
        presence = presences([connection.descriptor])[connection.descriptor]
        if self._waiting.get(connection) is not waiting or presence is Presence.GONE:
            self._drop(waiting, body)
            return
        is_long = waiting.job is not None and waiting.job.work.kind is Kind.LONG
        if presence is Presence.ENDED and is_long and waiting.looks < 2:
            # What took long is only charged to a client that is known to be there.
            waiting.looks = 2
            if connection.send_continue():
                self._later(LOOK_SECONDS, lambda: self._deliver(waiting, answer, body))
                return
        del self._waiting[connection]
        waiting.delivery.settle(is_sent=is_charged(answer[9:12].decode()))
        connection.finish(answer, waiting.request, body)

    def _drop(self, waiting: _Waiting, body: FileBody | None) -> None:
        """Forget an answer that nobody waits for; nothing is charged."""
        waiting.delivery.settle(is_sent=False)
        if body is not None:
            body.close()
        self.abandon(waiting.connection)

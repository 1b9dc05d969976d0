"""The server, as its connections see it. A connection is `Any` here, because its module imports this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from cambist.http.request_parser import Environ, ReceivedRequest


class ConnectionOwner(Protocol):
    """The server, as a connection sees it; `now` is the time of the last look at all connections."""

    connections: set[Any]
    now: float
    is_ending: bool
    is_secure: bool
    direct: Callable[[bytes, Environ | None], bytes | None]
    body_limit: Callable[[Environ], int]

    def answer(self, request: ReceivedRequest) -> bytes | None:
        """Return the response to a request, unless it has to be waited for."""

    def answer_in_thread(self, request: ReceivedRequest, connection: Any) -> None:
        """Answer a request in a thread, which passes the response to the connection."""

    def refusal_delay(self, answer: bytes, request: ReceivedRequest | None, peer: str) -> float:
        """Return after how many seconds an answer is to be sent, if it is one of too many refusals.

        The request is None if it could not be read; then the address of its connection counts.
        """

    def send_soon(self, connection: Any) -> None:
        """Have a connection send its direct answer with those of the others that have received something by now."""

    def send_answered(self) -> None:
        """Have all direct answers counted and sent."""

    def departed(self, connection: Any) -> None:
        """Forget the request of a connection that is lost."""

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Call a function later."""

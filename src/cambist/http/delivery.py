"""The delivery of an answer: what is to be done when it is sent, or when it is known that it will not be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from cambist.http.request_parser import Environ

T = TypeVar("T")

DELIVERY = "cambist.delivery"
"""The key in the environ of the delivery of the answer; without one, what is to be done is done at once."""


class ClientGone(Exception):
    """The client has closed its connection: nobody waits for the answer any more."""


class AnswerDelivery:
    """The delivery of one answer. `is_gone` is set when the client is gone; `settle` is called once, by the sender."""

    __slots__ = ("_endings", "is_gone")

    def __init__(self) -> None:
        self.is_gone = False
        self._endings: list[Callable[[bool], None]] = []

    def then(self, ending: Callable[[bool], None]) -> None:
        """Call a function in the end, with whether the answer is sent."""
        self._endings.append(ending)

    def settle(self, *, is_sent: bool) -> None:
        """Say whether the answer is sent."""
        endings, self._endings = self._endings, []
        for ending in endings:
            ending(is_sent)


def is_charged(status: str) -> bool:
    """Return whether an answer with a status line is what was asked for; an error is not, and costs nothing."""
    return int(status[:3]) < 400


def on_delivery(environ: Environ, ending: Callable[[bool], None]) -> None:
    """Call a function when the answer to a request is sent, or is known not to be, with which of both."""
    delivery: AnswerDelivery | None = environ.get(DELIVERY)
    if delivery is None:
        ending(True)
    else:
        delivery.then(ending)


def check_awaited(environ: Environ) -> None:
    """Check that the client still waits for its answer. Errors: ClientGone."""
    delivery: AnswerDelivery | None = environ.get(DELIVERY)
    if delivery is not None and delivery.is_gone:
        raise ClientGone


def while_awaited(items: Iterable[T], environ: Environ) -> Iterator[T]:
    """Yield items for as long as the client waits for them. Errors: ClientGone."""
    for item in items:
        check_awaited(environ)
        yield item

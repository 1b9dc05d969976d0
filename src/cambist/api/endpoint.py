"""An endpoint is a declaration: the router, the reader of parameters, the meter and the docs all read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from msgspec import Struct

from cambist.api.request_context import RequestContext

P = TypeVar("P", bound=Struct)
B = TypeVar("B", bound=Struct)


def one_call(_view: RequestContext, _params: object) -> int:
    """One call."""
    return 1


def no_history(_view: RequestContext, _params: object) -> None:
    """Live answers reach back to no day."""


def unknown_before(_view: RequestContext, _params: object) -> None:
    """What most answers are made of is known when they are made."""


def never_closed(_view: RequestContext, _params: object) -> bool:
    """Live answers may change at any moment."""
    return False


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[P, B]):
    """One path of the interface.

    `answer` decides on what it is given and touches nothing else. `cost` says how many calls an answer is.
    `closed` says whether an answer is about days that only a correction can still change: clients may keep it, and so
    does the service until there is another image, if the answer is read `of_matrix`. `oldest` gives the first day that
    an answer is about: a plan may reach back less far. `made_of` gives all data that a closed answer is read from: its
    ETag is made of them, so that a client that has it is told so without making the answer; where it gives None the
    ETag is made of the answer. A list (`is_list`) is what may be asked for now: clients may keep it for a minute.
    A `personal` answer is about who asks: its view has their usage.
    """

    path: str
    tag: str
    summary: str
    params: type[P]
    body: type[B]
    answer: Callable[[RequestContext, P], B]
    cost: Callable[[RequestContext, P], int] = one_call
    closed: Callable[[RequestContext, P], bool] = never_closed
    oldest: Callable[[RequestContext, P], date | None] = no_history
    of_matrix: bool = True
    made_of: Callable[[RequestContext, P], Iterable[bytes] | None] = unknown_before
    is_list: bool = False
    personal: bool = False

"""The declaration of an endpoint whose question is the JSON body of a POST: lists of things with their properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from msgspec import Struct

from cambist.api.answer.answer_table import AnswerTable
from cambist.api.answer.request_context import RequestContext

Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)


@dataclass(frozen=True, slots=True)
class PostedEndpoint(Generic[Q, B]):
    """One path of the API that takes a POST.

    `question` is what the body is read as, and `example` such a body. `answer` is pure unless it `changes` something:
    it reads the request context and the question. `cost` gets both and returns the calls of an answer, and
    `earliest_day` the first day that it is about, None for live prices. A spent quota is refused before a change.

    `lines` is the field of the question that may be sent as a file, CSV or XLSX, and `table` what of an answer is in
    one.
    """

    path: str
    tag: str
    summary: str
    question: type[Q]
    body: type[B]
    answer: Callable[[RequestContext, Q], B]
    cost: Callable[[RequestContext, Q], int]
    example: bytes
    earliest_day: Callable[[RequestContext, Q], date | None] | None = None
    changes: bool = False
    lines: str = ""
    table: Callable[[B], AnswerTable] | None = None

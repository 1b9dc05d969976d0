"""The declaration of an endpoint, from which the router, the parameter reader, the meter and the docs are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from msgspec import Struct

from cambist.api.answer.answer_table import AnswerTable
from cambist.api.answer.request_context import RequestContext
from cambist.history.known_state import Scope

P = TypeVar("P", bound=Struct)
B = TypeVar("B", bound=Struct)


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[P, B]):
    """One path of the API.

    `answer` is pure: it reads the request context and the parameters, and nothing else. The other functions get the
    same two; each may be left out:

    - `cost`: how many calls an answer costs; without it one.
    - `is_immutable`: whether an answer is about immutable days alone. Then clients may cache it, and so does the
      service until the rate matrix or completed bars change. Without it never.
    - `earliest_day`: the first day that an answer is about, which the plan must include; None for live prices.
    - `etag_data`: all data that an immutable answer is made from. The ETag is a hash of them, so that a client that has
      the answer gets a 304 before the answer is computed. Without it, or for None, the ETag is a hash of the answer.
    - `is_long`: whether an answer takes too long for the event loop, whatever it costs. Without it only one that costs
      much does.
    - `scope`: the days and pairs that an answer is about, for an endpoint with the parameters `as_of` and `assume`.
    - `table`: an answer as a table, for CSV, NDJSON, XLSX, Arrow and Parquet. Without it there is only JSON.

    Clients may cache a list (`is_list`) for a minute. The context of a `personal` endpoint has the account's usage.
    """

    path: str
    tag: str
    summary: str
    params: type[P]
    body: type[B]
    answer: Callable[[RequestContext, P], B]
    cost: Callable[[RequestContext, P], int] | None = None
    is_immutable: Callable[[RequestContext, P], bool] | None = None
    earliest_day: Callable[[RequestContext, P], date | None] | None = None
    etag_data: Callable[[RequestContext, P], Iterable[bytes] | None] | None = None
    table: Callable[[RequestContext, P], AnswerTable] | None = None
    scope: Callable[[RequestContext, P], Scope] | None = None
    is_long: Callable[[RequestContext, P], bool] | None = None
    is_list: bool = False
    personal: bool = False

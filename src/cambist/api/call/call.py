"""A call: one request from its credentials to its settlement. What the stages learn of it is kept here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from time import perf_counter_ns

from cambist.accounts.principal import Principal
from cambist.accounts.would_block import WouldBlock
from cambist.clock import WallClock
from cambist.http.request_parser import Environ

CALL = "cambist.call"
"""The key in the environ of the call that a request is."""

QUERY_NAME = "api_key"
"""The query parameter that may bring an API key to every face."""


@dataclass(slots=True, eq=False)
class Call:
    """One request. `now` is its time in seconds since 1970, `started` the `perf_counter_ns` at which it arrived.

    `is_at_once` says that it is answered in the event loop, where nothing may take long; `is_long` that it was left to
    a thread for that. `today`, `principal` and `query` (without keys) are there when it was admitted; `principal` stays
    None on a public route. `is_cached` says whether its answer came from the cache.
    """

    environ: Environ
    now: float
    started: int
    is_at_once: bool = False
    is_admitted: bool = False
    is_cached: bool = False
    is_long: bool = False
    today: date = date.min
    principal: Principal | None = None
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def payer(self) -> Principal:
        """The principal of a call that was admitted with one."""
        if self.principal is None:
            raise TypeError("The call was not admitted")
        return self.principal

    @property
    def if_none_match(self) -> str:
        """The ETags that the client has."""
        return str(self.environ.get("HTTP_IF_NONE_MATCH", "")).strip()

    @property
    def first_day(self) -> date:
        """The first day of history that the plan includes; a public route has all."""
        return date.min if self.principal is None else self.principal.plan.first_day(self.today)

    def leave_if_at_once(self) -> None:
        """Leave what takes long to a thread, if this is the event loop. Errors: WouldBlock."""
        self.is_long = True
        if self.is_at_once:
            raise WouldBlock


def call_of(environ: Environ) -> Call | None:
    """Return the call of a request, if it has begun."""
    found: Call | None = environ.get(CALL)
    return found


def call_in_thread(environ: Environ, clock: WallClock) -> Call:
    """Return the call of a request that is answered in a thread: the one that the event loop left, or a new one."""
    call: Call | None = environ.get(CALL)
    if call is None:
        call = environ[CALL] = Call(environ, clock(), perf_counter_ns())
    elif call.is_at_once:
        call.is_at_once, call.now = False, clock()
    return call

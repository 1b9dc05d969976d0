"""Counting requests for the operator's metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter_ns
from typing import Any, Protocol

from cambist.api.call.call import call_of
from cambist.http.request_parser import Environ
from cambist.http.wsgi import Start, Wsgi


class Counts(Protocol):
    """Where requests are counted, each thread for itself."""

    def begin(self, at: int) -> None:
        """Note that this thread begins a request, at a moment of the machine's monotonic clock in nanoseconds."""

    def end(self, path: str, status: int, nanoseconds: int, *, cached: bool) -> None:
        """Count the request that this thread has answered."""

    def end_many(self, path: str, nanoseconds: Sequence[int]) -> None:
        """Count requests that this thread has answered with status 200, and not from a cache, by their durations."""


def counted(application: Wsgi, counts: Counts) -> Wsgi:
    """Wrap an application so that its requests are counted."""

    def answer(environ: Environ, start: Start) -> Iterable[bytes]:
        begun = perf_counter_ns()
        counts.begin(begun)
        status = 500

        def started(line: str, *more: Any) -> Callable[[bytes], Any]:
            nonlocal status
            status = int(line[:3])
            given: Callable[[bytes], Any] = start(line, *more)
            return given

        try:
            return application(environ, started)
        finally:
            call = call_of(environ)
            is_cached = call is not None and call.is_cached
            counts.end(environ["PATH_INFO"], status, perf_counter_ns() - begun, cached=is_cached)

    return answer

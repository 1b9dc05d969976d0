"""Answers that take too long for the event loop, where all others would wait for them."""

from __future__ import annotations

from cambist.accounts.must_wait import MustWait
from cambist.http.request_parser import Environ

IS_LONG = "cambist.long"
"""The key in the environ of a request that the event loop has looked at: whether its answer takes too long there."""

MOST_AT_ONCE = 1000
"""What an answer may cost that is computed in the event loop: a matrix of some 30 currencies takes milliseconds."""


def leave_to_thread(environ: Environ) -> None:
    """Leave a long answer to a thread, if this is the event loop. Errors: MustWait."""
    if environ.get(IS_LONG) is False:
        environ[IS_LONG] = True
        raise MustWait

"""Whether a failed request is sent again, and after what pause."""

from __future__ import annotations

import random
from dataclasses import dataclass

from cambist.client.errors import CambistError, ConnectionFailed, RateLimited, Unavailable


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a request is sent at most, and the pauses between, in seconds.

    A request is sent again after a failed connection and after status 429 or 503, unless the quota is spent or the key
    is wrong. The pause doubles from `min_pause` and is random, so that not all clients return at the same moment. It is
    at least as long as the service says; if that is longer than `max_pause`, the request is not sent again.

    A rate limit is waited for as often as the service says when to return, up to `max_wait` seconds in all: so hundreds
    of calls at once take their time, and do not fail. With one attempt nothing is waited for.
    """

    attempts: int = 3
    min_pause: float = 0.25
    max_pause: float = 10.0
    max_wait: float = 600.0


class Attempts:
    """The attempts of one request.

    One that is not repeatable is sent again only if it was certainly not answered: by a rate limit.
    """

    def __init__(self, retries: Retries, *, is_repeatable: bool = True) -> None:
        self._retries = retries
        self._is_repeatable = is_repeatable
        self._count = 1
        self._waited = 0.0

    def pause_after(self, error: CambistError) -> float | None:
        """Return the pause after an attempt that failed; None if the error is final."""
        retries = self._retries
        if not isinstance(error, ConnectionFailed | RateLimited | Unavailable):
            return None
        if not (self._is_repeatable or isinstance(error, RateLimited)):
            return None
        backoff = min(retries.min_pause * 2 ** (self._count - 1), retries.max_pause)
        pause = random.uniform(backoff / 2, backoff)  # noqa: S311  nothing secret
        requested = None if isinstance(error, ConnectionFailed) else error.retry_after
        if requested is not None and requested > retries.max_pause:
            return None
        pause += requested or 0.0
        if requested is not None and isinstance(error, RateLimited) and retries.attempts > 1:
            self._waited += pause
            return pause if self._waited <= retries.max_wait else None
        self._count += 1
        return pause if self._count <= retries.attempts else None


NO_RETRIES = Retries(attempts=1)
"""A request is sent once."""

AT_ONCE = 16
"""How many requests a client has under way; more would fill the places in which the service lets an account wait."""

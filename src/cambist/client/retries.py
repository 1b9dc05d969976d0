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
    """

    attempts: int = 3
    min_pause: float = 0.25
    max_pause: float = 10.0

    def pause_after(self, attempt: int, error: CambistError, *, is_repeatable: bool = True) -> float | None:
        """Return the pause after this attempt, counted from 1; None if the error is final.

        A request that is not repeatable is sent again only if it was certainly not answered: by a rate limit.
        """
        if attempt >= self.attempts or not isinstance(error, ConnectionFailed | RateLimited | Unavailable):
            return None
        if not (is_repeatable or isinstance(error, RateLimited)):
            return None
        backoff = min(self.min_pause * 2 ** (attempt - 1), self.max_pause)
        pause = random.uniform(backoff / 2, backoff)  # noqa: S311  nothing secret
        requested = None if isinstance(error, ConnectionFailed) else error.retry_after
        if requested is None:
            return pause
        return requested + pause if requested <= self.max_pause else None


NO_RETRIES = Retries(attempts=1)
"""A request is sent once."""

"""How many refusals clients get at once: a flood of them from one address must not take the time of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from cambist.accounts.addresses import Networks, is_in, neighbourhood

PERIOD_SECONDS = 0.5
MOST_AT_ONCE = 50
"""How many refusals one address gets at once in each period; further ones are sent with the next period."""


class Refusals:
    """Counts the refusals of each address in the present period; those of `proxies` carry many clients."""

    def __init__(self, proxies: Networks = ()) -> None:
        self._proxies = proxies
        self._counts: Counter[str] = Counter()

    def delay(self, client: Hashable) -> float:
        """Count a refusal, and return after how many seconds it is to be sent; that of an account at once."""
        if not isinstance(client, str) or is_in(client, self._proxies):
            return 0.0
        address = neighbourhood(client)
        self._counts[address] += 1
        return PERIOD_SECONDS if self._counts[address] > MOST_AT_ONCE else 0.0

    def begin_period(self) -> None:
        """Count from zero again."""
        self._counts.clear()

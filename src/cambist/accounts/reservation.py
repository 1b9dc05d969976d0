"""A reservation: the calls that one answer will cost. They are counted when it is sent, and given back if it is not."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from cambist.accounts.principal import Principal


class _Meter(Protocol):
    """The meter, as a reservation sees it."""

    def hold(self, principal: Principal, calls: int, now: float, what: str) -> None:
        """Reserve calls. Errors: QuotaSpent, QuotaUnknown."""

    def give_back(self, principal: Principal, calls: int) -> None:
        """Give up calls that were reserved."""

    def spend(self, principal: Principal, endpoint: str, cost: int, now: float) -> None:
        """Count calls."""


class Reservation:
    """Calls that are reserved for a principal at a time, in seconds since 1970; `cost` is how many.

    As a context manager it gives its calls back at the end, unless they were committed or handed over.
    """

    def __init__(self, meter: _Meter, principal: Principal, now: float) -> None:
        self.cost = 0
        self._meter = meter
        self._principal = principal
        self._now = now
        self._is_handed_over = False

    def add(self, calls: int, what: str = "the request") -> None:
        """Reserve more calls, for `what`. Errors: QuotaSpent; QuotaUnknown on one of several nodes."""
        self._meter.hold(self._principal, calls, self._now, what)
        self.cost += calls

    def remove(self, calls: int) -> None:
        """Give back some of the calls."""
        self._meter.give_back(self._principal, calls)
        self.cost -= calls

    def change(self, cost: int) -> None:
        """Reserve so many calls in place of those before. Errors: as for `add`."""
        if cost != self.cost:
            self.release()
            self.add(cost)

    def commit(self, endpoint: str) -> None:
        """Count the calls."""
        cost, self.cost = self.cost, 0
        # Counted first: at no time may it look as if the calls were neither reserved nor spent.
        self._meter.spend(self._principal, endpoint, cost, self._now)
        self._meter.give_back(self._principal, cost)

    def release(self) -> None:
        """Give all calls back."""
        cost, self.cost = self.cost, 0
        self._meter.give_back(self._principal, cost)

    def hand_over(self, endpoint: str) -> Callable[[bool], None]:
        """Return the function that ends the reservation: it is told whether the answer is sent."""
        self._is_handed_over = True
        return lambda is_sent: self.commit(endpoint) if is_sent else self.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if not self._is_handed_over:
            self.release()

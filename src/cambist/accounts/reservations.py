"""Reservations: calls that answers in the making will cost, which nobody else may spend meanwhile. Pure."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Protocol

PAUSE_SECONDS = 0.001
"""How long a refusal is put off for others that have just spent what they had reserved, or need it no more."""


class Reservations(Protocol):
    """The calls that are reserved by account, over all processes of a machine.

    `has_any` says at no cost whether anything is reserved. Of two that add at once, at least one finds the calls of the
    other in `total`. What is counted is to be read after `total`.
    """

    has_any: Callable[[], bool]

    def add(self, account: int, calls: int) -> None:
        """Reserve calls for this process, whether the account has them or not. Errors: StoreBroken, StoreBusy."""

    def remove(self, account: int, calls: int) -> None:
        """Give up calls that this process has reserved."""

    def total(self, account: int) -> int:
        """Return the reserved calls of an account, those of this process included."""

    def deciding(self) -> AbstractContextManager[object]:
        """Keep others, in any process, from deciding on a reservation at the same time; it may wait a moment."""

    def clear_abandoned(self) -> None:
        """Clear the reservations of processes that are gone."""


class OwnReservations:
    """The reservations of a process that shares them with no other."""

    def __init__(self) -> None:
        self._calls: dict[int, int] = {}
        self._changing = threading.Lock()
        self._deciding = threading.Lock()
        self.has_any: Callable[[], bool] = partial(bool, self._calls)

    def add(self, account: int, calls: int) -> None:
        """Reserve calls."""
        with self._changing:
            self._calls[account] = self._calls.get(account, 0) + calls

    def remove(self, account: int, calls: int) -> None:
        """Give up calls."""
        with self._changing:
            left = self._calls.pop(account, 0) - calls
            if left > 0:
                self._calls[account] = left

    def total(self, account: int) -> int:
        """Return the reserved calls of an account."""
        return self._calls.get(account, 0)

    def deciding(self) -> AbstractContextManager[object]:
        """Keep other threads from deciding at the same time."""
        return self._deciding

    def clear_abandoned(self) -> None:
        """Do nothing: these reservations end with their process."""

"""Quota leases: how many calls of a quota each of several nodes may answer without asking again. Pure.

A node answers only calls that its lease covers, so the calls of all nodes together never exceed the quota. Leases
become smaller as the quota is used up, so that little of it is left with nodes that do not need it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

LONGEST_PERIOD = timedelta(days=31)
"""A lease of a period that began longer ago is of no use."""

_LEASES_A_NODE = 4
"""Into how many leases for each node the free calls are divided."""


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """What a node wants for an account: at least `wanted` calls more in the period, of which `quota` are the calls."""

    account: int
    period_start: date
    quota: int
    wanted: int


@dataclass(frozen=True, slots=True)
class QuotaLease:
    """The calls of a period that a node may answer in all, and those that no node had then."""

    account: int
    period_start: date
    granted: int
    free: int


class QuotaLeases(Protocol):
    """The leases of all nodes, in the database that they share. All methods raise StoreBroken."""

    def grant(self, node: str, requests: Collection[LeaseRequest], nodes: int) -> Sequence[QuotaLease]:
        """Grant a node more calls, as far as they are free; `nodes` is how many nodes there are.

        There is at most one request for each account. Return one lease for each request, by account.
        """

    def held(self, node: str, since: date) -> Sequence[QuotaLease]:
        """Return the leases of a node for periods that began on a day or later, with 0 free calls."""

    def forget(self, node: str) -> int:
        """Free the calls that a lost node has not used, and return how many; it must not answer any more."""

    def remove_before(self, day: date) -> None:
        """Remove the leases of periods that began before a day."""


def share_of(free: int, wanted: int, nodes: int) -> int:
    """Return how many of the free calls a node gets that wants some."""
    return max(0, min(free, max(wanted, free // (_LEASES_A_NODE * max(1, nodes)))))

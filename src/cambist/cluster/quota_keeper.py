"""The quota keeper: the part of the link that asks the database for the leases which the threads of its node want."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from time import monotonic
from typing import Protocol

from cambist.accounts.node_leases import HeldLease, PendingRequest, lease_of
from cambist.accounts.quota import AccountQuota
from cambist.accounts.quota_leases import LONGEST_PERIOD, LeaseRequest, QuotaLease, QuotaLeases
from cambist.errors import StoreBroken

log = logging.getLogger(__name__)

_REQUEST_SECONDS = 0.25
"""How long the keeper waits for a request before it says again that it is alive."""

_ROUND_SECONDS = 0.005
"""Requests that come within this time are granted together."""

_ASK_SECONDS = 0.2
"""How often an account is looked up that wants calls."""

_SPENT_SECONDS = 2.0
"""How often it is asked again whether calls of a spent quota are free."""

_SYNC_SECONDS = 30.0
_RETRY_SECONDS = 1.0
_CLEAR_SECONDS = 1.0
_KEPT = timedelta(days=100)
_DAY = timedelta(days=1)
_SHORTEST_PERIOD = timedelta(days=28)
_PREPARED_AT_ONCE = 500
"""For how many accounts the next period is prepared between two rounds of requests."""


class LeaseBoard(Protocol):
    """The file through which the keeper and the threads of its node speak."""

    def wait(self, seconds: float) -> None:
        """Wait for a request, but not longer than some seconds."""

    def requests(self) -> Sequence[PendingRequest]:
        """Return the requests that are new since the last call."""

    def lease(self, account: int, period_start: date) -> HeldLease | None:
        """Return a lease as it was written last."""

    def write(self, account: int, period_start: date, lease: HeldLease) -> None:
        """Write a lease. Errors: StoreBroken."""

    def clear(self) -> None:
        """Remove all leases."""

    def announce(self) -> None:
        """Wake who waits for grants."""

    def write_link(self, *, is_linked: bool, nodes: int) -> None:
        """Write that the link is alive, whether it reaches the other nodes, and how many nodes there are."""

    def write_keeper(self, *, is_reachable: bool) -> None:
        """Write that the keeper is alive, and whether it reaches the database."""

    def clear_abandoned(self) -> None:
        """Clear reservations of processes that were killed. Errors: StoreBroken."""


@dataclass(frozen=True, slots=True)
class ClusterView:
    """What the keeper must know of the other nodes: whether Redis is linked now, and how many there were last."""

    is_linked: Callable[[], bool]
    nodes: Callable[[], int]


class QuotaKeeper:
    """Grants the requests of the threads of one node, several at a time, in a thread of its own.

    `quotas` returns the current periods and quotas of accounts that have one, on a day.
    """

    def __init__(
        self,
        node: str,
        leases: QuotaLeases,
        board: LeaseBoard,
        quotas: Callable[[Collection[int], date], Mapping[int, AccountQuota]],
        view: ClusterView,
        today: Callable[[], date],
    ) -> None:
        self._node = node
        self._leases = leases
        self._board = board
        self._quotas = quotas
        self._view = view
        self._today = today
        self._ended = threading.Event()
        self._is_synced = self._is_logged = False
        self._sync_due = self._clear_due = 0.0
        self._in_vain: dict[int, float] = {}
        self._refused: dict[int, float] = {}
        self._known: set[tuple[int, date]] = set()
        self._ending: list[int] = []
        self._looked_up: tuple[date, set[int]] = (date.min, set())
        self.is_reachable = False

    @property
    def leases_held(self) -> int:
        """How many leases this node has."""
        return len(self._known)

    async def run(self) -> None:
        """Grant requests for ever. Errors: what fails, but not an unreachable database."""
        loop = asyncio.get_running_loop()
        failed: asyncio.Future[None] = loop.create_future()

        def work() -> None:
            try:
                self._work()
            except Exception as error:  # noqa: BLE001  it ends the process, in the thread of the event loop
                loop.call_soon_threadsafe(failed.set_exception, error)

        threading.Thread(target=work, name="quotas", daemon=True).start()
        try:
            while not failed.done():
                self.show_link()
                await asyncio.wait([failed], timeout=_REQUEST_SECONDS)
            failed.result()
        finally:
            self._ended.set()

    def show_link(self) -> None:
        """Show the threads of this node what is known of the others, also while the keeper waits for the database."""
        self._board.write_link(is_linked=self._view.is_linked(), nodes=self._view.nodes())

    def _work(self) -> None:
        while not self._ended.wait(_ROUND_SECONDS):
            self.grant_requests()
            self._board.wait(_REQUEST_SECONDS)

    def grant_requests(self) -> None:
        """Grant what is wanted now, once. What cannot be granted is wanted again."""
        requests, now = self._board.requests(), monotonic()
        if now >= self._clear_due:
            self._board.clear_abandoned()
            self._clear_due = now + _CLEAR_SECONDS
        if now >= self._sync_due or ((requests or self._ending) and self.is_reachable):
            self._attempt(requests, now)
        self._board.write_keeper(is_reachable=self.is_reachable)

    def _attempt(self, requests: Sequence[PendingRequest], now: float) -> None:
        try:
            if now >= self._sync_due:
                self._sync()
                self._sync_due = now + _SYNC_SECONDS
            self._grant(self._due(requests, now), now)
            self._prepare_next_periods()
        except StoreBroken as error:
            if not self._is_logged:
                log.warning("Quotas: no calls can be granted; requests go on within the leases of this node: %s", error)
            self._is_logged = True
            self.is_reachable, self._sync_due = False, now + _RETRY_SECONDS
            return
        if self._is_logged:
            log.info("Quotas: calls are granted again")
        self.is_reachable, self._is_logged = True, False

    def _sync(self) -> None:
        """Make the file as the database is: a lease may have been granted before a crash, or taken away."""
        held = self._leases.held(self._node, self._today() - LONGEST_PERIOD)
        if not self._is_synced:
            self._board.clear()
        for lease in held:
            written = self._board.lease(lease.account, lease.period_start)
            if written is None or written.granted != lease.granted:
                self._board.write(lease.account, lease.period_start, lease_of(lease.granted))
        known = {(lease.account, lease.period_start) for lease in held}
        for account, period_start in self._known - known:
            if self._board.lease(account, period_start) is not None:
                self._board.write(account, period_start, lease_of(0))
        self._known = known
        if not self._is_synced:
            self._leases.remove_before(self._today() - _KEPT)
        self._is_synced = True
        self._ending = self._accounts_to_prepare()
        self._board.announce()

    def _accounts_to_prepare(self) -> list[int]:
        """Return the accounts with a lease here whose period may end today, unless they were looked up today."""
        tomorrow = self._today() + _DAY
        if self._looked_up[0] != tomorrow:
            self._looked_up = tomorrow, set()
        prepared = self._looked_up[1] | {account for account, start in self._known if start == tomorrow}
        ending = {account for account, start in self._known if tomorrow - start >= _SHORTEST_PERIOD}
        return sorted(ending - prepared)

    def _prepare_next_periods(self) -> None:
        """Grant some of the accounts whose period ends today calls of the next one, so that nobody waits at midnight.

        Those that have asked this node in the period are likely to go on. Each gets what a request of one call would.
        """
        some, first_day = self._ending[:_PREPARED_AT_ONCE], self._looked_up[0]
        if not some:
            return
        quotas = self._quotas(some, first_day)
        requests = [
            LeaseRequest(account, first_day, quota.quota, wanted=1)
            for account, quota in quotas.items()
            if quota.period.start == first_day
        ]
        for lease in self._leases.grant(self._node, requests, self._view.nodes()):
            if lease.granted:
                self._write(lease, quotas[lease.account].quota)
        self._looked_up[1].update(some)
        del self._ending[: len(some)]

    def _due(self, requests: Sequence[PendingRequest], now: float) -> Mapping[int, PendingRequest]:
        """Return the requests to look up: the largest of each account, unless it was just looked up in vain."""
        self._in_vain = {account: at for account, at in self._in_vain.items() if now - at < _ASK_SECONDS}
        self._refused = {account: at for account, at in self._refused.items() if now - at < _SPENT_SECONDS}
        largest = sorted(requests, key=lambda request: request.calls)
        return {request.account: request for request in largest if request.account not in self._in_vain}

    def _grant(self, due: Mapping[int, PendingRequest], now: float) -> None:
        if not due:
            return
        quotas = self._quotas(due.keys(), self._today())
        requests = {
            account: LeaseRequest(account, quotas[account].period.start, quotas[account].quota, request.calls)
            for account, request in due.items()
            if account in quotas and self._is_worth_asking(request, quotas[account])
        }
        self._in_vain |= dict.fromkeys((due.keys() - quotas.keys()) | (self._refused.keys() & due.keys()), now)
        for lease in self._leases.grant(self._node, requests.values(), self._view.nodes()):
            if not self._write(lease, requests[lease.account].quota):
                self._in_vain[lease.account] = self._refused[lease.account] = now
        self._board.announce()

    def _is_worth_asking(self, request: PendingRequest, quota: AccountQuota) -> bool:
        """Return whether a request was not granted meanwhile, and may be granted."""
        held = self._board.lease(request.account, quota.period.start)
        if held is None:
            return True
        if held.granted > request.granted:
            return False
        is_spent = not held.free and held.quota == quota.quota
        return not is_spent or request.account not in self._refused

    def _write(self, lease: QuotaLease, quota: int) -> bool:
        """Write a lease; return whether any calls were granted."""
        before = self._board.lease(lease.account, lease.period_start)
        chunk = max(0, lease.granted - (before.granted if before else 0))
        self._board.write(lease.account, lease.period_start, HeldLease(lease.free, lease.granted, quota, chunk))
        self._known.add((lease.account, lease.period_start))
        return chunk > 0

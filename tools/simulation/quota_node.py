"""One node that admits and counts calls: the real meter, counters, lease file, keeper of quotas and usage writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

from tools.simulation.quota_accounts import QuotaAccounts

from cambist.accounts.node_meter import NodeMeter
from cambist.accounts.principal import Principal
from cambist.cluster.quota_keeper import ClusterView, QuotaKeeper
from cambist.storage.shared.usage.lease_file import LeaseFile
from cambist.storage.shared.usage.lease_writer import LeaseWriter
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.sql import SqlStore

ENDPOINT = "/fetch-one"
_PAST = timedelta(days=62)
_ROUNDS = 3


class _SimulatedLeases(LeaseFile):
    """A file of leases whose readers do not wait: the keeper of the node grants when one asks."""

    grant: Callable[[], None]

    def grants(self) -> Iterator[None]:
        """Let the keeper grant what is wanted, a few times."""
        for _ in range(_ROUNDS):
            self.grant()
            yield


class QuotaNode:
    """The parts of one node, over the database that all nodes share."""

    def __init__(self, name: str, folder: Path, url: str, accounts: QuotaAccounts, now: Callable[[], datetime]) -> None:
        self.name = name
        self._now = now
        self._store = SqlStore(url)
        self._counters = WorkerCounters(folder, [ENDPOINT], 1)
        leases = _SimulatedLeases(folder / "leases", self._counters.slot)
        view = ClusterView(lambda: True, lambda: accounts.nodes)
        self._keeper = QuotaKeeper(
            name, self._store.quota_leases, LeaseWriter(folder / "leases", lambda _slot: None), accounts.quotas, view,
            lambda: now().date(),
        )  # fmt: skip
        leases.grant = self._keeper.grant_requests
        since = now().date() - _PAST
        past = self._store.usage.by_day(since, without=self._counters.file_keys(), node=name)
        self._meter = NodeMeter(self._counters, past, leases, lambda _account, _since: {})
        self._writer = UsageWriter(folder, name)
        self.work()

    def call(self, principal: Principal, cost: int) -> None:
        """Answer a request that costs some calls. Errors: QuotaSpent, QuotaUnknown."""
        moment = self._now().timestamp()
        self._meter.check_quota(principal, cost, moment)
        self._meter.spend(principal, ENDPOINT, cost, moment)

    def work(self) -> None:
        """Let the keeper do what is due."""
        self._keeper.grant_requests()

    def fold(self) -> int:
        """Write the counted calls to the database; return how many totals. Errors: StoreBroken."""
        return self._writer.write(self._store.usage, self._now().date())

    def counted(self, account: int, day: date) -> int:
        """Return the calls of a day that this node has counted."""
        return self._meter.calls_on(account, day)

    def end(self) -> None:
        """End, at once: what is in memory is gone, the files stay."""
        self._counters.close()
        self._store.close()

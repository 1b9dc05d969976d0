"""What the link of a node does for limits that hold over all nodes: quotas, rates, and connections to the stream."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date
from typing import Protocol

from cambist.accounts.account import KnownAccounts
from cambist.accounts.plan import Plan
from cambist.accounts.quota import AccountQuota, period_of, quota_of
from cambist.clock import utc_now
from cambist.cluster.connection_sharing import ConnectionSharing
from cambist.cluster.link_task import LinkTask
from cambist.cluster.quota_keeper import ClusterView, QuotaKeeper
from cambist.cluster.rate_sharing import RateSharing, RedisScripts
from cambist.cluster.topic_relay import RedisMessages
from cambist.registry.accounts.metering import open_counters
from cambist.registry.accounts.plans import current_plans
from cambist.registry.node.nodes import node_name
from cambist.settings import Settings
from cambist.storage import AccountStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.node_connections import NodeConnections
from cambist.storage.shared.usage.lease_writer import LeaseWriter


class LimitsRedis(RedisMessages, RedisScripts, Protocol):
    """The channels and the scripts of Redis."""


class NodeLimits:
    """The parts of the link that keep limits over all nodes, and their tasks.

    `nodes` returns how many nodes there were last. Errors: StoreBroken.
    """

    def __init__(self, settings: Settings, store: AccountStore, redis: LimitsRedis, nodes: Callable[[], int]) -> None:
        node, folder = node_name(settings), DataDirectory(settings.data)
        counters = open_counters(settings)
        self._keeper = QuotaKeeper(
            node,
            store.quota_leases,
            LeaseWriter(folder.leases, counters.repair),
            AccountQuotas(store.accounts, folder),
            ClusterView(lambda: redis.is_linked, nodes),
            lambda: utc_now().date(),
        )
        rates = RateSharing(redis, counters)
        connections = ConnectionSharing(node, redis, NodeConnections(folder.stream_connections), nodes)
        self.parts: list[LinkTask] = [self._keeper, rates, connections]

    def leases_held(self) -> int:
        """Return how many parts of quotas this node has."""
        return self._keeper.leases_held


class AccountQuotas:
    """Looks up the periods and quotas of accounts by the plans in effect."""

    def __init__(self, accounts: KnownAccounts, folder: DataDirectory) -> None:
        self._accounts = accounts
        self._folder = folder
        self._changes = data_changes(folder.path)
        self._seen: int | None = None
        self._plans: Mapping[str, Plan] = {}

    def __call__(self, numbers: Collection[int], today: date) -> Mapping[int, AccountQuota]:
        """Return the periods of a day and their quotas, of the accounts that have one. Errors: StoreBroken."""
        version = self._changes.version(Topic.PLANS)
        if version != self._seen:
            self._plans, self._seen = current_plans(self._folder.path), version
        found = {}
        for account in self._accounts.numbered(numbers):
            period = period_of(account.anchor_day, today)
            plan = self._plans.get(account.plan)
            quota = None if plan is None else quota_of(plan, account, period)
            if quota is not None:
                found[account.number] = AccountQuota(period, quota)
        return found

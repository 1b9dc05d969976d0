"""What a node opens to count calls and to keep limits over all nodes, over one database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.cluster.doubles import RedisDouble

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.meter import Meter
from cambist.accounts.node_meter import NodeMeter
from cambist.accounts.plan import read_plans
from cambist.accounts.principal import Principal
from cambist.accounts.quota import AccountQuota, Period, period_of
from cambist.accounts.quota_leases import LeaseRequest
from cambist.accounts.usage_counters import CounterTotal
from cambist.cluster.quota_keeper import QuotaKeeper
from cambist.errors import QuotaSpent, QuotaUnknown
from cambist.registry.accounts.metering import open_meter
from cambist.registry.accounts.plans import activate_plans
from cambist.registry.node.node_leases import restore_leases
from cambist.registry.sharing.node_limits import AccountQuotas, NodeLimits
from cambist.settings import Settings
from cambist.storage import Store
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import data_changes
from cambist.storage.shared.usage.lease_file import LeaseFile
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.sql import SqlStore

PLANS = """
[shop]
calls_a_month = 100
tags = ["currency"]

[unlimited]
tags = ["currency"]
"""
TODAY = datetime.now(UTC).date()
ANN, OWNER = 1, 2


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with an account with a quota and one without."""
    store = SqlStore(f"sqlite:///{tmp_path / 'shared.db'}")
    store.migrate()
    store.accounts.create(Account(0, "ann", "shop", anchor_day=5))
    store.accounts.create(Account(0, "owner", "unlimited"))
    yield store
    store.close()


def node(tmp_path: Path, name: str) -> Settings:
    folder = tmp_path / name
    folder.mkdir()
    activate_plans(folder, PLANS, data_changes(folder))
    return Settings(data=folder, redis="redis://cache", node=name)


def principal(store: Store) -> Principal:
    account = store.accounts.named("ann")
    assert account is not None
    return Principal.build(StoredKey(1, account), read_plans(PLANS, "plans.toml"))


def now() -> float:
    return datetime.now(UTC).timestamp()


def spend(meter: Meter, shop: Principal, calls: int) -> int:
    """Spend calls one by one; return how many there were."""
    for call in range(calls):
        try:
            meter.check_quota(shop, 1, now())
        except (QuotaSpent, QuotaUnknown):
            return call
        meter.spend(shop, "/fetch-one", 1, now())
    return calls


def grant(limits: NodeLimits) -> None:
    (keeper,) = (part for part in limits.parts if isinstance(part, QuotaKeeper))
    keeper.grant_requests()


def test_quotas_are_those_of_the_plans_in_effect(tmp_path: Path, store: Store) -> None:
    folder = DataDirectory(node(tmp_path, "north").data)
    quotas = AccountQuotas(store.accounts, folder)
    november = Period(date(2026, 11, 5), date(2026, 12, 4))
    assert quotas([ANN, OWNER, 99], date(2026, 11, 20)) == {ANN: AccountQuota(november, 100)}
    ann = store.accounts.named("ann")
    assert ann is not None
    store.accounts.buy(ann, november.start, 7)
    activate_plans(folder.path, PLANS.replace("100", "200"), data_changes(folder.path))
    assert quotas([ANN], date(2026, 11, 20)) == {ANN: AccountQuota(november, 207)}


def test_one_machine_has_a_meter_that_knows_of_no_nodes(tmp_path: Path, store: Store) -> None:
    meter = open_meter(Settings(data=tmp_path), store)
    assert type(meter) is Meter
    assert not (tmp_path / "ledger" / "leases").exists()


@pytest.mark.long
def test_nodes_share_a_quota(tmp_path: Path, store: Store) -> None:
    """One after the other asks for all that it can get."""
    shop, counts = principal(store), []
    for name in ("north", "south"):
        settings = node(tmp_path, name)
        meter = open_meter(settings, store)
        assert isinstance(meter, NodeMeter)
        limits = NodeLimits(settings, store, RedisDouble(), lambda: 2)
        assert spend(meter, shop, 1) == 0
        grant(limits)
        counts.append(spend(meter, shop, 40))
        UsageWriter(DataDirectory(settings.data).ledger, name).write(store.usage, TODAY)
    assert counts == [100 // 8, (100 - 100 // 8) // 8]
    assert store.usage.by_day(TODAY, node="north") == {ANN: {TODAY: counts[0]}}


def test_a_node_starts_with_the_leases_of_the_database(tmp_path: Path, store: Store) -> None:
    settings, shop = node(tmp_path, "north"), principal(store)
    period = period_of(5, TODAY)
    store.quota_leases.grant("north", [LeaseRequest(ANN, period.start, 100, 30)], 1)
    for _ in range(2):
        restore_leases(settings, store, TODAY)
        assert granted(settings, period) == 30
    assert spend(open_meter(settings, store), shop, 30) == 30
    store.quota_leases.forget("north")
    restore_leases(settings, store, TODAY)
    assert granted(settings, period) == 0


def granted(settings: Settings, period: Period) -> int:
    lease = LeaseFile(DataDirectory(settings.data).leases, lambda: 0).lease(ANN, period.start)
    assert lease is not None
    return lease.granted


def test_one_machine_has_no_leases(tmp_path: Path, store: Store) -> None:
    settings = node(tmp_path, "north")
    restore_leases(settings, store, TODAY)
    restore_leases(Settings(data=settings.data), store, TODAY)
    assert not DataDirectory(settings.data).leases.exists()


def test_a_node_counts_what_it_stored_itself_against_its_leases(tmp_path: Path, store: Store) -> None:
    settings, shop = node(tmp_path, "north"), principal(store)
    for page, name in enumerate(("north", "south", "")):
        store.usage.store_totals([CounterTotal(TODAY, page, ANN, "/a", 10)], name)
    meter = open_meter(settings, store, lambda account, since: store.usage.of_others(account, since, "north"))
    assert meter.calls_on(ANN, TODAY) == 10
    assert meter.usage(shop, now()).by_day[TODAY] == 30
    assert TODAY - timedelta(days=1) in meter.usage(shop, now()).by_day

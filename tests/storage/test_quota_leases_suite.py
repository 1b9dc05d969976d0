"""Tests for every `QuotaLeases`. A new store is added in STORES."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pgbouncer import pooled_url
from tests.postgresql import postgresql_url

from cambist.accounts.account import Account
from cambist.accounts.quota_leases import LeaseRequest, QuotaLease, share_of
from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.sql import SqlStore

URLS = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'leases.db'}",
    "postgresql": postgresql_url,
    "pgbouncer": pooled_url,
}

START = date(2026, 11, 1)
TODAY = date(2026, 11, 20)
DAY = timedelta(days=1)


@pytest.fixture(params=URLS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database with the accounts ann and bob, whose numbers are 1 and 2."""
    url = str(URLS[request.param](tmp_path))
    store = SqlStore(url)
    store.migrate()
    assert [store.accounts.create(Account(0, name, "unlimited")).number for name in ("ann", "bob")] == [ANN, BOB]
    store.close()
    return url


ANN, BOB = 1, 2


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    store = SqlStore(url)
    yield store
    store.close()


def request(account: int = ANN, quota: int = 1000, wanted: int = 1, start: date = START) -> LeaseRequest:
    return LeaseRequest(account, start, quota, wanted)


def grant(store: SqlStore, node: str, one: LeaseRequest, nodes: int = 2) -> QuotaLease:
    return next(iter(store.quota_leases.grant(node, [one], nodes)))


def count(store: SqlStore, node: str, calls: int, account: int = ANN, day: date = TODAY, page: int = 1) -> None:
    store.usage.store_totals([CounterTotal(day, page, account, "/a", calls)], node)


def total_granted(store: SqlStore, account: int, nodes: int) -> int:
    return sum(
        lease.granted
        for node in range(nodes)
        for lease in store.quota_leases.held(f"node-{node}", START)
        if lease.account == account
    )


def test_a_node_gets_a_part_of_what_is_free(store: SqlStore) -> None:
    assert grant(store, "north", request(quota=800)) == QuotaLease(ANN, START, granted=100, free=700)
    assert grant(store, "south", request(quota=800)) == QuotaLease(ANN, START, granted=87, free=613)
    assert grant(store, "north", request(quota=800)) == QuotaLease(ANN, START, granted=176, free=537)


def test_a_node_gets_as_many_as_it_wants_if_they_are_free(store: SqlStore) -> None:
    assert grant(store, "north", request(quota=800, wanted=500)).granted == 500
    assert grant(store, "north", request(quota=800, wanted=500)) == QuotaLease(ANN, START, granted=800, free=0)
    assert grant(store, "south", request(quota=800)) == QuotaLease(ANN, START, granted=0, free=0)


def test_what_was_bought_meanwhile_is_free(store: SqlStore) -> None:
    assert grant(store, "north", request(quota=10, wanted=10)).free == 0
    assert grant(store, "south", request(quota=30, wanted=5)) == QuotaLease(ANN, START, granted=5, free=15)


def test_a_smaller_quota_takes_nothing_back(store: SqlStore) -> None:
    assert grant(store, "north", request(quota=100, wanted=50)).granted == 50
    assert grant(store, "north", request(quota=40, wanted=5)) == QuotaLease(ANN, START, granted=50, free=0)


def test_periods_and_accounts_have_leases_of_their_own(store: SqlStore) -> None:
    requests = [request(quota=80), request(BOB, quota=160)]
    assert list(store.quota_leases.grant("north", requests, 1)) == [
        QuotaLease(ANN, START, granted=20, free=60),
        QuotaLease(BOB, START, granted=40, free=120),
    ]
    assert grant(store, "north", request(quota=80, start=TODAY)) == QuotaLease(ANN, TODAY, granted=10, free=70)
    held = [QuotaLease(ANN, START, 20, 0), QuotaLease(ANN, TODAY, 10, 0), QuotaLease(BOB, START, 40, 0)]
    assert list(store.quota_leases.held("north", START)) == held
    assert list(store.quota_leases.held("north", TODAY)) == held[1:2]
    assert list(store.quota_leases.held("south", START)) == []


def test_no_requests_are_no_leases(store: SqlStore) -> None:
    assert list(store.quota_leases.grant("north", [], 2)) == []


def test_calls_from_before_there_were_nodes_are_not_free(store: SqlStore) -> None:
    count(store, "", 300)
    count(store, "", 50, day=START - DAY, page=2)
    assert grant(store, "north", request(quota=310, wanted=100)) == QuotaLease(ANN, START, granted=10, free=0)


def test_what_a_node_counts_within_its_lease_is_subtracted_once(store: SqlStore) -> None:
    grant(store, "north", request(quota=1000, wanted=400))
    count(store, "north", 400)
    assert grant(store, "south", request(quota=1000, wanted=700)) == QuotaLease(ANN, START, granted=600, free=0)


def test_what_a_node_counts_beyond_its_lease_is_subtracted_too(store: SqlStore) -> None:
    grant(store, "north", request(quota=1000, wanted=400))
    count(store, "north", 450)
    assert grant(store, "south", request(quota=1000, wanted=700)).granted == 550


def test_what_a_node_has_counted_beyond_its_lease_is_covered_first(store: SqlStore) -> None:
    """So it is after calls beyond the lease, and on a machine that was alone before."""
    count(store, "north", 800)
    assert grant(store, "north", request(quota=1000, wanted=801)) == QuotaLease(ANN, START, granted=825, free=175)
    assert grant(store, "south", request(quota=1000, wanted=500)) == QuotaLease(ANN, START, granted=175, free=0)
    assert grant(store, "north", request(quota=1000, wanted=1)) == QuotaLease(ANN, START, granted=825, free=0)


def test_a_forgotten_node_frees_what_it_has_not_used(store: SqlStore) -> None:
    grant(store, "north", request(quota=1000, wanted=400))
    grant(store, "north", request(BOB, quota=10, wanted=10))
    count(store, "north", 150)
    assert store.quota_leases.forget("north") == 260
    assert store.quota_leases.forget("north") == 0
    assert grant(store, "south", request(quota=1000, wanted=900)).granted == 850


def test_calls_that_a_forgotten_node_stores_later_are_not_granted_again(store: SqlStore) -> None:
    grant(store, "north", request(quota=1000, wanted=400))
    store.quota_leases.forget("north")
    count(store, "north", 30)
    assert grant(store, "south", request(quota=1000, wanted=1000)) == QuotaLease(ANN, START, granted=970, free=0)


def test_leases_of_old_periods_are_removed(store: SqlStore) -> None:
    for start in (START, TODAY):
        grant(store, "north", request(start=start))
    store.quota_leases.remove_before(TODAY)
    assert [lease.period_start for lease in store.quota_leases.held("north", date.min)] == [TODAY]


@given(st.integers(0, 10**15), st.integers(0, 10**9), st.integers(0, 50))
def test_a_share_is_never_more_than_what_is_free(free: int, wanted: int, nodes: int) -> None:
    share = share_of(free, wanted, nodes)
    assert min(free, wanted) <= share <= free


def test_with_few_free_calls_a_node_gets_no_more_than_it_wants() -> None:
    assert [share_of(free, 1, 10) for free in (0, 1, 39, 40, 400)] == [0, 1, 1, 1, 10]


NODES, ROUNDS, QUOTA = 4, 25, 500


def ask_again_and_again(url: str, node: int, seed: int) -> int:
    """Ask for calls of both accounts until a node has asked ROUNDS times; return the calls that it was granted."""
    random_request = random.Random(f"{seed} {node}")  # noqa: S311  a seeded test
    store, granted = SqlStore(url), {}
    for _ in range(ROUNDS):
        accounts = random_request.sample([ANN, BOB], random_request.choice([1, 2]))
        requests = [request(account, QUOTA, random_request.randint(1, 40)) for account in accounts]
        for lease in store.quota_leases.grant(f"node-{node}", requests, NODES):
            assert lease.granted >= granted.get(lease.account, 0)
            granted[lease.account] = lease.granted
    store.close()
    return sum(granted.values())


@pytest.mark.long(every=5)
@pytest.mark.parametrize("seed", range(3))
def test_threads_at_once_are_never_granted_more_than_the_quota(url: str, store: SqlStore, seed: int) -> None:
    with ThreadPoolExecutor(NODES) as threads:
        granted = list(threads.map(lambda node: ask_again_and_again(url, node, seed), range(NODES)))
    totals = [total_granted(store, account, NODES) for account in (ANN, BOB)]
    assert sum(granted) == sum(totals)
    assert all(total <= QUOTA for total in totals)
    assert grant(store, "node-0", request(ANN, QUOTA, QUOTA)).free == 0
    assert total_granted(store, ANN, NODES) == QUOTA


PROGRAM = """
import sys
from datetime import date
from cambist.accounts.quota_leases import LeaseRequest
from cambist.storage.sql import SqlStore

store = SqlStore(sys.argv[1])
for wanted in range(1, 41):
    store.quota_leases.grant(sys.argv[2], [LeaseRequest(1, date(2026, 11, 1), 500, wanted)], 4)
"""


@pytest.mark.long(every=3)
def test_processes_at_once_are_never_granted_more_than_the_quota(url: str, store: SqlStore) -> None:
    asking = [subprocess.Popen([sys.executable, "-c", PROGRAM, url, f"node-{node}"]) for node in range(3)]
    assert [process.wait(60) for process in asking] == [0, 0, 0]
    assert total_granted(store, ANN, NODES) == QUOTA

"""The quota keepers of several nodes over one database, with the files that their threads see."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from cambist.accounts.account import Account
from cambist.accounts.node_leases import HeldLease
from cambist.accounts.quota import AccountQuota, Period, period_of
from cambist.accounts.quota_leases import LeaseRequest, QuotaLease
from cambist.accounts.usage_counters import CounterTotal
from cambist.cluster import quota_keeper
from cambist.cluster.quota_keeper import ClusterView, QuotaKeeper
from cambist.errors import StoreBroken
from cambist.storage.shared.usage.lease_file import LeaseFile
from cambist.storage.shared.usage.lease_writer import LeaseWriter
from cambist.storage.sql import SqlStore

ANN, BOB, NOBODY = 1, 2, 99
NOVEMBER = Period(date(2026, 11, 1), date(2026, 11, 30))
DECEMBER = Period(date(2026, 12, 1), date(2026, 12, 31))
TODAY = date(2026, 11, 20)


@dataclass
class Database:
    """The leases in a database that can be gone, and the quotas of the accounts."""

    store: SqlStore
    quotas: dict[int, int] = field(default_factory=lambda: {ANN: 800, BOB: 400})
    period: Period = NOVEMBER
    today: date = TODAY
    is_gone: bool = False
    questions: int = 0

    def _ask(self) -> None:
        self.questions += 1
        if self.is_gone:
            raise StoreBroken("gone")

    def grant(self, node: str, requests: Collection[LeaseRequest], nodes: int) -> Sequence[QuotaLease]:
        self._ask()
        return self.store.quota_leases.grant(node, requests, nodes)

    def held(self, node: str, since: date) -> Sequence[QuotaLease]:
        self._ask()
        return self.store.quota_leases.held(node, since)

    def forget(self, node: str) -> int:
        return self.store.quota_leases.forget(node)

    def remove_before(self, day: date) -> None:
        self.store.quota_leases.remove_before(day)

    def quotas_of(self, accounts: Collection[int], today: date) -> Mapping[int, AccountQuota]:
        self._ask()
        period = self.period if today <= self.period.end else period_of(1, today)
        return {one: AccountQuota(period, self.quotas[one]) for one in accounts if one in self.quotas}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    store = SqlStore(f"sqlite:///{tmp_path / 'a.db'}")
    store.migrate()
    for name in ("ann", "bob"):
        store.accounts.create(Account(0, name, "unlimited"))
    yield Database(store)
    store.close()


@dataclass
class Node:
    """One node: its keeper, and the file as a worker has it mapped."""

    keeper: QuotaKeeper
    leases: LeaseFile
    is_linked: bool = True

    def granted(self, account: int = ANN) -> int:
        held = self.leases.lease(account, NOVEMBER.start)
        return held.granted if held else 0

    def request(self, calls: int, account: int = ANN) -> HeldLease | None:
        self.leases.request(account, calls, self.granted(account))
        self.keeper.grant_requests()
        return self.leases.lease(account, NOVEMBER.start)


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic clock of the keepers."""
    now = [1000.0]
    monkeypatch.setattr(quota_keeper, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def start_node(tmp_path: Path, database: Database, seconds: list[float]) -> Callable[[str], Node]:
    """Start the link of a node, again if it had one; its folder stays."""
    assert seconds

    def start(name: str) -> Node:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        view = ClusterView(lambda: node.is_linked, lambda: 2)
        board = LeaseWriter(folder / "leases", lambda _slot: None)
        keeper = QuotaKeeper(name, database, board, database.quotas_of, view, lambda: database.today)
        node = Node(keeper, LeaseFile(folder / "leases", lambda: 0))
        return node

    return start


def test_a_request_is_granted(start_node: Callable[[str], Node]) -> None:
    north = start_node("north")
    assert north.request(1) == HeldLease(free=700, granted=100, quota=800, chunk=100)
    assert north.request(1) == HeldLease(free=613, granted=187, quota=800, chunk=87)
    assert (north.keeper.is_reachable, north.keeper.leases_held) == (True, 1)


def test_nodes_share_a_quota_until_nothing_is_free(start_node: Callable[[str], Node]) -> None:
    north, south = start_node("north"), start_node("south")
    north.request(500)
    assert south.request(500) == HeldLease(free=0, granted=300, quota=800, chunk=300)
    assert north.request(500) == HeldLease(free=0, granted=500, quota=800, chunk=0)


def test_requests_of_several_threads_are_granted_once(
    tmp_path: Path, start_node: Callable[[str], Node], database: Database
) -> None:
    north = start_node("north")
    north.keeper.grant_requests()
    others = [LeaseFile(tmp_path / "north" / "leases", lambda slot=slot: slot) for slot in range(1, 5)]
    for number, one in enumerate(others):
        one.request(ANN, 1 + number, 0)
        one.request(ANN if number % 2 else BOB, 20 * number, 0)
    before = database.questions
    north.keeper.grant_requests()
    assert database.questions - before == 2
    assert (north.granted(ANN), north.granted(BOB)) == (100, 50)


def test_a_request_that_was_granted_meanwhile_is_not_granted_again(start_node: Callable[[str], Node]) -> None:
    north = start_node("north")
    assert north.request(1)
    north.leases.request(ANN, 1, 0)
    north.keeper.grant_requests()
    assert north.granted() == 100


def test_accounts_without_a_quota_have_no_leases(start_node: Callable[[str], Node]) -> None:
    north = start_node("north")
    assert north.request(1, NOBODY) is None
    assert north.request(1) is not None


def test_a_spent_quota_is_looked_up_seldom(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north = start_node("north")
    north.request(800)
    north.request(1)
    before = database.questions
    for _ in range(50):
        north.request(1)
    assert database.questions == before
    database.quotas[ANN] = 900
    seconds[0] += 0.3
    assert north.request(1) == HeldLease(free=88, granted=812, quota=900, chunk=12)


def test_calls_that_a_forgotten_node_had_are_found(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    south.request(500)
    north.request(300)
    assert north.request(1) == HeldLease(free=0, granted=300, quota=800, chunk=0)
    database.forget("south")
    seconds[0] += 3
    assert north.request(1) == HeldLease(free=438, granted=362, quota=800, chunk=62)


def test_a_forgotten_node_that_comes_back_has_lost_its_calls(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    south.request(500)
    database.store.usage.store_totals([CounterTotal(TODAY, 1, ANN, "/a", 40)], "south")
    database.forget("south")
    assert north.request(760) == HeldLease(free=0, granted=760, quota=800, chunk=760)
    seconds[0] += 31
    south.keeper.grant_requests()
    assert south.granted() == 40
    database.store.usage.store_totals([CounterTotal(TODAY, 1, ANN, "/a", 40)], "south")
    assert start_node("south").keeper.leases_held == 0


def test_a_link_that_starts_again_has_the_leases_of_the_database(
    start_node: Callable[[str], Node], database: Database
) -> None:
    north = start_node("north")
    north.request(100)
    # Granted, and the link was killed before it wrote it.
    database.grant("north", [LeaseRequest(ANN, NOVEMBER.start, 800, 50)], 2)
    again = start_node("north")
    again.keeper.grant_requests()
    assert again.granted() == 187
    assert (again.request(1) or HeldLease(0, 0, 0, 0)).granted > 187


def test_a_lease_that_the_database_does_not_have_is_taken_away(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north = start_node("north")
    north.request(100)
    database.remove_before(date.max)
    seconds[0] += 31
    north.keeper.grant_requests()
    assert north.granted() == 0
    north.request(100)
    north.request(1, NOBODY)  # otherwise the new link grants the last request again
    database.remove_before(date.max)
    again = start_node("north")
    again.keeper.grant_requests()
    assert again.granted() == 0


def test_while_the_database_is_gone_leases_stay_and_the_threads_know(
    start_node: Callable[[str], Node], database: Database, seconds: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    north = start_node("north")
    north.request(100)
    database.is_gone = True
    for _ in range(3):
        assert (north.request(1) or HeldLease(0, 0, 0, 0)).granted == 100
        assert not north.leases.is_reachable
    before = database.questions
    north.request(1)
    assert database.questions == before
    assert caplog.text.count("no calls can be granted") == 1
    database.is_gone = False
    seconds[0] += 1.1
    north.keeper.grant_requests()
    assert north.leases.is_reachable
    assert (north.request(1) or HeldLease(0, 0, 0, 0)).granted > 100


@pytest.mark.long
def test_a_link_that_starts_without_the_database_keeps_the_leases(
    start_node: Callable[[str], Node], database: Database
) -> None:
    start_node("north").request(100)
    database.is_gone = True
    again = start_node("north")
    again.keeper.grant_requests()
    assert again.granted() == 100


def test_a_new_period_has_its_own_lease(start_node: Callable[[str], Node], database: Database) -> None:
    north = start_node("north")
    north.request(500)
    database.period = DECEMBER
    north.leases.request(ANN, 1, 0)
    north.keeper.grant_requests()
    assert north.leases.lease(ANN, DECEMBER.start) == HeldLease(free=700, granted=100, quota=800, chunk=100)
    assert north.granted() == 500


def test_the_next_period_is_prepared_on_the_last_day_and_nobody_asks_at_midnight(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    north.request(500)
    south.request(100)
    for day in (29, 30):
        database.today = date(2026, 11, day)
        seconds[0] += 31
        for node in (north, south):
            node.keeper.grant_requests()
            held = node.leases.lease(ANN, DECEMBER.start)
            assert (held is not None) is (day == 30)
            assert node.leases.lease(BOB, DECEMBER.start) is None  # it has not called
    assert north.leases.lease(ANN, DECEMBER.start) == HeldLease(free=700, granted=100, quota=800, chunk=100)
    assert south.leases.lease(ANN, DECEMBER.start) == HeldLease(free=613, granted=87, quota=800, chunk=87)
    assert (north.granted(), south.granted()) == (500, 100)
    before = database.questions
    north.keeper.grant_requests()
    assert database.questions == before  # each account is looked up once
    database.today, database.is_gone = DECEMBER.start, True
    seconds[0] += 31
    north.keeper.grant_requests()
    assert north.leases.lease(ANN, DECEMBER.start) == HeldLease(free=700, granted=100, quota=800, chunk=100)


def test_a_prepared_period_of_a_small_quota_is_not_taken_for_a_spent_one(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north, south = start_node("north"), start_node("south")
    database.quotas[ANN] = 2
    north.request(1)
    south.request(1)
    database.quotas[ANN], database.today = 1, NOVEMBER.end
    for node in (north, south):
        seconds[0] += 31
        node.keeper.grant_requests()
    assert north.leases.lease(ANN, DECEMBER.start) == HeldLease(free=0, granted=1, quota=1, chunk=1)
    assert south.leases.lease(ANN, DECEMBER.start) is None


def test_what_cannot_be_prepared_is_prepared_later(
    start_node: Callable[[str], Node], database: Database, seconds: list[float]
) -> None:
    north = start_node("north")
    north.request(1)
    database.today, database.is_gone = NOVEMBER.end, True
    seconds[0] += 31
    north.keeper.grant_requests()
    assert north.leases.lease(ANN, DECEMBER.start) is None
    database.is_gone = False
    seconds[0] += 2
    north.keeper.grant_requests()
    assert north.leases.lease(ANN, DECEMBER.start) is not None


def test_threads_know_how_many_nodes_share_a_rate(start_node: Callable[[str], Node]) -> None:
    north = start_node("north")
    north.keeper.show_link()
    assert north.leases.share == 1
    north.is_linked = False
    north.keeper.show_link()
    assert north.leases.share == 2


def test_it_runs_until_it_is_cancelled_and_fails_with_what_fails(
    start_node: Callable[[str], Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    north = start_node("north")

    async def run() -> None:
        task = asyncio.create_task(north.keeper.run())
        north.leases.request(ANN, 1, 0)
        while not north.granted():
            assert not task.done()
            await asyncio.sleep(0.01)
        monkeypatch.setattr(north.keeper, "grant_requests", lambda: 1 / 0)
        await task

    with pytest.raises(ZeroDivisionError):
        asyncio.run(asyncio.wait_for(run(), PATIENCE))


@pytest.mark.long(every=9)
@pytest.mark.parametrize("seed", range(20))
def test_nodes_that_are_killed_forgotten_and_cut_off_never_exceed_the_quota(
    start_node: Callable[[str], Node], database: Database, seconds: list[float], seed: int
) -> None:
    """Nodes spend within their leases, and what they have counted is stored late."""
    choices = random.Random(seed)  # noqa: S311  a seeded test
    nodes = {name: start_node(name) for name in ("north", "south", "west")}
    spent, stored = dict.fromkeys(nodes, 0), dict.fromkeys(nodes, 0)
    for _ in range(150):
        name = choices.choice(list(nodes))
        node, event = nodes[name], choices.random()
        seconds[0] += choices.choice([0.0, 0.3, 1.2])
        database.is_gone = choices.random() < 0.15
        if event < 0.1:
            nodes[name] = start_node(name)
        elif event < 0.4 and not database.is_gone:
            stored[name] = spent[name]
            database.store.usage.store_totals(
                [CounterTotal(TODAY, list(nodes).index(name), ANN, "/a", spent[name])], name
            )
        else:
            cost = choices.choice([1, 1, 5, 30])
            if cost > node.granted() - spent[name]:
                node.request(spent[name] + cost - node.granted())
            if cost <= node.granted() - spent[name]:
                spent[name] += cost
        assert sum(spent.values()) <= database.quotas[ANN]
    assert sum(spent.values()) > database.quotas[ANN] // 2


def test_the_longest_period_is_held_at_its_end(start_node: Callable[[str], Node], database: Database) -> None:
    database.period = Period(TODAY - timedelta(days=30), TODAY)
    north = start_node("north")
    north.leases.request(ANN, 1, 0)
    north.keeper.grant_requests()
    again = start_node("north")
    again.keeper.grant_requests()
    assert again.leases.lease(ANN, database.period.start) is not None

"""State machines over the parts that must never lose or invent anything, each beside a model in plain dictionaries."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cambist.accounts.account import Account
from cambist.accounts.quota_leases import LeaseRequest
from cambist.accounts.usage_counters import CounterTotal
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.pricing.pair import Pair
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
TODAY = NOON.date()
SOURCE, ENDPOINT = "ecb", "/fetch-one"
PAIRS = [Pair("EUR", "USD"), Pair("EUR", "JPY")]
DAYS = [date(2026, 3, 2) + timedelta(days=step) for step in range(3)]
ACCOUNTS = (1, 2)
NODES = ("east", "west", "north")
QUOTA = 60

VALUES = st.integers(1, 4).map(lambda number: Decimal(number) / 4)
DELIVERIES = st.dictionaries(st.tuples(st.sampled_from(PAIRS), st.sampled_from(DAYS)), VALUES, max_size=4)


@cache
def _migrated() -> Path:
    """Return an empty database with two accounts, made once."""
    path = Path(tempfile.mkdtemp(prefix="cambist-")) / "empty.db"
    store = SqlStore(f"sqlite:///{path}")
    store.migrate()
    for number in ACCOUNTS:
        store.accounts.create(Account(0, f"account-{number}", "unlimited"))
    store.close()
    return path


class WithStore(RuleBasedStateMachine):
    """A machine with a database of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="cambist-"))
        shutil.copy(_migrated(), self.folder / "test.db")
        self.store = self.open_store()

    def open_store(self) -> SqlStore:
        """Open the database as a new process does."""
        return SqlStore(self.url)

    @property
    def url(self) -> str:
        """The URL of the database."""
        return f"sqlite:///{self.folder / 'test.db'}"

    def teardown(self) -> None:
        """Remove the database."""
        self.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class _WithArchive(WithStore):
    deliveries = 0

    def delivery(self) -> DeliveryRecord:
        """Return the delivery of the next delivery."""
        self.deliveries += 1
        return DeliveryRecord(SOURCE, NOON + timedelta(seconds=self.deliveries), "a test", str(self.deliveries))

    @rule()
    def restart(self) -> None:
        """Open the database again."""
        self.store.close()
        self.store = self.open_store()


def fixings_of(delivery: dict[tuple[Pair, date], Decimal]) -> list[Fixing]:
    """Return the fixings of a delivery."""
    return [Fixing(SOURCE, pair, day, value) for (pair, day), value in delivery.items()]


class ArchiveMachine(_WithArchive):
    """Deliveries and corrections: nothing that was ever received is changed, removed or stored twice."""

    def __init__(self) -> None:
        super().__init__()
        self.fixings: defaultdict[tuple[Pair, date], list[tuple[int, Decimal]]] = defaultdict(list)

    @rule(delivery=DELIVERIES)
    def file(self, delivery: dict[tuple[Pair, date], Decimal]) -> None:
        """File a delivery, new or the same again."""
        before = self.store.archive.revision()
        known = {key: fixings[-1][1] for key, fixings in self.fixings.items() if fixings}
        new = {key: value for key, value in delivery.items() if known.get(key) != value}
        corrected = len(known.keys() & new.keys())
        found = self.store.archive.file(self.delivery(), fixings_of(delivery))
        assert (found.added, found.corrected) == (len(new) - corrected, corrected)
        after = self.store.archive.revision()
        assert (after > before) == bool(new)
        for key, value in new.items():
            self.fixings[key].append((after, value))

    @invariant()
    def everything_is_there(self) -> None:
        """Compare what is known now with the last fixings, and all versions with all fixings."""
        now = {(each.pair, each.day): each.value for each in self.store.archive.fixings(SOURCE)}
        assert now == {key: fixings[-1][1] for key, fixings in self.fixings.items() if fixings}
        for (pair, day), fixings in self.fixings.items():
            found = [each.fixing.value for each in self.store.archive.revisions(pair, day)]
            assert found == [value for _, value in fixings]

    @rule(share=st.floats(0, 1))
    def look_back(self, share: float) -> None:
        """Compare what was known at a past delivery."""
        delivery = int(self.store.archive.revision() * share)
        known = self.store.archive.known_fixings([SOURCE], lambda _source, _pair: True, (DAYS[0], DAYS[-1])).at(
            delivery
        )
        found = {
            (series.pair, day): rate
            for series in known.get(SOURCE, [])
            for day, rate in zip(series.rows.tolist(), series.rates.tolist(), strict=True)
        }
        first = date(1970, 1, 1)
        expected = {
            (pair, (day - first).days): float([value for number, value in fixings if number <= delivery][-1])
            for (pair, day), fixings in self.fixings.items()
            if fixings and fixings[0][0] <= delivery
        }
        assert found == expected


class CountersMachine(WithStore):
    """Calls counted in files and folded into the database: as many as were answered, whatever was killed."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = Counter[int]()
        self.folded = Counter[int]()
        self.start()

    def start(self) -> None:
        """Begin to count, as a new process does."""
        self.counters = WorkerCounters(self.folder / "ledger", [ENDPOINT], 1)
        self.writer = UsageWriter(self.folder / "ledger", "node")

    @rule(account=st.sampled_from(ACCOUNTS), calls=st.integers(1, 900))
    def answer(self, account: int, calls: int) -> None:
        """Count an answer."""
        self.counters.spend(account, ENDPOINT, calls, TODAY)
        self.answered[account] += calls

    @rule()
    def fold(self) -> None:
        """Write the totals to the database."""
        self.writer.write(self.store.usage, TODAY)
        self.folded = self.answered.copy()

    @rule()
    def restart(self) -> None:
        """Kill the processes: what is in memory is gone, the files stay."""
        self.counters.close()
        self.start()

    @invariant()
    def calls_counted_are_calls_answered(self) -> None:
        """Compare the files and the database with what was answered."""
        by_day = self.store.usage.by_day(TODAY)
        assert {account: by_day.get(account, {}).get(TODAY, 0) for account in ACCOUNTS} == {
            account: self.folded[account] for account in ACCOUNTS
        }
        self.counters.refresh()
        for account in ACCOUNTS:
            assert self.counters.spent(account, TODAY) == self.answered[account]

    def teardown(self) -> None:
        """Close the files."""
        self.counters.close()
        super().teardown()


class LeasesMachine(WithStore):
    """Leases of a quota over nodes: together they never answer more, and what is given back can be used."""

    def __init__(self) -> None:
        super().__init__()
        self.granted = Counter[str]()
        self.answered = Counter[str]()

    @rule(node=st.sampled_from(NODES), wanted=st.integers(1, QUOTA))
    def grant(self, node: str, wanted: int) -> None:
        """Let a node take more calls."""
        (lease,) = self.store.quota_leases.grant(node, [LeaseRequest(1, TODAY, QUOTA, wanted)], len(NODES))
        assert lease.granted >= self.granted[node]
        self.granted[node] = lease.granted

    @rule(node=st.sampled_from(NODES), calls=st.integers(1, QUOTA))
    def answer(self, node: str, calls: int) -> None:
        """Answer calls, as many as the lease of the node covers."""
        self.answered[node] += max(0, min(calls, self.granted[node] - self.answered[node]))

    @rule(node=st.sampled_from(NODES))
    def fold(self, node: str) -> None:
        """Store what a node has counted."""
        self.store.usage.store_totals([CounterTotal(TODAY, NODES.index(node), 1, ENDPOINT, self.answered[node])], node)

    @rule(node=st.sampled_from(NODES))
    def forget(self, node: str) -> None:
        """Free what a lost node has not used; its counter files are folded first."""
        self.fold(node)
        freed = self.store.quota_leases.forget(node)
        assert freed == self.granted[node] - self.answered[node]
        self.granted[node] = self.answered[node]

    @rule(node=st.sampled_from(NODES))
    def restart(self, node: str) -> None:
        """Start a node again: it has the lease that the database has."""
        assert sum(each.granted for each in self.store.quota_leases.held(node, TODAY)) == self.granted[node]

    @precondition(lambda self: sum(self.granted.values()) < QUOTA)
    @rule(node=st.sampled_from(NODES))
    def a_call_is_left(self, node: str) -> None:
        """See that what no node holds can be had."""
        before = self.granted[node]
        self.grant(node, 1)
        assert self.granted[node] > before

    @invariant()
    def the_quota_is_not_overshot(self) -> None:
        """Compare the calls of all nodes with the quota."""
        assert sum(self.granted.values()) <= QUOTA
        assert sum(self.answered.values()) <= QUOTA

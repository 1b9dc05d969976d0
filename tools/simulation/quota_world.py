"""The world of several nodes that admit calls within quotas, over one database, and what must hold of them."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from tools.simulation.connections import Connections
from tools.simulation.databases import new_database
from tools.simulation.patches import Patch, clock_patches
from tools.simulation.quota_accounts import QuotaAccounts
from tools.simulation.quota_node import QuotaNode
from tools.simulation.scenario import Call, Fault, Scenario
from tools.simulation.trace import Trace
from tools.simulation.violation import require

from cambist.cluster import quota_keeper
from cambist.errors import QuotaSpent, QuotaUnknown, StoreBroken
from cambist.storage.shared.usage import lease_file, lease_writer
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import sqlite

OVERSHOT = "a quota is never overshot"
COUNTED = "calls counted are calls answered"
USABLE = "a quota can be used up"
CUT_OFF, ENDED = "cut off", "ended"
_ACCOUNTS = 2
_FOLDED_EVERY = 7
_NOBODY = -1


class QuotaWorld:
    """The nodes, and what each has answered."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self._scenario = scenario
        self._start = datetime.combine(scenario.first_day, time(), UTC)
        self._seconds = 0.0
        self.trace = Trace(self._now)
        self.connections = Connections(self._now, self._before)
        chance = random.Random(f"{scenario.seed} quotas")  # noqa: S311  the same for each seed
        self.accounts = QuotaAccounts(_ACCOUNTS, chance.randint(20, 60), self._anchor_day(), scenario.nodes)
        self._folder = folder
        self._url = f"sqlite:///{new_database(folder)}"
        self._nodes: dict[int, QuotaNode] = {}
        self._answered: Counter[tuple[int, int, date]] = Counter()
        self._working = _NOBODY
        self._cut_off: dict[int, float] = {}

    def _anchor_day(self) -> int:
        """Return the day of the month of the second day, so that a period ends during the simulation."""
        return min(28, (self._scenario.first_day + timedelta(days=1)).day)

    def _now(self) -> datetime:
        return self._start + timedelta(microseconds=round(self._seconds * 1_000_000))

    def _before(self, _statement: str) -> None:
        """Let the statements of a node fail that is cut off from the database."""
        if self._seconds < self._cut_off.get(self._working, 0.0):
            raise sqlite3.OperationalError("the database cannot be reached")

    def patches(self) -> list[Patch]:
        """Return what is replaced while this world runs."""
        return [
            *clock_patches(self._now),
            (sqlite, "create_engine", self.connections.create_engine),
            (quota_keeper, "monotonic", lambda: self._seconds + 1.0),
            (lease_file, "monotonic_ns", self._nanoseconds),
            (lease_writer, "monotonic_ns", self._nanoseconds),
        ]

    def _nanoseconds(self) -> int:
        return round((self._seconds + 1.0) * 1_000_000_000)

    def run(self) -> None:
        """Run the scenario. Errors: ViolationError."""
        try:
            self._run()
        finally:
            for node in self._nodes.values():
                node.end()

    def _run(self) -> None:
        store = SqlStore(self._url)
        self.accounts.create(store)
        for number in range(self._scenario.nodes):
            self._begin(number)
        events: list[tuple[float, Call | Fault]] = [
            *((call.second, call) for call in self._scenario.calls),
            *((fault.hour * 3600, fault) for fault in self._scenario.faults),
        ]
        for place, (second, event) in enumerate(sorted(events, key=lambda each: each[0])):
            self._seconds = max(self._seconds, second)
            if isinstance(event, Call):
                self._call(event)
            else:
                self._fail(event)
            if place % _FOLDED_EVERY == 0:
                self._fold(place // _FOLDED_EVERY % self._scenario.nodes)
            self._check(store)
        self._use_up()
        for number in range(self._scenario.nodes):
            self._fold(number)
        self._check(store)
        self._check_stored(store, is_complete=True)
        store.close()

    def _begin(self, number: int) -> None:
        folder = self._folder / f"node-{number}"
        folder.mkdir(exist_ok=True)
        (folder / "leases").unlink(missing_ok=True)
        self._nodes[number] = QuotaNode(f"node-{number}", folder, self._url, self.accounts, self._now)

    def _call(self, call: Call) -> bool:
        node, principal = self._nodes[call.node % len(self._nodes)], self.accounts.principals[call.account]
        self._working = call.node % len(self._nodes)
        try:
            node.work()
            node.call(principal, call.cost)
        except (QuotaSpent, QuotaUnknown) as error:
            self.trace.add(f"{node.name} refuses {call.cost} of {call.account}: {type(error).__name__}")
            return False
        finally:
            self._working = _NOBODY
        self._answered[self._number(node), call.account, self._now().date()] += call.cost
        self.trace.add(f"{node.name} answers {call.cost} of {call.account}")
        return True

    def _number(self, node: QuotaNode) -> int:
        return next(number for number, each in self._nodes.items() if each is node)

    def _fail(self, fault: Fault) -> None:
        number = fault.node % len(self._nodes)
        self.trace.add(f"node-{number}: {fault.kind}")
        if fault.kind == CUT_OFF:
            self._cut_off[number] = self._seconds + fault.amount * 3600
        else:
            self._nodes[number].end()
            self._begin(number)

    def _fold(self, number: int) -> None:
        self._working = number
        try:
            totals = self._nodes[number].fold()
        except StoreBroken:
            self.trace.add(f"node-{number} cannot fold")
        else:
            self.trace.add(f"node-{number} folds {totals}")
        finally:
            self._working = _NOBODY

    def _use_up(self) -> None:
        """Call each node until the quota is spent there: then all calls of the quota must have been answered."""
        self._seconds += 10 * 86_400.0
        for account in self.accounts.principals:
            for number in self._nodes:
                while self._call(Call(self._seconds, number, account, 1)):
                    self._seconds += 3.0
                    self._check_quota(account)
            quota, used = self._check_quota(account)
            require(used == quota, USABLE, f"{quota - used} calls of account {account} cannot be used")

    def _check_quota(self, account: int) -> tuple[int, int]:
        """Check that a quota is not overshot; return it, and the calls of it that were answered."""
        quota = self.accounts.quota(account, self._now().date()).quota
        used = sum(self._used(account, number) for number in self._nodes)
        require(used <= quota, OVERSHOT, f"{used} calls of account {account} were answered, of {quota}")
        return quota, used

    def _used(self, account: int, number: int) -> int:
        start = self.accounts.quota(account, self._now().date()).period.start
        days = self._answered.items()
        return sum(calls for (node, who, day), calls in days if (node, who) == (number, account) and day >= start)

    def _check(self, store: SqlStore) -> None:
        today = self._now().date()
        for account in self.accounts.principals:
            self._check_quota(account)
            for number, node in self._nodes.items():
                answered, counted = self._answered[number, account, today], node.counted(account, today)
                require(counted == answered, COUNTED, f"{node.name} has counted {counted}, but answered {answered}")
        self._check_stored(store, is_complete=False)

    def _check_stored(self, store: SqlStore, *, is_complete: bool) -> None:
        stored = store.usage.by_day(self._start.date() - timedelta(days=1))
        for account in self.accounts.principals:
            answered: Counter[date] = Counter()
            for (_, who, day), calls in self._answered.items():
                answered[day] += calls if who == account else 0
            for day, calls in answered.items():
                found = stored.get(account, {}).get(day, 0)
                holds = found == calls if is_complete else found <= calls
                require(holds, COUNTED, f"{found} calls of account {account} are stored of {day}, {calls} answered")
            extra = [day for day, calls in stored.get(account, {}).items() if calls and not answered[day]]
            require(not extra, COUNTED, f"calls of account {account} are stored of {extra}, but none was answered")

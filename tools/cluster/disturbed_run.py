"""A run of rounds: load on the cluster, faults, recovery, and checks after each round and at the end."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.exc import OperationalError
from tools.cluster import checks
from tools.cluster.accounts import create_account
from tools.cluster.books import Books, percentile
from tools.cluster.callers import Caller, Record, Tally
from tools.cluster.cluster import PRICE, Cluster, until
from tools.cluster.faults import disturb, possible_faults
from tools.cluster.listeners import Listener
from tools.cluster.node import Node
from tools.cluster.processes import reap
from tools.cluster.undisturbed_run import undisturbed_archive

from cambist.clock import utc_now
from cambist.registry.sources.asked_sources import ask_source
from cambist.status.cluster_report import ClusterReport
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file

_STEADY_RATE, _SMALL_RATE = 10.0, 10.0
_QUOTA = 300
_FRESH_SECONDS = 5.0
_RECOVERY_SECONDS = 120.0
_SETTLE_SECONDS = 60.0
_A_WHOLE_MINUTE_SECONDS = 121.0
"""However a time of this length begins, there is a whole minute in it."""


@dataclass(frozen=True)
class Options:
    """What was chosen: how many rounds, which faults in turn, the most in one round, and for how many seconds.

    `compare`: also compare the archive with that of an undisturbed run.
    """

    rounds: int
    faults: Sequence[str] = ()
    most: int = 2
    hold: float | None = None
    compare: bool = True


@dataclass
class DisturbedRun:
    """One run. A round is drawn by a seed of its own, so that each can be repeated alone.

    `seed`: of the first round; that of each later one is greater by one.
    """

    cluster: Cluster
    options: Options
    seed: int
    chance: random.Random = field(init=False)
    record: Record = field(default_factory=Record)
    tallies: list[Tally] = field(default_factory=list)
    small: Tally | None = None
    began: float = 0.0
    ended: float = 0.0
    lost: float = 0.0
    rounds: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    _disturbed_before: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)  # noqa: S311  a seeded one is wanted
        self.books = Books(self.cluster.nodes)
        self.steady = self._account("steady", "steady")
        self.callers = [Caller(node, lambda: self.steady, self.record, _STEADY_RATE) for node in self.cluster.nodes]
        self.callers += [Caller(node, lambda: self.small, self.record, _SMALL_RATE) for node in self.cluster.nodes]
        self.listeners = [Listener(node, self.cluster.key, self.record) for node in self.cluster.nodes]

    def run(self) -> list[str]:
        """Run all rounds; return what is wrong."""
        for listener in self.listeners:
            listener.start()
        self.wrong += self._recover("the start")
        self.began = time.time()
        self.books.start()
        for caller in self.callers:
            caller.start()
        for number in range(1, self.options.rounds + 1):
            self._round(number)
        self._wait_for_a_bar()
        for client in (*self.callers, *self.listeners):
            client.stop()
        self.ended = time.time()
        self.wrong += self._final_checks(self.began, self.ended)
        self.books.stop()
        return self.wrong

    def result(self) -> dict[str, Any]:
        """Return what happened, for a file."""
        lags = [lag for of_node in self.books.lags.values() for lag in of_node]
        return {
            "seed": self.seed, "seconds": self.ended - self.began,
            "minutes": len(checks.whole_minutes(self.began, self.ended)), "rounds": self.rounds, "wrong": self.wrong,
            "answered": sum(each.answered for each in self.tallies), "accounts": len(self.tallies),
            "unknown": sum(each.unknown for each in self.tallies), "failures": len(self.record.failures),
            "streamed": sum(listener.prices for listener in self.listeners),
            "book_seconds": {"p50": percentile(lags, 0.5), "p99": percentile(lags, 0.99)},
        }  # fmt: skip

    def _round(self, number: int) -> None:
        self._renew_small()
        self.chance.seed(self.seed + number - 1)
        names, before = self._draw(number), self._marks()
        began = time.monotonic()
        fault = disturb(self.cluster, names, self.chance, self.options.hold)
        held = time.monotonic() - began
        self.lost += fault.lost_seconds * _STEADY_RATE * len(self.cluster.nodes)
        wrong = fault.wrong + self._recover(f"round {number}")
        self._ask_bank()
        failures = self.record.failures[before[0] :]
        wrong += checks.unexpected(failures, fault.disturbed, fault.without_grants, self._disturbed_before)
        self._disturbed_before = fault.disturbed
        wrong += self.record.older[before[1] :] + self.books.older[before[2] :]
        wrong += checks.overshot(self.tallies, _QUOTA, self.lost) + checks.doubled_fixings(self.cluster)
        took = time.monotonic() - began - held
        said = f"; WRONG {'; '.join(wrong)}" if wrong else ""
        print(f"round {number}, seed {self.seed + number - 1}: {', '.join(names)}; held {held:.1f} s, "
              f"recovered in {took:.1f} s, {len(failures)} calls failed{said}", flush=True)  # fmt: skip
        self.wrong += [f"round {number} ({', '.join(names)}): {sentence}" for sentence in wrong]
        self.rounds.append({"faults": names, "held": held, "recovered": took, "failed": len(failures), "wrong": wrong})
        reap({node.process.pid for node in self.cluster.nodes if node.process})

    def _wait_for_a_bar(self) -> None:
        """Go on under load until a whole minute has passed since the beginning, so that there is a bar to look for."""
        left = self.began + _A_WHOLE_MINUTE_SECONDS - time.time()
        until(lambda: checks.whole_minutes(self.began, time.time()), left)

    def _marks(self) -> tuple[int, int, int]:
        return len(self.record.failures), len(self.record.older), len(self.books.older)

    def _draw(self, number: int) -> list[str]:
        possible = possible_faults(self.cluster)
        if self.options.faults:
            name = self.options.faults[(number - 1) % len(self.options.faults)]
            return [name if name in possible else "kill node"]
        drawn = self.chance.sample(possible, self.chance.randint(1, self.options.most))
        for server in ("PostgreSQL", "Redis"):  # each has one fault at a time
            of_server = [name for name in drawn if name.endswith(server)]
            drawn = [name for name in drawn if name not in of_server[1:]]
        return drawn

    def _account(self, name: str, plan: str) -> Tally:
        tally, wrong = create_account(self.cluster, name, plan, self.chance)
        self.tallies.append(tally)
        self.wrong += wrong
        return tally

    def _renew_small(self) -> None:
        """Take a new account when the quota of the last one is used up everywhere."""
        if self.small is None or len(self.small.refused_by) == len(self.cluster.nodes):
            self.small = None
            self.small = self._account(f"{checks.SMALL}{len(self.tallies)}", "small")

    def _ask_bank(self) -> None:
        """Have an operator of some node ask the bank now."""
        ask_source(DataDirectory(self.chance.choice(self.cluster.nodes).data), "bank", utc_now())

    def _recover(self, when: str) -> list[str]:
        """Wait until all nodes answer with fresh prices, and one leads; return what does not."""
        missing, since = list[str](), utc_now()

        def is_well() -> bool:
            missing[:] = self._missing(since)
            return not missing

        return [] if until(is_well, _RECOVERY_SECONDS) else [f"not well after {when}: {each}" for each in missing]

    def _missing(self, since: datetime) -> list[str]:
        missing = []
        for node in self.cluster.nodes:
            node.start()
            status, content = node.get(PRICE, self.cluster.key)
            if status != 200:
                missing.append(f"{node.name} answers {status} {content}")
            if (age := self.books.age(node)) > _FRESH_SECONDS:
                missing.append(f"the book of {node.name} is {age:.0f} s old")
            missing += _unlinked(node, len(self.cluster.nodes), since)
        for listener in self.listeners:
            if listener.silence > _FRESH_SECONDS:
                missing.append(f"the stream of {listener.node.name} has sent no price for {listener.silence:.0f} s")
        with contextlib.suppress(OperationalError):
            return missing if self.cluster.leader() else [*missing, "nobody leads"]
        return [*missing, "PostgreSQL does not answer"]

    def _final_checks(self, since: float, end: float) -> list[str]:
        published = self.cluster.freeze()
        wrong = self._recover("the last round")
        wrong += self._caught_up(lambda: checks.unlike_published(self.cluster, published))
        wrong += checks.unsettled(self.cluster, self.tallies, _SETTLE_SECONDS, self.lost)
        wrong += checks.doubled_fixings(self.cluster) + checks.overshot(self.tallies, _QUOTA, self.lost)
        wrong += self._caught_up(lambda: checks.lost_bars(self.cluster, since, end))
        wrong += checks.tracebacks(self.cluster.nodes)
        if self.options.compare:
            alone = undisturbed_archive(self.cluster, len(published))
            wrong += checks.differences(checks.archived(self.cluster), alone, "an undisturbed run")
        return wrong

    def _caught_up(self, check: Callable[[], list[str]]) -> list[str]:
        """Return what is still wrong when there was time to catch up; the bank is asked again meanwhile."""
        wrong: list[str] = []

        def is_right() -> bool:
            self._ask_bank()
            time.sleep(1)
            wrong[:] = check()
            return not wrong

        return [] if until(is_right, _SETTLE_SECONDS * 2) else wrong


def _unlinked(node: Node, count: int, since: datetime) -> list[str]:
    """Return what the link of a node does not reach, by the report that it writes every second."""
    report = read_json_file(node.data / "cluster.json", ClusterReport)
    own = report and report.own
    if report is None or own is None or report.written_at < since:
        return [f"the link of {node.name} does not report"]
    wrong = {
        "is not linked to Redis": not own.redis_linked,
        "does not reach PostgreSQL": not own.database_reachable,
        f"knows {len(report.nodes)} nodes": len(report.nodes) != count,
    }
    return [f"{node.name} {what}" for what, holds in wrong.items() if holds]

"""Faults of nodes, processes, servers and cables. Each is made, held for a while, and undone."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass, field

from tools.cluster.cluster import Cluster
from tools.cluster.node import Node
from tools.cluster.processes import command_line, send

from cambist.storage.shared.rate_book.reader import RateBookReader

INGEST, LINK, WORKER, USAGE_WRITER, STREAM = "ingest", "cluster link", "worker", "usage writer", "stream"
_TRACKER = "resource_tracker"
"""The process of Python's multiprocessing that is started beside a worker, and logs a traceback if it is killed."""
_FRESH_SECONDS = 2.0
_PUBLISHING_SECONDS = 0.5
_LOOK_SECONDS = 0.1
_WRONG_SECONDS = 7200
_HALF = 0.5
_BEHIND_SECONDS = 3.0
_FOLDED_SECONDS = 2.0
"""Calls of so many seconds may be written by one commit."""
_TERM_SECONDS = 5.0
"""A leader that is paused for longer has a successor."""


@dataclass
class Disturbance:
    """A fault that is in force: the nodes whose answers may fail meanwhile, and how long it holds.

    `without_grants` are nodes that cannot be granted calls: accounts may use up what these nodes hold for them.
    What was committed in `lost_seconds` before the fault is lost.
    """

    cluster: Cluster
    chance: random.Random
    undo: ExitStack
    disturbed: set[int] = field(default_factory=set)
    without_grants: set[int] = field(default_factory=set)
    lost_seconds: float = 0.0
    fixed: float | None = None
    seconds: float = 0.0
    expected: list[Callable[[], str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def expect(self, see: Callable[[], str]) -> None:
        """Have `see` look, before the fault is undone, for what must hold until then; it returns what does not."""
        self.expected.append(see)

    def hold(self, shortest: float, longest: float) -> None:
        """Have it hold for some time, or for the one that is `fixed`."""
        drawn = self.chance.uniform(shortest, longest)
        self.seconds = max(self.seconds, drawn if self.fixed is None else self.fixed)

    def node(self, *, fails: bool = True) -> Node:
        """Draw a node; `fails` if its answers may."""
        node = self.chance.choice(self.cluster.nodes)
        if fails:
            self.disturbed.add(node.number)
        return node

    def leader(self) -> Node:
        """Return the node that leads, or one that is drawn."""
        drawn = self.node(fails=False)
        return self.cluster.leader() or drawn


def _kill(node: Node, name: str) -> None:
    for process in node.processes(name):
        send(process.pid, signal.SIGKILL)


def _kill_process(name: str, *, fails: bool = False) -> Callable[[Disturbance], None]:
    def make(fault: Disturbance) -> None:
        node = fault.node(fails=fails)
        fault.without_grants |= {node.number} if name == LINK else set()
        _kill(node, name)

    return make


def _kill_leader(fault: Disturbance) -> None:
    _kill(fault.leader(), INGEST)


def _kill_archive_worker(fault: Disturbance) -> None:
    leader = fault.leader()
    ingests = {each.pid for each in leader.processes(INGEST)}
    for process in leader.processes():
        if process.parent in ingests and _TRACKER not in command_line(process.pid):
            send(process.pid, signal.SIGKILL)


def _kill_node(fault: Disturbance) -> None:
    node = fault.node()
    node.kill()
    fault.hold(0, 8)
    fault.undo.callback(node.start)


def _kill_leading_node(fault: Disturbance) -> None:
    node = fault.leader()
    fault.disturbed.add(node.number)
    node.kill()
    fault.hold(0, 12)
    fault.undo.callback(node.start)


def _restart_node(fault: Disturbance) -> None:
    node = fault.node()
    node.stop()
    node.start()


def _pause(node: Node, name: str, fault: Disturbance) -> None:
    fault.undo.callback(node.resume)
    node.pause(name)


def _pause_process(name: str) -> Callable[[Disturbance], None]:
    def make(fault: Disturbance) -> None:
        node = fault.node(fails=False)
        fault.without_grants |= {node.number} if name == LINK else set()
        _pause(node, name, fault)
        fault.hold(0.5, 6)

    return make


def _pause_leader(fault: Disturbance) -> None:
    _pause(fault.leader(), INGEST, fault)
    fault.hold(_TERM_SECONDS - 2, 3 * _TERM_SECONDS)


def _pause_node(fault: Disturbance) -> None:
    _pause(fault.node(), "", fault)
    fault.hold(0.5, 12)


def _cut_node(fault: Disturbance) -> None:
    node = fault.node()
    fault.undo.callback(fault.cluster.network.heal, node.number)
    fault.cluster.network.cut(node.number)
    fault.hold(0.5, 12)


def _cut_from(server: int) -> Callable[[Disturbance], None]:
    def make(fault: Disturbance) -> None:
        node, network = fault.node(fails=False), fault.cluster.network
        fault.undo.callback(network.heal_from, node.number, network.servers[server])
        fault.without_grants.add(node.number)
        network.cut_from(node.number, network.servers[server])
        fault.hold(0.5, 12)

    return make


def _force_two_leaders(fault: Disturbance) -> None:
    """Cut the leader from PostgreSQL alone: it goes on publishing, and another one leads and publishes too."""
    node, make = _publishing_leader(fault), fault.cluster.network
    fault.undo.callback(make.heal_from, node.number, make.servers[0])
    fault.without_grants.add(node.number)
    make.cut_from(node.number, make.servers[0])
    fault.hold(2 * _TERM_SECONDS, 4 * _TERM_SECONDS)
    fault.seconds = max(fault.seconds, 2 * _TERM_SECONDS)  # nobody else leads before the term has ended
    fault.expect(lambda: _is_one_leader(fault.cluster, node))


def _cut_leader_from_redis(fault: Disturbance) -> None:
    """Cut the leader from Redis alone: it cannot publish to the others, and makes way for one that can."""
    node, network = _publishing_leader(fault), fault.cluster.network
    fault.undo.callback(network.heal_from, node.number, network.servers[1])
    fault.without_grants.add(node.number)
    network.cut_from(node.number, network.servers[1])
    fault.hold(3 * _TERM_SECONDS, 4 * _TERM_SECONDS)
    fault.seconds = max(fault.seconds, 3 * _TERM_SECONDS)
    fault.expect(lambda: _has_made_way(fault.cluster, node))


def _has_made_way(cluster: Cluster, older: Node) -> str:
    """Return what is wrong if no other node leads and publishes in place of one that should not lead."""
    newer = cluster.leader()
    if newer is None or newer is older:
        return f"{older.name} should not lead, and nobody else does"
    age = time.time() - (RateBookReader(newer.data / "rates.book").published_at() or 0.0)
    return f"{newer.name} leads, and its prices are {age:.1f} s old" if age > _FRESH_SECONDS else ""


def _publishing_leader(fault: Disturbance) -> Node:
    """Return the leader as soon as it publishes: after a round that killed its ingest, another node may follow it."""
    node, until = fault.leader(), time.monotonic() + 4 * _TERM_SECONDS
    while time.monotonic() < until:
        book = RateBookReader(node.data / "ingest" / "rates.book")
        if time.time() - (book.published_at() or 0.0) < _PUBLISHING_SECONDS:
            break
        time.sleep(_LOOK_SECONDS)
        node = fault.cluster.leader() or node
    return node


def _is_one_leader(cluster: Cluster, older: Node) -> str:
    """Return what is wrong if a leader that was cut off does not publish beside its successor, in a lower epoch."""
    newer = cluster.leader()
    if newer is None or newer is older:
        return f"{older.name} was cut from PostgreSQL, and nobody else leads"
    books = [RateBookReader(node.data / "ingest" / "rates.book") for node in (older, newer)]
    (old_epoch, _), (new_epoch, _) = ((book.age_order() or (0, 0)) for book in books)
    ages = [time.time() - (book.published_at() or 0.0) for book in books]
    if old_epoch >= new_epoch or max(ages) > _FRESH_SECONDS:
        return f"{older.name} in epoch {old_epoch} and {newer.name} in {new_epoch} published {ages} seconds ago"
    return ""


def _set_clock(fault: Disturbance) -> None:
    """Set the clock of a node two hours ahead or back, half of the time that of the leader, which then makes way.

    A node whose clock is ahead finds all prices too old, and answers 503. So do all while their leader's is behind.
    """
    seconds, of_leader = fault.chance.choice((-_WRONG_SECONDS, _WRONG_SECONDS)), fault.chance.random() < _HALF
    node = _publishing_leader(fault) if of_leader else fault.node(fails=False)
    assert node.clock is not None
    is_for_all = seconds < 0 and node is fault.cluster.leader()
    fault.disturbed |= {each.number for each in fault.cluster.nodes if is_for_all or each is node}
    fault.undo.callback(node.clock.set, 0)
    node.clock.set(seconds)
    fault.hold(2 * _TERM_SECONDS, 4 * _TERM_SECONDS)
    fault.seconds = max(fault.seconds, 2 * _TERM_SECONDS)
    fault.expect(lambda: _has_made_way(fault.cluster, node))


def _kill_postgresql(fault: Disturbance) -> None:
    fault.undo.callback(fault.cluster.postgresql.start)
    fault.without_grants |= {node.number for node in fault.cluster.nodes}
    fault.cluster.postgresql.kill()
    fault.hold(0, 8)


def _pause_postgresql(fault: Disturbance) -> None:
    fault.undo.callback(fault.cluster.postgresql.resume)
    fault.without_grants |= {node.number for node in fault.cluster.nodes}
    fault.cluster.postgresql.pause()
    fault.hold(0.5, 8)


def _promote_standby(fault: Disturbance) -> None:
    """Lose the primary and what was committed last: its standby, which confirmed no commit, is promoted."""
    fault.undo.callback(fault.cluster.postgresql.follow)
    fault.without_grants |= {node.number for node in fault.cluster.nodes}
    behind = fault.chance.choice((0.0, _BEHIND_SECONDS))
    fault.lost_seconds += behind + _FOLDED_SECONDS
    fault.cluster.postgresql.promote(behind)
    fault.hold(0, 8)


def _kill_redis(fault: Disturbance) -> None:
    fault.undo.callback(fault.cluster.redis.start)
    fault.cluster.redis.kill()
    fault.hold(0, 8)


def _pause_redis(fault: Disturbance) -> None:
    fault.undo.callback(fault.cluster.redis.resume)
    fault.cluster.redis.pause()
    fault.hold(0.5, 8)


def _flush_redis(fault: Disturbance) -> None:
    fault.cluster.redis.flush()


FAULTS: dict[str, Callable[[Disturbance], None]] = {
    "kill workers": _kill_process(WORKER, fails=True),
    "kill usage writer": _kill_process(USAGE_WRITER),
    "kill link": _kill_process(LINK),
    "kill stream": _kill_process(STREAM),
    "kill leader": _kill_leader,
    "kill archive worker": _kill_archive_worker,
    "kill ingest": _kill_process(INGEST),
    "kill node": _kill_node,
    "kill leading node": _kill_leading_node,
    "restart node": _restart_node,
    "pause usage writer": _pause_process(USAGE_WRITER),
    "pause link": _pause_process(LINK),
    "pause leader": _pause_leader,
    "pause node": _pause_node,
    "cut node": _cut_node,
    "cut from PostgreSQL": _cut_from(0),
    "cut from Redis": _cut_from(1),
    "cut leader from Redis": _cut_leader_from_redis,
    "force two leaders": _force_two_leaders,
    "set clock": _set_clock,
    "kill PostgreSQL": _kill_postgresql,
    "pause PostgreSQL": _pause_postgresql,
    "promote standby of PostgreSQL": _promote_standby,
    "kill Redis": _kill_redis,
    "pause Redis": _pause_redis,
    "flush Redis": _flush_redis,
}
"""All faults by name."""

_CUTS = {"cut node", "cut from PostgreSQL", "cut from Redis", "cut leader from Redis", "force two leaders"}


def possible_faults(cluster: Cluster, chosen: Collection[str] = ()) -> list[str]:
    """Return the names of the faults that can be made here, all or those that are chosen."""
    impossible = set[str]()
    if not cluster.network.can_cut:
        impossible |= _CUTS
    if not all(node.clock for node in cluster.nodes):
        impossible.add("set clock")
    names = [name for name in FAULTS if name not in impossible]
    return [name for name in names if not chosen or name in chosen]


def disturb(cluster: Cluster, names: Collection[str], chance: random.Random, hold: float | None = None) -> Disturbance:
    """Make faults one after another, hold them for `hold` seconds or as drawn, and undo them all.

    Return what may have failed.
    """
    with ExitStack() as undo:
        fault = Disturbance(cluster, chance, undo, fixed=hold)
        for name in names:
            FAULTS[name](fault)
        time.sleep(fault.seconds)
        if len(names) == 1:  # another fault may have ended what is looked for
            fault.wrong += filter(None, (see() for see in fault.expected))
    return fault

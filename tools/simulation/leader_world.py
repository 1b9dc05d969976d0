"""The world of several nodes of which one leads, over one database and one Redis, and what must hold of them."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

from tools.simulation.connections import Connections
from tools.simulation.databases import new_database
from tools.simulation.leader_node import SOURCE, LeaderNode, Surroundings
from tools.simulation.memory_redis import RedisServer
from tools.simulation.patches import Patch, clock_patches
from tools.simulation.scenario import Fault, Scenario
from tools.simulation.trace import Trace
from tools.simulation.violation import require
from tools.simulation.virtual_loop import VirtualLoop

from cambist.history.fixing import FilingResult, Fixing
from cambist.pricing.pair import Pair
from cambist.status.leadership import LeaderState
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends import sqlite

FENCED = "only the last leader files"
TERM = "a term in force is not taken"
BOOK_ORDER = "a book shown is never older than one shown before"
TAKEN_OVER = "another node leads after ten seconds"
HEARD = "a leader that the others do not hear makes way for one that they hear"
ARCHIVED = "the archive is equal to what the source said"
SAME_BOOK = "all nodes show the book of the leader"
PAUSED, NO_DATABASE, NO_REDIS, ENDED, FLUSHED = "paused", "no database", "no Redis", "ended", "flushed"
_WORD_SECONDS = 10.0
_LAG_SECONDS = 10.0
_TAKEN_OVER_SECONDS = 10.0
_UNHEARD_SECONDS = 75.0
_QUIET_SECONDS = 60.0
_LOOK_SECONDS = 0.5
_FIRST = datetime(1970, 1, 1, tzinfo=UTC).date()


class LeaderWorld:
    """The nodes, and what each has filed and shown.

    A pause or a cut link lasts for as many seconds as the amount of the fault. A node that ends begins again at once.
    """

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self._scenario = scenario
        self.loop = VirtualLoop(datetime.combine(scenario.first_day, time(), UTC))
        self.trace = Trace(self.loop.now)
        self.connections = Connections(self.loop.now, self._before)
        url = f"sqlite:///{new_database(folder)}"
        self._around = Surroundings(self.loop, url, RedisServer(), self._fixings, self)
        self._folder = folder
        self._nodes: dict[int, LeaderNode] = {}
        self._running: dict[int, asyncio.Task[None]] = {}
        self._starts = 0
        self._term: LeaderState | None = None
        self._shown: dict[str, tuple[int, int]] = {}
        self._unheard_since: float | None = None

    def _before(self, _statement: str) -> None:
        """Let the statements of a node fail that is cut off from the database."""
        if self._around.at_work and self._around.at_work[-1].is_without_database:
            raise sqlite3.OperationalError("the database cannot be reached")

    def _fixings(self) -> list[Fixing]:
        """Return what the source says by now: a fixing of another day every few seconds."""
        count = int(self.loop.time() // _WORD_SECONDS) + 1
        return [
            Fixing(SOURCE, Pair("EUR", "USD"), _FIRST + timedelta(days=number), Decimal(100 + number) / 100)
            for number in range(count)
        ]

    def patches(self) -> list[Patch]:
        """Return what is replaced while this world runs."""
        return [*clock_patches(self.loop.now), (sqlite, "create_engine", self.connections.create_engine)]

    def run(self) -> None:
        """Run the scenario. Errors: ViolationError."""
        self._store = SqlStore(self._around.url)
        try:
            self.loop.run_until_complete(self._run())
        finally:
            self.loop.close()

    async def _run(self) -> None:
        for number in range(self._scenario.nodes):
            self._begin(number)
        events = sorted(self._scenario.faults, key=lambda fault: fault.hour)
        look = asyncio.ensure_future(self._look())
        try:
            for fault in events:
                await self._wait(fault.hour * 3600 - self.loop.time(), look)
                await self._fail(fault)
            ends = max(self.loop.time(), *(node.faults.until for node in self._nodes.values()))
            await self._wait(ends - self.loop.time() + _QUIET_SECONDS, look)
            self._check_end()
        finally:
            for task in (look, *self._running.values()):
                task.cancel()
            await asyncio.gather(look, *self._running.values(), return_exceptions=True)

    async def _wait(self, seconds: float, look: asyncio.Task[None]) -> None:
        """Let time pass. Errors: those of the nodes and of what is looked for."""
        tasks = [look, *self._running.values()]
        done, _ = await asyncio.wait(tasks, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    def _begin(self, number: int) -> None:
        name = f"node-{number}"
        folder = self._folder / name
        folder.mkdir(mode=0o700, exist_ok=True)
        self._starts += 1
        self._nodes[number] = LeaderNode(name, f"process {self._starts}", folder, self._around)
        self._running[number] = asyncio.ensure_future(self._nodes[number].run())

    async def _fail(self, fault: Fault) -> None:
        number = self._chosen(fault)
        node, until = self._nodes[number], self.loop.time() + fault.amount
        lasts = "" if fault.kind in {ENDED, FLUSHED} else f" for {fault.amount:.1f} s"
        self.trace.add(f"{node.name}: {fault.kind}{lasts}")
        if fault.kind == PAUSED:
            node.faults.paused = max(node.faults.paused, until)
        elif fault.kind == NO_DATABASE:
            node.faults.without_database = max(node.faults.without_database, until)
        elif fault.kind == NO_REDIS:
            node.faults.without_redis = max(node.faults.without_redis, until)
        elif fault.kind == FLUSHED:
            self._around.redis.book = {}
        else:
            self._running[number].cancel()
            await asyncio.gather(self._running[number], return_exceptions=True)
            self._begin(number)

    def _chosen(self, fault: Fault) -> int:
        """Return the node of a fault: the leader for an odd step."""
        if fault.step % 2 and self._term is not None:
            return next((n for n, node in self._nodes.items() if node.name == self._term.node), 0)
        return fault.node % len(self._nodes)

    def attempted(self, node: LeaderNode) -> None:
        """Check that a term was free when it was taken."""
        before, now = self._term, self._store.leadership.current()
        if now is not None and before is not None and now.holder != before.holder:
            is_free = before.expires_at <= self.loop.now()
            require(is_free, TERM, f"{node.name} took the term of {before.node}, which is in force")
        if now is not None and (before is None or now.epoch != before.epoch):
            require(before is None or now.epoch > before.epoch, TERM, f"epoch {now.epoch} came after another")
            self.trace.add(f"{now.node} leads in epoch {now.epoch}")
        self._term = now

    def filed(self, node: LeaderNode, epoch: int, result: FilingResult) -> None:
        """Check that the node that has filed something is the last one that took the term."""
        last = self._store.leadership.current()
        is_last = last is not None and last.epoch == epoch
        require(is_last, FENCED, f"{node.name} filed in epoch {epoch}, but the last one is {last and last.epoch}")
        if result.added or result.corrected:
            self.trace.add(f"{node.name} files +{result.added} ~{result.corrected}")

    def showed(self, node: LeaderNode) -> None:
        """Check that a node shows no older book than before."""
        order = node.books.age_order() or (0, 0)
        last = self._shown.get(node.name, (0, 0))
        require(order >= last, BOOK_ORDER, f"{node.name} shows {order} after {last}")
        if order[0] != last[0]:
            self.trace.add(f"{node.name} shows books of epoch {order[0]}")
        self._shown[node.name] = order

    async def _look(self) -> None:
        """Look again and again whether somebody leads, while some node is neither paused nor cut off."""
        without = 0.0
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            state = self._store.leadership.current()
            is_led = state is not None and not state.has_expired
            is_anyone_well = any(self._is_well(node) for node in self._nodes.values())
            without = 0.0 if is_led or not is_anyone_well else without + _LOOK_SECONDS
            require(without <= _TAKEN_OVER_SECONDS, TAKEN_OVER, f"nobody has led for {without} s")
            self._check_reach(state.node if state and is_led else "")

    def _check_reach(self, leading: str) -> None:
        """Check that no node leads for long that the others do not hear, while another could."""
        now = self.loop.time()
        others = [node for node in self._nodes.values() if node.name != leading]
        leader = next((node for node in self._nodes.values() if node.name == leading), None)
        is_unheard = leader is not None and leader.is_without_redis and any(self._is_whole(node) for node in others)
        self._unheard_since = (self._unheard_since or now) if is_unheard else None
        unheard = now - self._unheard_since if self._unheard_since is not None else 0.0
        require(unheard <= _UNHEARD_SECONDS, HEARD, f"{leading} has led unheard for {unheard} s")

    def _is_whole(self, node: LeaderNode) -> bool:
        return self.loop.time() > node.faults.until

    def _is_well(self, node: LeaderNode) -> bool:
        return self.loop.time() > max(node.faults.paused, node.faults.without_database)

    def _check_end(self) -> None:
        """Check that all is archived once, and that all nodes show the same fresh book of the one that leads."""
        last = int((self.loop.time() - _LAG_SECONDS) // _WORD_SECONDS)
        said = {scripted.day: scripted.value for scripted in self._fixings()}
        stored = [(one.day, one.value) for one in self._store.archive.fixings(SOURCE)]
        require(len({day for day, _ in stored}) == len(stored), ARCHIVED, "a day is stored twice")
        wrong = [(day, value) for day, value in stored if said.get(day) != value]
        require(not wrong, ARCHIVED, f"{wrong[:1]} was never said")
        missing = [day for day in list(said)[: last + 1] if day not in dict(stored)]
        require(not missing, ARCHIVED, f"{missing[:1]} is lost")
        shown = {node.name: node.books.current() for node in self._nodes.values()}
        state = self._store.leadership.current()
        for node in self._nodes.values():
            order, book = node.books.age_order(), shown[node.name]
            is_fresh = book is not None and self.loop.now() - book.as_of <= timedelta(seconds=5)
            is_led = state is not None and order is not None and order[0] == state.epoch
            require(is_fresh and is_led, SAME_BOOK, f"{node.name} shows {order} of {book and book.as_of}")
        self.trace.add(f"{len(stored)} fixings archived, epoch {state and state.epoch}")

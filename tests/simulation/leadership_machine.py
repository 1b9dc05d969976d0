"""A state machine of several nodes that compete for the lead: only the last one that took it files anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from tests.simulation.state_machines import DAYS, NODES, NOON, PAIRS, SOURCE, WithStore

from cambist.errors import NoLongerLeading
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.storage.sql import SqlStore
from cambist.storage.sql.backends.sqlite import SqliteBackend

TERM_SECONDS = 5.0


@dataclass
class Node:
    """A node; `holder` is its process, and `epoch` is in which it believes to lead, perhaps wrongly."""

    name: str
    starts: int = 0
    epoch: int | None = None

    @property
    def holder(self) -> str:
        """The name of the process."""
        return f"{self.name} {self.starts}"


@dataclass
class Term:
    """The term as the database should have it."""

    epoch: int
    holder: str
    ends: datetime


class LeadershipMachine(WithStore):
    """Nodes take, renew and release the term, are paused and restarted, and file whatever they believe.

    A paused node does nothing until it is drawn again, and then acts on what it knew before. Time is that of the
    database, and passes in steps.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = NOON
        self._real_now = SqliteBackend.now
        machine = self

        def now(_backend: SqliteBackend, _connection: Any) -> datetime:
            return machine.now.replace(tzinfo=None)

        SqliteBackend.now = now  # type: ignore[method-assign]
        self.nodes = {name: Node(name) for name in NODES}
        self.term: Term | None = None
        self.epochs: list[int] = []
        self.filed: list[Decimal] = []
        self.deliveries = 0

    def teardown(self) -> None:
        """Give the database its own clock back."""
        SqliteBackend.now = self._real_now  # type: ignore[method-assign]
        super().teardown()

    @rule(seconds=st.sampled_from([0.5, 2.0, 4.5, 6.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    @rule(name=st.sampled_from(NODES))
    def take(self, name: str) -> None:
        """Ask for the term: it is had if nobody has it."""
        node, before = self.nodes[name], self.term
        is_own = before is not None and before.holder == node.holder
        is_free = before is None or before.ends <= self.now or is_own
        epoch = self.store.leadership.take(name, node.holder, TERM_SECONDS)
        assert (epoch is not None) == is_free
        if epoch is None:
            return
        if is_own:
            assert epoch == self.epochs[-1]
        else:
            assert epoch > max(self.epochs, default=0)
            self.epochs.append(epoch)
        node.epoch = epoch
        self.term = Term(epoch, node.holder, self.now + timedelta(seconds=TERM_SECONDS))

    @rule(name=st.sampled_from(NODES))
    def take_over(self, name: str) -> None:
        """Take the term as soon as it has ended: its holder is paused or cut off."""
        if self.term is not None:
            self.now = max(self.now, self.term.ends)
        self.take(name)

    @rule(name=st.sampled_from(NODES))
    def renew(self, name: str) -> None:
        """Hold the term for longer, unless another node has taken it."""
        node = self.nodes[name]
        if node.epoch is None:
            return
        leads = self.term is not None and (node.epoch, node.holder) == (self.term.epoch, self.term.holder)
        assert self.store.leadership.renew(node.epoch, node.holder, TERM_SECONDS) == leads
        if leads and self.term is not None:
            self.term.ends = self.now + timedelta(seconds=TERM_SECONDS)
        else:
            node.epoch = None

    @rule(name=st.sampled_from(NODES))
    def release(self, name: str) -> None:
        """Give the term up."""
        node = self.nodes[name]
        if node.epoch is not None:
            self.store.leadership.release(node.epoch, node.holder)
            if self.term is not None and (node.epoch, node.holder) == (self.term.epoch, self.term.holder):
                self.term.ends = self.now
            node.epoch = None

    @rule(name=st.sampled_from(NODES))
    def restart_node(self, name: str) -> None:
        """Kill a node and start it again."""
        self.nodes[name].starts += 1
        self.nodes[name].epoch = None

    @rule(name=st.sampled_from(NODES))
    def file(self, name: str) -> None:
        """File a correction as a leader, also as one that has been overtaken and does not know it."""
        node = self.nodes[name]
        if node.epoch is None:
            return
        self.deliveries += 1
        value = Decimal(self.deliveries)
        delivery = DeliveryRecord(SOURCE, NOON + timedelta(seconds=self.deliveries), name, str(self.deliveries))
        store = SqlStore(self.url, node.epoch)
        try:
            store.archive.file(delivery, [Fixing(SOURCE, PAIRS[0], DAYS[0], value)])
        except NoLongerLeading:
            is_filed = False
        else:
            is_filed = True
        finally:
            store.close()
        assert is_filed == (self.term is not None and self.term.epoch == node.epoch)
        if is_filed:
            self.filed.append(value)

    @invariant()
    def only_leaders_have_filed(self) -> None:
        """Compare the archive with what leaders filed, and the term with what it should be."""
        assert [each.fixing.value for each in self.store.archive.revisions(PAIRS[0], DAYS[0])] == self.filed
        current = self.store.leadership.current()
        if self.term is None or current is None:
            assert current is None
            assert self.term is None
            return
        assert (current.epoch, current.holder, current.expires_at) == (
            self.term.epoch,
            self.term.holder,
            self.term.ends.astimezone(UTC),
        )

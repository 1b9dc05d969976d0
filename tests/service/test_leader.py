"""Several ingest processes over one PostgreSQL: one leads, and another takes over whatever happens to it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.postgresql import TestServer, postgresql_server
from tests.service.processes import ended_in_the_end, until

from cambist.status.leadership import LeaderState
from cambist.storage.shared.rate_book_file import RateBookFile
from cambist.storage.sql import SqlStore

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PLAYER = Path(__file__).parent.parent / "loopback" / "play.py"
NODE = Path(__file__).parent / "ingest_node.py"
SILENCE_SECONDS = 3
SHORTLY_BEFORE = 57
FIXINGS_TWICE = """
    SELECT s.source, f.day FROM fixings f JOIN series s ON s.id = f.series_id
    GROUP BY s.source, s.id, f.day, f.nominal, f.value HAVING count(*) > 1
"""
MINUTES = """
    SELECT (b.start - min(b.start) OVER ()) / 60, count(*) FROM bars b JOIN bar_series s ON s.id = b.series_id
    WHERE s.interval = 'PT1M' GROUP BY b.start ORDER BY b.start
"""


@dataclass
class Node:
    """An ingest process with a data folder of its own."""

    name: str
    data: Path
    process: subprocess.Popen[bytes]

    @property
    def book(self) -> tuple[int, int]:
        """The epoch and the version of the book that it publishes for all nodes; zeros if there is none."""
        return RateBookFile(self.data / "ingest").age_order() or (0, 0)

    @property
    def log(self) -> str:
        return self.data.with_suffix(".log").read_text()


@dataclass
class Nodes:
    """The nodes of a test, and their database."""

    server: TestServer
    database: str
    store: SqlStore
    start: Callable[[str], Node]

    @property
    def leader(self) -> LeaderState:
        state = self.store.leadership.current()
        assert state is not None
        return state

    def leads(self, node: Node) -> bool:
        """Return whether a node leads, and publishes in its epoch."""
        state = self.store.leadership.current()
        return state is not None and not state.has_expired and state.node == node.name and node.book[0] == state.epoch

    def filed_twice(self) -> list[object]:
        return self.server.execute(FIXINGS_TWICE, self.database)

    def deliveries(self) -> int:
        (found,) = self.server.execute("SELECT count(*) FROM deliveries", self.database)
        return int(found[0])


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    ready = tmp_path_factory.mktemp("sources") / "port"
    player = subprocess.Popen([sys.executable, str(PLAYER), "--ready", str(ready), "--for", "2400", "--rate", "20"])
    with ended_in_the_end(player):
        assert until(lambda: ready.exists() or player.poll() is not None, PATIENCE)
        yield f"http://127.0.0.1:{ready.read_text().strip()}"


@pytest.fixture
def nodes(gateway: str, tmp_path: Path) -> Iterator[Nodes]:
    server = postgresql_server()
    database = server.new_database()
    store = SqlStore(server.url(database))
    store.migrate()
    with ExitStack() as stack:

        def start(name: str) -> Node:
            data = tmp_path / name
            data.mkdir(exist_ok=True)
            with data.with_suffix(".log").open("ab") as log:
                command = [sys.executable, str(NODE), str(data), server.url(database), gateway, name]
                process = subprocess.Popen(command, stdout=log, stderr=log)
            stack.enter_context(ended_in_the_end(process))
            return Node(name, data, process)

        yield Nodes(server, database, store, start)
    store.close()
    server.execute(f"DROP DATABASE {database} WITH (FORCE)")


def test_one_node_leads_and_another_takes_over_when_it_is_killed_and_when_it_is_stopped(nodes: Nodes) -> None:
    berlin = nodes.start("berlin")
    assert until(lambda: nodes.leads(berlin) and nodes.deliveries() > 3, PATIENCE), berlin.log
    first = nodes.leader.epoch
    paris = nodes.start("paris")
    assert until(lambda: "sources are polled" in paris.log, PATIENCE), paris.log
    # On a busy machine berlin may lose its lease: paris publishes then, but never while berlin leads.
    assert not until(lambda: paris.book != (0, 0) and nodes.leader.epoch == first, SILENCE_SECONDS), paris.log

    berlin.process.kill()
    assert until(lambda: nodes.leads(paris), PATIENCE), paris.log
    second = nodes.leader.epoch
    assert second > first
    assert "this node leads now" in paris.log

    berlin.process.wait()
    berlin = nodes.start("berlin")
    assert until(lambda: berlin.log.count("sources are polled") == 2, PATIENCE), berlin.log
    paris.process.terminate()
    assert paris.process.wait(PATIENCE) == 0
    assert until(lambda: nodes.leads(berlin), PATIENCE), berlin.log
    assert nodes.leader.epoch > second
    assert nodes.filed_twice() == []
    assert "Traceback" not in berlin.log + paris.log


def test_a_leader_that_was_paused_publishes_and_files_nothing_more(nodes: Nodes) -> None:
    berlin = nodes.start("berlin")
    assert until(lambda: nodes.leads(berlin), PATIENCE), berlin.log
    paris = nodes.start("paris")
    assert until(lambda: "sources are polled" in paris.log, PATIENCE), paris.log
    berlin.process.send_signal(signal.SIGSTOP)
    epoch, version = berlin.book
    assert until(lambda: nodes.leads(paris), PATIENCE), paris.log
    berlin.process.send_signal(signal.SIGCONT)
    assert until(lambda: "this one stands by" in berlin.log, PATIENCE), berlin.log
    last = berlin.book
    assert last in {(epoch, version), (epoch, version + 1)}  # it may have been paused while it published
    assert not until(lambda: berlin.book != last or not nodes.leads(paris), SILENCE_SECONDS)
    assert nodes.filed_twice() == []

    paris.process.kill()
    assert until(lambda: nodes.leads(berlin), PATIENCE), berlin.log
    assert berlin.book[0] > last[0]


def test_a_minute_that_ended_while_nobody_led_is_filed_when_another_node_takes_over(nodes: Nodes) -> None:
    berlin, paris = nodes.start("berlin"), nodes.start("paris")
    assert until(lambda: nodes.leads(berlin) or nodes.leads(paris), PATIENCE), berlin.log
    leader, standby = (berlin, paris) if nodes.leads(berlin) else (paris, berlin)
    minutes = lambda: [int(row[0]) for row in nodes.server.execute(MINUTES, nodes.database)]  # noqa: E731
    assert until(lambda: len(minutes()) >= 1 and "sources are polled" in standby.log, 3 * PATIENCE), leader.log
    before = len(minutes())
    assert until(lambda: time.time() % 60 > SHORTLY_BEFORE, PATIENCE + SILENCE_SECONDS)
    leader.process.kill()  # nobody leads when the minute ends
    assert until(lambda: nodes.leads(standby), PATIENCE), standby.log
    assert until(lambda: len(minutes()) > before, PATIENCE), standby.log
    found = minutes()
    assert found == list(range(len(found)))

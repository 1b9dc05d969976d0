"""Two nodes of one service, with a PostgreSQL and a Redis: what an operator does on one holds on both."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.postgresql import TestServer, postgresql_server
from tests.redis_server import RedisServer
from tests.service.first_start import copy_first_start_on
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PAUSE = 2
LIVE = "/fetch-one?from=EUR&to=USD"


@dataclass
class Node:
    """A node with a data folder of its own, which answers but asks no sources."""

    name: str
    data: Path
    database: str
    redis: str
    port: int = field(default_factory=free_port)
    operator_port: int = field(default_factory=free_port)

    @property
    def environment(self) -> dict[str, str]:
        return environment(
            CAMBIST_DATA=str(self.data),
            CAMBIST_DATABASE=self.database,
            CAMBIST_REDIS=self.redis,
            CAMBIST_NODE=self.name,
            CAMBIST_FETCH="false",
            CAMBIST_PORT=str(self.port),
            CAMBIST_OPERATOR_PORT=str(self.operator_port),
            CAMBIST_WORKERS="1",
            CAMBIST_THREADS="2",
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        with self.data.with_suffix(".log").open("ab") as to:
            process = subprocess.Popen([COMMAND, "serve"], stdout=to, stderr=to, env=self.environment)
        with ended_in_the_end(process):
            assert until(lambda: process.poll() is not None or self.status("") == 401, PATIENCE), self.log
            assert process.poll() is None, self.log
            yield

    def get(self, port: int, path: str, key: str = "") -> tuple[int, Any]:
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
                connection.request("GET", path, headers={"X-API-Key": key} if key else {})
                response = connection.getresponse()
                return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException):
            return 0, None

    def status(self, key: str) -> int:
        """Return the status of the answer to a request with a key."""
        return self.get(self.port, LIVE, key)[0]

    def problems(self) -> list[str]:
        status, found = self.get(self.operator_port, "/health/ready")
        return found["problems"] if status else ["it does not answer"]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments], env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def listed(self) -> dict[str, Any]:
        done = self.run("nodes", "--json")
        assert done.returncode == 0, done.stderr
        return {node["name"]: node for node in json.loads(done.stdout)["nodes"]}

    @property
    def log(self) -> str:
        return self.data.with_suffix(".log").read_text()


@pytest.fixture
def server() -> Iterator[TestServer]:
    server = postgresql_server()
    yield server
    if server.process is None:
        server.start()


@pytest.fixture
def nodes(server: TestServer, redis_server: RedisServer, tmp_path: Path) -> Iterator[tuple[Node, Node]]:
    database = copy_first_start_on(server, tmp_path / "one")
    one, two = (Node(name, tmp_path / name, server.url(database), redis_server.url) for name in ("one", "two"))
    with ExitStack() as stack:
        stack.enter_context(one.running())
        stack.enter_context(two.running())
        yield one, two
    if server.process is None:
        server.start()
    server.execute(f"DROP DATABASE {database} WITH (FORCE)")


def test_what_is_changed_on_one_node_holds_on_both_with_and_without_redis(
    nodes: tuple[Node, Node], redis_server: RedisServer
) -> None:
    one, two = nodes
    assert until(lambda: one.problems() == two.problems() == [], PATIENCE)
    created = one.run("account", "create", "ann", "--plan", "unlimited")
    key = created.stdout.strip()
    assert created.returncode == 0, created.stderr
    assert until(lambda: two.status(key) == one.status(key) == 200, PATIENCE), two.log

    plans = one.data / "plans.toml"
    plans.write_text(plans.read_text() + '\n[guest]\ntags = ["currency"]\n')
    assert two.run("account", "move", "ann", "--plan", "guest").returncode == 2
    assert one.run("plans", "reload").returncode == 0
    assert until(lambda: "[guest]" in (two.data / "plans.toml").read_text(), PATIENCE)
    assert two.run("account", "move", "ann", "--plan", "guest").returncode == 0

    redis_server.kill()
    assert until(lambda: any("Redis cannot be reached" in problem for problem in two.problems()), PATIENCE)
    assert one.run("account", "suspend", "ann").returncode == 0
    assert until(lambda: two.status(key) == one.status(key) == 403, PATIENCE)
    redis_server.start()
    assert until(lambda: one.problems() == two.problems() == [], PATIENCE)


def test_nodes_are_listed_and_a_lost_one_is_forgotten_but_no_running_one(nodes: tuple[Node, Node]) -> None:
    one, two = nodes
    third = Node("three", one.data.with_name("three"), one.database, one.redis)
    with third.running():
        assert until(
            lambda: [node["report"] is not None for node in two.listed().values()] == [True] * 3, PATIENCE, PAUSE
        )
        refused = one.run("nodes", "forget", "three", "--yes")
        assert (refused.returncode, "runs: stop it first" in refused.stderr) == (2, True)
        same = Node("three", one.data.with_name("same"), one.database, one.redis)
        started = same.run("serve")
        assert started.returncode == 2
        assert "Another running node has the name [three]" in started.stderr.splitlines()[-1]
        assert "Traceback" not in started.stderr
        assert third.status("") == 401
    assert until(lambda: not one.listed()["three"]["live"], PATIENCE, PAUSE)
    assert one.run("nodes", "forget", "three", "--yes").returncode == 0
    assert set(two.listed()) == {"one", "two"}


def test_a_node_starts_and_goes_on_without_its_database(nodes: tuple[Node, Node], server: TestServer) -> None:
    one, two = nodes
    key = one.run("account", "create", "ann", "--plan", "unlimited").stdout.strip()
    assert until(lambda: two.status(key) == 200, PATIENCE)
    third = Node("three", one.data.with_name("three"), one.database, one.redis)
    with third.running():
        assert until(lambda: third.status(key) == 200, PATIENCE)
        assert until((third.data / "usage.copy").exists, PATIENCE)
        assert until((third.data / "accounts.copy").exists, PATIENCE)
    server.stop()
    with third.running():
        assert "the service starts with what is in its data folder" in third.log
        assert third.status(key) == two.status(key) == 200
        assert until(lambda: any("PostgreSQL cannot be reached" in problem for problem in two.problems()), PATIENCE)
        refused = two.run("account", "suspend", "ann")
        assert (refused.returncode, "The database cannot be reached" in refused.stderr) == (2, True)
        assert until(lambda: set(two.listed()) == {"one", "three", "two"}, PATIENCE, PAUSE)
        server.start()
        assert until(lambda: two.run("account", "suspend", "ann").returncode == 0, PATIENCE, PAUSE)
        assert until(lambda: third.status(key) == two.status(key) == 403, PATIENCE)

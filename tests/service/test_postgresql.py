"""The real service on PostgreSQL: it answers and counts, moves there and back, and goes on while the server is gone."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.pgbouncer import create_pooler
from tests.postgresql import TestServer, postgresql_server, primary_and_standby, url_of_servers
from tests.service.first_start import copy_first_start, copy_first_start_on
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.admin.doctor.database_checks import sessions_needed
from cambist.settings import Settings

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

CLIENTS, ROUNDS = 16, 20
LIVE = "/fetch-one?from=EUR&to=USD"
PAST = "/historical?from=EUR&to=USD&date=2020-01-03"
BEHIND = "/explain?from=EUR&to=USD&date="
CHECKED = [
    "database",
    "fixings of ecb",
    "fixings of fawazahmed0",
    "fixings of fed",
    "editions",
    "verdicts",
    "usage counters",
    "usage",
    "rate image",
    "book",
    "votes",
]


@dataclass
class Service:
    """A data folder whose database is in PostgreSQL."""

    data: Path
    server: TestServer
    database: str
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    url: str = ""
    """The URL of the database, if it is not that of the server."""

    @property
    def environment(self) -> dict[str, str]:
        database = {"CAMBIST_DATABASE": self.url or self.server.url(self.database)} if self.database else {}
        return environment(CAMBIST_FETCH="false", CAMBIST_DATA=str(self.data), **database)

    @contextmanager
    def running(self) -> Iterator[None]:
        log = self.data.with_suffix(".log")
        with log.open("ab") as to:
            command = [COMMAND, "serve", "--port", str(self.port), "--workers", "2"]
            process = self.process = subprocess.Popen(command, stdout=to, stderr=to, env=self.environment)
        with ended_in_the_end(process):
            assert until(lambda: process.poll() is not None or self.answers(), PATIENCE)
            assert process.poll() is None, log.read_text()
            yield

    def answers(self) -> bool:
        try:
            return self.get("/openapi.json")[0] == 200
        except OSError:
            return False

    def get(self, path: str) -> tuple[int, Any]:
        key = (self.data / "owner.key").read_text().strip() if (self.data / "owner.key").exists() else ""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request("GET", path, headers={"X-API-Key": key})
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments], env=self.environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def calls(self) -> int:
        """Return how many calls the database has."""
        question = "SELECT coalesce(sum(calls), 0) FROM usage"
        if self.database:
            return int(self.server.execute(question, self.database)[0][0])
        with closing(sqlite3.connect(self.data / "cambist.db")) as connection:
            return int(connection.execute(question).fetchone()[0])

    def printed_calls(self) -> int:
        """Return how many calls the command prints."""
        done = self.run("usage", "--json")
        assert done.returncode == 0, done.stderr
        return sum(row["calls"] for row in json.loads(done.stdout))

    def copied_accounts(self) -> list[str]:
        """Return the names of the accounts in the copy of the data folder."""
        with closing(sqlite3.connect(f"file:{self.data / 'accounts.copy'}?mode=ro", uri=True)) as copy:
            try:
                return sorted(name for (name,) in copy.execute("SELECT name FROM accounts"))
            except sqlite3.Error:
                return []

    def workers(self) -> list[int]:
        """Return the process ids of the API workers, which have mapped the rate matrix."""
        assert self.process is not None
        tasks = Path(f"/proc/{self.process.pid}/task")
        children = {int(number) for path in tasks.glob("*/children") for number in path.read_text().split()}
        return [child for child in children if "rates.image" in Path(f"/proc/{child}/maps").read_text()]

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
def database(server: TestServer) -> Iterator[str]:
    name = server.new_database()
    yield name
    if server.process is None:
        server.start()
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def service(server: TestServer, database: str, tmp_path: Path) -> Service:
    """A service that was never started."""
    return Service(tmp_path / "data", server, database)


@pytest.fixture
def started(server: TestServer, tmp_path: Path) -> Iterator[Service]:
    """A service as its first start has left it."""
    database = copy_first_start_on(server, tmp_path / "data")
    yield Service(tmp_path / "data", server, database)
    if server.process is None:
        server.start()
    server.execute(f"DROP DATABASE {database} WITH (FORCE)")


def figure(answer: tuple[int, Any]) -> Any:
    status, content = answer
    assert status == 200, content
    return {name: value for name, value in content.items() if name != "ms"}


def test_a_service_on_postgresql_answers_counts_and_starts_again(service: Service) -> None:
    with service.running():
        first = [figure(service.get(path)) for path in (LIVE, PAST, BEHIND + "2020-01-03")]
        assert until(lambda: service.calls() == 3, PATIENCE)
        created = service.run("account", "create", "ann", "--plan", "one")
        assert created.returncode == 0, created.stderr
    assert not (service.data / "cambist.db").exists()
    with service.running():
        assert [figure(service.get(path)) for path in (LIVE, PAST, BEHIND + "2020-01-03")] == first
        assert until(lambda: service.calls() == 6, PATIENCE)
        assert service.printed_calls() == 6
        checked = service.run("check").stdout.splitlines()
        assert [line.partition(": ")[0] for line in checked] == CHECKED
        assert all(line.endswith(": sound") for line in checked)
        assert "sound, schema" in service.run("doctor").stdout
        assert "ann" in service.run("account", "list").stdout


def test_answers_go_on_and_calls_are_kept_while_the_server_is_gone(started: Service, server: TestServer) -> None:
    with started.running():
        before = [figure(started.get(path)) for path in (LIVE, PAST)]
        assert until(lambda: started.calls() == 2, PATIENCE)
        server.stop()
        assert until(lambda: "calls cannot be written to the database" in started.log, PATIENCE)
        asked = 2
        for _ in range(20):
            assert [figure(started.get(path)) for path in (LIVE, PAST)] == before
            asked += 2
        assert started.get(BEHIND + "2020-01-03")[0] == 503
        for command in (["account", "list"], ["usage"], ["check"], ["disputes", "list"], ["backfill", "ecb"]):
            refused = started.run(*command)
            assert refused.returncode > 0, command
            assert refused.stderr.startswith("cambist: The database cannot be reached: "), refused.stderr
            assert refused.stderr.count("\n") == 1
        doctor = started.run("doctor")
        assert "The database cannot be reached" in doctor.stdout
        server.start()
        assert until(lambda: started.get(BEHIND + "2020-01-03")[0] == 200, PATIENCE)
        assert until(lambda: started.calls() == asked + 1, PATIENCE)
    assert "nothing was lost" in started.log
    assert "Traceback" not in started.log


def test_a_folder_moves_into_postgresql_and_back(service: Service, server: TestServer, database: str) -> None:
    url, service.database = server.url(database), ""
    copy_first_start(service.data)
    with service.running():
        first = [figure(service.get(path)) for path in (LIVE, PAST)]
        in_use = service.run("database", "copy", str(service.data), url)
        assert "stop it before" in in_use.stderr
    copied = service.run("database", "copy", str(service.data), url, "--json")
    assert copied.returncode == 0, copied.stderr
    assert json.loads(copied.stdout)["fixings"] > 200_000
    service.database = database
    with service.running():
        assert [figure(service.get(path)) for path in (LIVE, PAST)] == first
        assert until(lambda: service.calls() == 4, PATIENCE)
    (service.data / "cambist.db").unlink()
    assert "fixings" in service.run("database", "copy", url, str(service.data)).stdout
    service.database = ""
    with service.running():
        assert [figure(service.get(path)) for path in (LIVE, PAST)] == first
        assert until(lambda: service.calls() == 6, PATIENCE)
    assert server.execute("SELECT sum(calls) FROM usage", database) == [(4,)]


def test_workers_and_the_whole_service_start_without_the_server_from_copies(
    started: Service, server: TestServer
) -> None:
    with started.running():
        first = [figure(started.get(path)) for path in (LIVE, PAST)]
        assert started.run("account", "create", "ann", "--plan", "one").returncode == 0
        assert until(lambda: started.calls() == 2, PATIENCE)
        assert until(lambda: started.copied_accounts() == ["ann", "owner"], PATIENCE)
        assert until((started.data / "usage.copy").exists, PATIENCE)
        server.stop()
        workers = started.workers()
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        assert until(lambda: started.log.count("read from a copy") == 2, PATIENCE)
        assert until(started.answers, PATIENCE)
        assert [figure(started.get(path)) for path in (LIVE, PAST)] == first
    with started.running():
        assert "the service starts with what is in its data folder" in started.log
        assert [figure(started.get(path)) for path in (LIVE, PAST)] == first
        server.start()
        assert until(lambda: started.calls() == 6, PATIENCE)
        done = started.run("account", "suspend", "owner")
        assert done.returncode == 0, done.stderr
        assert until(lambda: started.get(LIVE)[0] == 403, PATIENCE)


def test_a_first_start_without_the_server_is_refused_in_one_sentence(service: Service, server: TestServer) -> None:
    server.stop()
    refused = service.run("serve")
    assert refused.returncode == 2
    last = refused.stderr.splitlines()[-1]
    assert last.startswith("cambist: The database cannot be reached: ")
    assert "Traceback" not in refused.stderr


def test_a_service_under_load_keeps_within_its_sessions(started: Service, server: TestServer) -> None:
    paths = [LIVE, "/usage", "/coverage", "/corrections", *(f"{BEHIND}2020-01-{day:02}" for day in range(1, 29))]
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    most = 0
    with started.running(), ThreadPoolExecutor(CLIENTS) as clients:
        asked = [clients.submit(started.get, path) for _ in range(ROUNDS) for path in paths]
        while not all(each.done() for each in asked):
            most = max(most, server.execute(sessions, started.database)[0][0])
        assert {each.result()[0] for each in asked} <= {200, 503}
        assert started.run("account", "list").returncode == 0
    assert 4 < most <= sessions_needed(Settings())


def test_a_service_goes_on_with_the_server_that_was_promoted(tmp_path: Path) -> None:
    with primary_and_standby() as (primary, standby):
        database = copy_first_start_on(primary, tmp_path / "data")
        service = Service(tmp_path / "data", primary, database, url=url_of_servers(database, primary, standby))
        with service.running():
            first = [figure(service.get(path)) for path in (LIVE, PAST)]
            assert until(lambda: service.calls() == 2, PATIENCE)
            primary.stop()
            service.server = standby
            assert until(lambda: "calls cannot be written to the database" in service.log, PATIENCE)
            assert [figure(service.get(path)) for path in (LIVE, PAST)] == first
            assert service.calls() == 2
            standby.execute("SELECT pg_promote()")
            assert until(lambda: service.calls() == 4, PATIENCE)
            assert service.get(BEHIND + "2020-01-03")[0] == 200
            assert service.run("account", "create", "ann", "--plan", "one").returncode == 0
            assert until(lambda: service.calls() == 5, PATIENCE)
            assert service.printed_calls() == 5
            assert "sound, schema" in service.run("doctor").stdout
        assert "Traceback" not in service.log


def test_a_service_runs_through_a_pooler_that_pools_by_the_transaction(service: Service, server: TestServer) -> None:
    pooler = create_pooler(server)
    service.url = pooler.url(service.database)
    with service.running():
        assert figure(service.get(LIVE))
        assert figure(service.get(BEHIND + "2020-01-03"))
        assert until(lambda: service.calls() == 2, PATIENCE)
        assert service.run("account", "create", "ann", "--plan", "one").returncode == 0
        assert "through a pooler" in service.run("doctor").stdout
    pooler.stop()
    assert "Traceback" not in service.log

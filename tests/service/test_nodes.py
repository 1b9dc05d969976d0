"""Two nodes as one service: one that only asks the sources, and one that only answers, started at once."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.postgresql import postgresql_server
from tests.redis_server import RedisServer
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.cluster.cluster import running_feeds
from tools.ports import free_port

from cambist.registry.sources.source_adapters import adapters
from cambist.storage.shared.rate_book.reader import RateBookReader

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PRICE = "/fetch-one?from=BTC&to=USD"
LOGGED = "Serving http://"


@dataclass
class Node:
    """A node with a data folder and a port of its own."""

    folder: Path
    roles: str
    settings: dict[str, str]
    port: int = field(default_factory=free_port)

    @property
    def data(self) -> Path:
        return self.folder / self.roles

    @property
    def log(self) -> Path:
        return self.folder / f"{self.roles}.log"

    def started(self) -> subprocess.Popen[bytes]:
        own = {"DATA": self.data, "ROLES": self.roles, "NODE": self.roles, "PORT": self.port, "WORKERS": 2}
        named = {f"CAMBIST_{name}": str(value) for name, value in {**self.settings, **own}.items()}
        with self.log.open("ab") as to:
            return subprocess.Popen([COMMAND, "serve"], stdout=to, stderr=to, env=environment(**named))

    @property
    def order(self) -> tuple[int, int]:
        """The leader's epoch and the version of its rate book."""
        return RateBookReader(self.data / "rates.book").age_order() or (0, 0)

    def price(self, key: str) -> float:
        """Return the price of the simulated coin; 0 if there is none."""
        with suppress(OSError), closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request("GET", PRICE, headers={"X-API-Key": key})
            response = connection.getresponse()
            return json.loads(response.read())["result"]["USD"] if response.status == 200 else 0
        return 0


@pytest.fixture
def settings(redis_server: RedisServer, tmp_path: Path) -> Iterator[dict[str, str]]:
    postgresql = postgresql_server()
    database = postgresql.new_database()
    with running_feeds("127.0.0.1", tmp_path / "feeds.log") as feeds:
        yield {
            "DATABASE": postgresql.url(database),
            "REDIS": redis_server.url,
            "GATEWAY": f"http://127.0.0.1:{feeds}",
            "FEEDS_OFF": ",".join(sorted(adapters().keys() - {"kraken"})),
        }
    postgresql.execute(f"DROP DATABASE {database} WITH (FORCE)")


def test_prices_of_a_node_that_asks_reach_the_one_that_answers(
    settings: dict[str, str], redis_server: RedisServer, tmp_path: Path
) -> None:
    asking, answering = Node(tmp_path, "ingest", settings), Node(tmp_path, "api", settings)
    with ExitStack() as stack:
        processes = [node.started() for node in (asking, answering)]  # at once, over an empty database
        for process in processes:
            stack.enter_context(ended_in_the_end(process))

        def run() -> bool:
            assert [process.poll() for process in processes] == [None, None], asking.log.read_text()
            return True

        def keys() -> list[str]:
            return [file.read_text().strip() for file in tmp_path.glob("*/owner.key")]

        assert until(lambda: run() and keys() and 50_000 < answering.price(keys()[0]) < 70_000, PATIENCE)
        (key,) = keys()
        first, price = answering.order, answering.price(key)
        assert first[0] > 0
        assert until(lambda: run() and answering.order > first, PATIENCE)

        redis_server.flush()
        flushed = answering.order
        assert until(lambda: run() and answering.order > flushed, PATIENCE)

        redis_server.kill()
        assert until(lambda: asking.order > answering.order, PATIENCE)  # it goes on alone
        assert answering.price(key)
        redis_server.start()
        lost = asking.order
        assert until(lambda: run() and answering.order > lost, PATIENCE)
        assert until(lambda: answering.price(key) != price, PATIENCE)

        assert asking.price(key) == 0  # nothing listens there
    assert [process.returncode for process in processes] == [0, 0]
    assert LOGGED in answering.log.read_text()
    assert LOGGED not in asking.log.read_text()

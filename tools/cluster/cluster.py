"""A cluster on this machine: PostgreSQL, Redis, simulated sources and nodes. All of it ends with this process."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.exc import OperationalError
from tools.cluster.clocks import WrongClock, built_library
from tools.cluster.feeds import write_declaration
from tools.cluster.isolation import ENDS_WITH_PARENT, is_isolated
from tools.cluster.network import LoopbackPorts, Namespaces, Network
from tools.cluster.node import Node
from tools.cluster.servers import PostgreSql, Redis
from tools.ports import free_port

from cambist.accounts.plan import default_plans
from cambist.registry.sources.source_adapters import adapters

_PLAYED = {"kraken"}
_PATIENCE = 180.0
PRICE = "/fetch-one?from=BTC&to=USD"

RATE = 30
PLANS = f"""
[steady]
calls_a_month = 100_000_000
tags = ["currency", "crypto", "fx", "admin"]

[small]
calls_a_month = 300
tags = ["currency", "crypto", "admin"]

[limited]
calls_a_month = 100_000_000
rate = {RATE}
burst = {RATE}
tags = ["currency", "crypto", "admin"]
"""
"""Plans beside those of a new service: one with an ample quota, one with a small one, one with a rate limit."""


@dataclass
class Cluster:
    """The servers, the simulated sources and the nodes."""

    folder: Path
    network: Network
    postgresql: PostgreSql
    redis: Redis
    feeds_port: int
    nodes: list[Node] = field(default_factory=list)

    def add_node(self, workers: int) -> Node:
        """Make one more node; it is not started."""
        number = len(self.nodes) + 1
        settings = {
            "CAMBIST_DATABASE": self.postgresql.url,
            "CAMBIST_REDIS": self.redis.url,
            "CAMBIST_GATEWAY": f"http://{self.network.servers[2]}:{self.feeds_port}",
            "CAMBIST_FEEDS_OFF": ",".join(sorted(adapters().keys() - _PLAYED)),
            "CAMBIST_WORKERS": str(workers),
            "CAMBIST_THREADS": "2",
        }
        node = Node(number, self.folder, self.network.place(number), settings)
        write_declaration(node.data)
        node.data.chmod(0o700)
        (node.data / "plans.toml").write_text(default_plans() + PLANS, encoding="utf-8")
        self.nodes.append(node)
        return node

    @property
    def key(self) -> str:
        """The owner's key, which the first node that started has."""
        for node in self.nodes:
            with contextlib.suppress(OSError):
                return (node.data / "owner.key").read_text(encoding="ascii").strip()
        return ""

    def leader(self) -> Node | None:
        """Return the node whose term is in force, by the database's clock; None if nobody leads or it is not known."""
        try:
            rows = self.postgresql.rows("SELECT node FROM leadership WHERE expires_at > now() AT TIME ZONE 'UTC'")
        except OperationalError:
            return None
        return next((node for node in self.nodes if rows and node.name == rows[0][0]), None)

    def wait_until_ready(self, nodes: list[Node] | None = None) -> None:
        """Wait until nodes answer with prices. Errors: RuntimeError with the end of the log of one that does not."""
        for node in nodes or self.nodes:
            until(lambda node=node: not node.runs or node.get(PRICE, self.key)[0] == 200, _PATIENCE)  # type: ignore[misc]
            if not node.runs or node.get(PRICE, self.key)[0] != 200:
                raise RuntimeError(f"{node.name} does not answer:\n{node.log.read_text(encoding='utf-8')[-3000:]}")

    def freeze(self) -> dict[tuple[str, str], str]:
        """Let the bank publish nothing more; return what it has published, by day and code."""
        with contextlib.closing(http.client.HTTPConnection(self.network.servers[2], self.feeds_port)) as connection:
            connection.request("POST", "/freeze")
            return {(day, code): rate for day, code, rate in json.loads(connection.getresponse().read())}


@contextlib.contextmanager
def running_cluster(
    folder: Path,
    count: int,
    workers: int,
    coins: int = 0,
    settings: Mapping[str, str] | None = None,
    *,
    is_disturbed: bool = False,
) -> Iterator[Cluster]:
    """Start everything, with a venue that has so many further coins, and more variables of nodes; end it in the end.

    One that `is_disturbed` has a standby of PostgreSQL, and clocks that can be set where a C compiler is installed.
    """
    library = built_library(folder) if is_disturbed else None
    with contextlib.ExitStack() as stack:
        network: Network = Namespaces() if is_isolated() else LoopbackPorts()
        postgresql = PostgreSql(folder / "postgresql", network.servers[0], has_standby=is_disturbed)
        stack.callback(postgresql.kill_all)
        redis = Redis(folder / "redis", network.servers[1])
        stack.callback(redis.kill)
        feeds_port = stack.enter_context(running_feeds(network.servers[2], folder / "feeds.log", "--coins", str(coins)))
        cluster = Cluster(folder, network, postgresql, redis, feeds_port)
        for _ in range(count):
            stack.callback(cluster.add_node(workers).kill)
        for node in cluster.nodes:
            node.settings = {**node.settings, **(settings or {})}
            node.clock = library and WrongClock(library, folder / f"{node.name}.clock")
            node.start()
            if node.number == 1:
                cluster.wait_until_ready([node])  # it imports the history; the others find it there
        cluster.wait_until_ready()
        yield cluster


@contextlib.contextmanager
def running_feeds(address: str, log: Path, *options: str) -> Iterator[int]:
    """Start the simulated sources; yield their port."""
    port = free_port()
    command = [sys.executable, "-m", "tools.cluster.feeds", "--address", address, "--port", str(port), *options]
    with log.open("ab") as to:
        process = subprocess.Popen([*ENDS_WITH_PARENT, *command], stdout=to, stderr=to)
    try:
        if not until(lambda: _listens(address, port) or process.poll() is not None, _PATIENCE) or process.poll():
            raise RuntimeError(log.read_text(encoding="utf-8"))
        yield port
    finally:
        process.kill()
        process.wait()


def until(happens: Callable[[], object], seconds: float) -> bool:
    """Wait until something happens; return whether it did in time."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _listens(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
        return True
    return False

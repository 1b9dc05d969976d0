"""First calls of a period over HTTP, and those of all accounts after midnight, on one node with PostgreSQL and Redis.

    make bench-quotas ACCOUNTS=10000

All processes have a clock that says the last day of a month, so that the period of every account ends at its midnight.
Each account calls once; on that day the node prepares the next period, and after midnight each calls once more. All of
it shares this machine: PostgreSQL, Redis, the node and the clients.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tools.cluster.clocks import WrongClock, built_library
from tools.cluster.cluster import PRICE, Cluster, running_cluster
from tools.cluster.node import COMMAND, Node

LAST_EVENING = timedelta(hours=23)
CREATE_SECONDS = 900
MALFORMED, BAD_REQUEST = "/fetch-one?from=1&to=USD", 400
PREPARE_SECONDS = 120
MOST_OF_ADDRESS = 100
OK, MOST_SHOWN = b"HTTP/1.1 200 ", 3


@dataclass
class Calls:
    """What many calls were answered: how many with each status, after how many seconds, and for how long in all."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    taken: float = 0.0
    refused: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the figures."""
        ordered = sorted(self.seconds)
        p50, p99 = (1000 * ordered[int(len(ordered) * share)] for share in (0.5, 0.99))
        answered = ", ".join(f"{count} with {status}" for status, count in self.statuses.most_common())
        shown = "".join(f"\n{answer}" for answer in self.refused)
        return f"{len(ordered) / self.taken:.0f} a second ({answered}); p50 {p50:.1f} ms, p99 {p99:.1f} ms{shown}"


def call_each(node: Node, keys: Iterable[str], connections: int) -> Calls:
    """Call once with each key, over so many connections that each send the next call when they have an answer."""
    calls, left, selector = Calls(), deque(keys), selectors.DefaultSelector()
    began = time.perf_counter()
    for number in range(connections):  # of several addresses: a worker takes 128 connections of each
        own = f"127.0.0.{1 + number // MOST_OF_ADDRESS}"
        client = socket.create_connection((node.place.address, node.place.port), source_address=(own, 0))
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(client, selectors.EVENT_READ, _send(client, left))
    while selector.get_map():
        for ready, _ in selector.select():
            client: socket.socket = ready.fileobj  # type: ignore[assignment]
            answer = client.recv(65536)
            calls.statuses[answer[9:12].decode() or "closed"] += 1
            calls.seconds.append(time.perf_counter() - ready.data)
            if not answer.startswith(OK) and len(calls.refused) < MOST_SHOWN:
                calls.refused.append(answer.decode(errors="replace"))
            if left and answer:
                selector.modify(client, selectors.EVENT_READ, _send(client, left))
            else:
                selector.unregister(client)
                client.close()
    calls.taken = time.perf_counter() - began
    return calls


def _send(client: socket.socket, left: deque[str]) -> float:
    client.sendall(f"GET {PRICE} HTTP/1.1\r\nHost: x\r\nX-API-Key: {left.popleft()}\r\n\r\n".encode())
    return time.perf_counter()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=400)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="midnight-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        library = built_library(folder)
        if library is None:
            sys.exit("A C compiler is needed, for the clock.")
        clock = WrongClock(library, folder / "clock")
        os.environ |= clock.variables
        now = datetime.now(UTC)
        evening = datetime(now.year, now.month, 1, tzinfo=UTC) + LAST_EVENING - timedelta(days=1)
        clock.set(int((evening - now).total_seconds()))
        with running_cluster(folder, 1, options.workers) as cluster:
            _measure(cluster, clock, options)


def _measure(cluster: Cluster, clock: WrongClock, options: argparse.Namespace) -> None:
    (node,) = cluster.nodes
    began = time.perf_counter()
    keys = _accounts(node, options.accounts)
    print(f"{len(keys)} accounts created in {time.perf_counter() - began:.0f} s", flush=True)
    while node.get(MALFORMED, keys[-1])[0] != BAD_REQUEST:  # before, the key is not known
        time.sleep(1)
    print("First calls:", call_each(node, keys, options.connections).line(), flush=True)
    print("Second calls:", call_each(node, keys, options.connections).line(), flush=True)
    began = time.perf_counter()
    while _prepared(cluster) < len(keys) and time.perf_counter() - began < PREPARE_SECONDS:
        time.sleep(1)
    print(f"{_prepared(cluster)} next periods prepared after {time.perf_counter() - began:.0f} s more", flush=True)
    now = datetime.now(UTC)
    midnight = datetime(now.year, now.month, 1, tzinfo=UTC)
    clock.set(int((midnight - now).total_seconds()) - 3)
    time.sleep(4)
    print("After midnight:", call_each(node, keys, options.connections).line(), flush=True)


def _accounts(node: Node, count: int) -> list[str]:
    """Create accounts whose periods all begin on the first of a month; return their keys."""
    file = node.folder / "accounts.csv"
    rows = "".join(f"account-{number},limited,1\n" for number in range(count))
    file.write_text("name,plan,anchor_day\n" + rows, encoding="utf-8")
    command = [*node.place.prefix, COMMAND, "account", "create", "--file", str(file)]
    done = subprocess.run(
        command, env=node.environment, stdout=subprocess.PIPE, text=True, timeout=CREATE_SECONDS, check=True
    )
    return [row["key"] for row in csv.DictReader(io.StringIO(done.stdout))]


def _prepared(cluster: Cluster) -> int:
    question = "SELECT count(*) FROM quota_leases WHERE period_start = (now() AT TIME ZONE 'UTC')::date + 1"
    return int(str(cluster.postgresql.rows(question)[0][0]))


if __name__ == "__main__":
    main()

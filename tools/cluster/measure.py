"""Measure nodes on this machine: the time of a rate book to all of them, of a takeover, and what a node costs.

    make bench-cluster NODES=3 COINS=1000

All nodes share the processors of this machine, so calls are counted per second of processor time of the workers: what
one core of a machine of its own takes. A missed target is reported and is not an error.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tools.cluster.accounts import create_account
from tools.cluster.books import Books, percentile, size_of_book
from tools.cluster.callers import Caller, Record, Tally
from tools.cluster.cluster import RATE, Cluster, running_cluster, until
from tools.cluster.faults import INGEST, LINK, WORKER
from tools.cluster.isolation import is_isolated, isolate
from tools.cluster.node import Node
from tools.cluster.processes import send

_TICKS = os.sysconf("SC_CLK_TCK")
_BOOK_TARGET, _TAKEOVER_TARGET = 0.25, 10.0
_AS_FAST_AS_IT_ANSWERS = 1e9
_CALLERS = 4
_PATIENCE = 60.0

Figures = dict[str, float]


def book_figures(books: Books, seconds: float) -> Figures:
    """Measure for some seconds how old a book is when the workers of each node can read it."""
    books.lags.clear()
    time.sleep(seconds)
    lags = [lag for of_node in books.lags.values() for lag in of_node]
    slowest = max((percentile(of_node, 0.99) for of_node in books.lags.values()), default=0.0)
    return {
        "size of a book, KB": max(size_of_book(node) for node in books.nodes) / 1000,
        "books a second": len(lags) / seconds / max(len(books.nodes), 1),
        "book to a node, p50 ms": percentile(lags, 0.5) * 1000,
        "book to a node, p99 ms": percentile(lags, 0.99) * 1000,
        "p99 ms of the slowest node": slowest * 1000,
    }


def takeover_figures(cluster: Cluster, books: Books, times: int) -> Figures:
    """Measure how long after the death of the leader all nodes have a book of another one."""
    ways = ["kill -9 of its ingest", "kill -9 of its node", *(["cut of its cable"] if cluster.network.can_cut else [])]
    return {f"takeover after {way}, s": max(_takeover(cluster, books, way) for _ in range(times)) for way in ways}


def _takeover(cluster: Cluster, books: Books, way: str) -> float:
    leader = cluster.leader()
    assert leader is not None
    epoch = max(seen[0] for seen in books.seen.values())
    began = time.monotonic()
    if way.endswith("cable"):
        cluster.network.cut(leader.number)
    elif way.endswith("node"):
        leader.kill()
    else:
        for process in leader.processes(INGEST):
            send(process.pid, signal.SIGKILL)
    others = [node.number for node in cluster.nodes if node is not leader]
    until(lambda: all(books.seen[number][0] > epoch for number in others), _PATIENCE)
    took = time.monotonic() - began
    if way.endswith("cable"):
        cluster.network.heal(leader.number)
    leader.start()
    cluster.wait_until_ready()
    until(lambda: len({seen[0] for seen in books.seen.values()}) == 1, _PATIENCE)
    return took


def call_figures(node: Node, key: str, seconds: float) -> Figures:
    """Measure what calls to a node cost its processes, and what they use while nobody calls."""
    idle = _cpu(node, seconds)
    tally, record = Tally("owner", key), Record()
    callers = [Caller(node, lambda: tally, record, _AS_FAST_AS_IT_ANSWERS) for _ in range(_CALLERS)]
    for caller in callers:
        caller.start()
    time.sleep(1)
    before = tally.answered
    busy = _cpu(node, seconds)
    answered = tally.answered - before
    for caller in callers:
        caller.stop()
    used = busy[WORKER] - idle[WORKER]
    return {
        "calls a second of a worker's core": answered / used if used else 0.0,
        "core of the link, %": idle[LINK] / seconds * 100,
        "core of the ingest, %": idle[INGEST] / seconds * 100,
        "core of all processes of a node, %": sum(idle.values()) / seconds * 100,
    }


def rate_figures(cluster: Cluster, seconds: float) -> Figures:
    """Measure how many calls an account with a rate limit is answered that calls all nodes as fast as they answer."""
    tally, _ = create_account(cluster, "limited", "limited")
    record = Record()
    callers = [Caller(node, lambda: tally, record, 2 * RATE) for node in cluster.nodes]
    for caller in callers:
        caller.start()
    time.sleep(2)  # the burst is over
    before, began = tally.answered, time.monotonic()
    time.sleep(seconds)
    linked = (tally.answered - before) / (time.monotonic() - began)
    cluster.redis.kill()
    time.sleep(3)
    before, began = tally.answered, time.monotonic()
    time.sleep(seconds)
    alone = (tally.answered - before) / (time.monotonic() - began)
    cluster.redis.start()
    for caller in callers:
        caller.stop()
    return {f"calls a second, rate limit of {RATE}": linked, f"the same without Redis, rate limit of {RATE}": alone}


def _cpu(node: Node, seconds: float) -> Counter[str]:
    """Return the processor time that the processes of a node use in some seconds, by name."""
    before = {each.pid: _used(each.pid) for each in node.processes()}
    time.sleep(seconds)
    used: Counter[str] = Counter()
    for each in node.processes():
        name = next((known for known in (WORKER, INGEST, LINK) if each.name.startswith(known)), "others")
        used[name] += _used(each.pid) - before.get(each.pid, 0.0)  # type: ignore[assignment]
    return used


def _used(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def measure(cluster: Cluster, seconds: float, takeovers: int) -> Figures:
    """Measure everything."""
    if not until(cluster.leader, _PATIENCE):
        raise RuntimeError("nobody leads")
    books = Books(cluster.nodes)
    books.start()
    time.sleep(5)
    figures = book_figures(books, seconds)
    figures |= call_figures(cluster.nodes[-1], cluster.key, seconds)
    figures |= rate_figures(cluster, seconds)
    figures |= takeover_figures(cluster, books, takeovers)
    books.stop()
    return figures


def main() -> None:
    """Measure, and print the figures and whether the targets were met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--coins", type=int, default=0, help="how many further coins the book has; 1,000 make 300 KB")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--takeovers", type=int, default=3, help="how many of each kind; the longest is shown")
    parser.add_argument("--ports", action="store_true", help="make no namespaces")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    isolate(["-m", "tools.cluster.measure", *sys.argv[1:]], is_wanted=not options.ports)
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        Path(name).chmod(0o711)
        with running_cluster(Path(name), options.nodes, options.workers, options.coins) as cluster:
            figures = measure(cluster, options.seconds, options.takeovers)
    where = "namespaces" if is_isolated() else "ports"
    table = Table("", "", title=f"{options.nodes} nodes in {where} of a machine with {os.cpu_count()} cores")
    for what, value in figures.items():
        table.add_row(what, f"{value:,.1f}")
    Console().print(table)
    _show_targets(figures)
    if options.json:
        options.json.write_text(json.dumps({"nodes": options.nodes, **figures}, indent=1), encoding="utf-8")


def _show_targets(figures: Figures) -> None:
    slowest = max(value for what, value in figures.items() if what.startswith("takeover"))
    for what, value, target in (
        ("a book at all nodes, p99 s", figures["p99 ms of the slowest node"] / 1000, _BOOK_TARGET),
        ("takeover, s", slowest, _TAKEOVER_TARGET),
    ):
        print(f"{what}: {value:.2f}, target {target:g}: {'met' if value <= target else 'MISSED'}")


if __name__ == "__main__":
    main()

"""Run several nodes, a PostgreSQL and a Redis on this machine until Ctrl-C, and print how to call them.

Each node has a network namespace of its own where these can be made; without, or with --ports, all are on this
machine's ports. Its sources are simulated. All processes and all data are removed in the end.
"""

from __future__ import annotations

import argparse
import logging
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.cluster.cluster import Cluster, running_cluster
from tools.cluster.forwarding import bind, forward
from tools.cluster.isolation import is_isolated, isolate
from tools.cluster.network import Place
from tools.cluster.servers import NoServerError

FIRST_PORT = 8101


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1, help="processes of each node that answer requests")
    parser.add_argument("--port", type=int, default=FIRST_PORT, help="port of the first node; streams have the next")
    parser.add_argument("--ports", action="store_true", help="make no namespaces")
    options = parser.parse_args()
    ports = range(options.port, options.port + 2 * options.nodes)
    try:
        bound = bind(ports)
        isolate(["-m", "tools.cluster.start", *sys.argv[1:]], is_wanted=not options.ports, keep=bound)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with tempfile.TemporaryDirectory(prefix="cluster-") as name:
            Path(name).chmod(0o711)  # PostgreSQL may run as another user
            print(f"Starting PostgreSQL, Redis and {options.nodes} nodes in {name} …", flush=True)
            with running_cluster(Path(name), options.nodes, options.workers) as cluster:
                forward([(each.place.address, port) for each in cluster.nodes for port in _ports(each.place)])
                _show(cluster, ports.start)
                _wait()
    except (NoServerError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        sys.exit(f"The cluster cannot be started: {error}")
    except KeyboardInterrupt:
        print("\nEnded.")


def _ports(place: Place) -> tuple[int, int]:
    return place.port, place.stream_port


def _show(cluster: Cluster, port: int) -> None:
    where = "each in a network namespace of its own" if is_isolated() else "on ports of this machine"
    print(f"{len(cluster.nodes)} nodes run, {where}.")
    for place, node in enumerate(cluster.nodes):
        print(f"  {node.name}  http://127.0.0.1:{port + 2 * place}  stream ws://127.0.0.1:{port + 2 * place + 1}")
    print(f"  logs and data: {cluster.folder}")
    print("Try:")
    print(f"  curl -H 'X-API-Key: {cluster.key}' 'http://127.0.0.1:{port}/fetch-one?from=BTC&to=USD'")
    listed = cluster.nodes[0].run("nodes")
    if listed.returncode == 0:
        print(listed.stdout.rstrip())
    print("Ctrl-C ends everything.", flush=True)


def _wait() -> None:
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main()

"""A service on one machine that nobody disturbs: its archive is what that of a cluster must be."""

from __future__ import annotations

from tools.cluster.checks import Fixing, archived_alone
from tools.cluster.cluster import Cluster, running_feeds, until
from tools.cluster.feeds import write_declaration
from tools.cluster.network import Place
from tools.cluster.node import Node
from tools.ports import free_port

_NEVER = 10.0**9
_PATIENCE = 180.0


def undisturbed_archive(cluster: Cluster, count: int) -> list[Fixing]:
    """Return all fixings of a service on one machine, after the bank has published `count` of them."""
    folder = cluster.folder / "alone"
    folder.mkdir()
    feeds = running_feeds("127.0.0.1", folder / "feeds.log", "--fixings", str(count), "--delay", str(_NEVER))
    with feeds as feeds_port:
        place = Place("127.0.0.1", free_port(), free_port(), free_port(), cluster.nodes[0].place.prefix[-3:])
        shared = cluster.nodes[0].settings
        settings = {name: shared[name] for name in ("CAMBIST_FEEDS_OFF", "CAMBIST_WORKERS", "CAMBIST_THREADS")}
        node = Node(0, folder, place, {**settings, "CAMBIST_GATEWAY": f"http://127.0.0.1:{feeds_port}"})
        write_declaration(node.data)
        node.data.chmod(0o700)
        node.start()
        try:
            until(lambda: not node.runs or _filed(node) >= count, _PATIENCE)
            return archived_alone(node.data)
        finally:
            node.stop()


def _filed(node: Node) -> int:
    try:
        return sum(fixing[0] == "bank" for fixing in archived_alone(node.data))
    except Exception:  # noqa: BLE001  there is no database yet
        return 0

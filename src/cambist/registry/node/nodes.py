"""This node of a service on several machines: its name, and whether its settings allow it to be one."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from importlib.util import find_spec
from time import sleep

from cambist import __version__
from cambist.cluster.redis_url import parse_redis_url
from cambist.errors import CannotStart
from cambist.settings import ROLES, Settings
from cambist.status.nodes import LIVE_FOR, NodeRecord, NodeRegistry, NodeStart
from cambist.storage.atomic_file import write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.stream_connections import OTHER_NODES

_INSTANCE_BYTES = 12
_LOOK_SECONDS = 0.5


def node_name(settings: Settings) -> str:
    """Return the name of this node; empty for a service on one machine."""
    return (settings.node or socket.gethostname()) if settings.is_node else ""


def check_node(settings: Settings) -> None:
    """Check what must be set together, and the URL of Redis. Errors: CannotStart, SettingRefused."""
    if not settings.is_node:
        if settings.chosen_roles != frozenset(ROLES):
            raise CannotStart("Only one of several nodes may leave out a role: set [redis], or remove [roles]")
        return
    if settings.sandbox:
        raise CannotStart("A sandbox is alone on its machine: remove the setting [redis]")
    if settings.stream_workers > OTHER_NODES:
        raise CannotStart(f"One of several nodes may have {OTHER_NODES} stream processes: lower [stream_workers]")
    if not settings.database.startswith("postgresql"):
        raise CannotStart(
            "Several nodes keep their data in one PostgreSQL: set [database] beside [redis], or remove [redis]"
        )
    parse_redis_url(settings.redis)
    if find_spec("redis") is None:
        raise CannotStart("A node needs the package redis: install it with [pip install redis]")


def node_start(settings: Settings) -> NodeStart:
    """Return this start of the node, whose instance is in a file of its data folder. Errors: Unwritable."""
    return NodeStart(node_name(settings), _instance(settings), ",".join(sorted(settings.chosen_roles)), __version__)


def join_nodes(settings: Settings, registry: NodeRegistry, wait: Callable[[float], None] = sleep) -> None:
    """Record in the database that this node starts.

    If its name was used by another data folder a short time ago, wait until it is clear that this one has ended, for
    ten seconds at most. Errors: CannotStart if it is running, StoreBroken.
    """
    folder = DataDirectory(settings.data)
    last = _instance(settings) if folder.node_instance.exists() else ""
    write_atomically(folder.node_instance, f"{secrets.token_hex(_INSTANCE_BYTES)}\n".encode())
    start = node_start(settings)
    first = other = registry.join(start, last)
    waited = 0.0
    while first is not None and other is not None:
        if _has_beaten(first, other) or waited > 2 * LIVE_FOR.total_seconds():
            raise CannotStart(_name_taken(start.name))
        wait(_LOOK_SECONDS)
        waited += _LOOK_SECONDS
        other = registry.join(start)


def _has_beaten(first: NodeRecord, other: NodeRecord) -> bool:
    """Return whether a node was seen again, or started, since it was first found."""
    return other.seen_at > first.seen_at


def _name_taken(name: str) -> str:
    return (
        f"Another running node has the name [{name}]: choose another one with the setting [node]. If it runs no more, "
        f"start this one again in {LIVE_FOR.total_seconds():.0f} s"
    )


def _instance(settings: Settings) -> str:
    path = DataDirectory(settings.data).node_instance
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        write_atomically(path, f"{secrets.token_hex(_INSTANCE_BYTES)}\n".encode())
        return path.read_text(encoding="ascii").strip()

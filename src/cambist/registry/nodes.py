"""This node of a service on several machines: its name, and whether its settings allow it to be one."""

from __future__ import annotations

import socket
from importlib.util import find_spec

from cambist.cluster.redis_url import parse_redis_url
from cambist.errors import CannotStart
from cambist.settings import ROLES, Settings


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
    if not settings.database.startswith("postgresql"):
        raise CannotStart(
            "Several nodes keep their data in one PostgreSQL: set [database] beside [redis], or remove [redis]"
        )
    parse_redis_url(settings.redis)
    if find_spec("redis") is None:
        raise CannotStart("A node needs the package redis: install it with [pip install 'cambist[cluster]']")

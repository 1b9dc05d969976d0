"""URLs of PostgreSQL databases as libpq has them, also with several hosts."""

from __future__ import annotations

import re
from urllib.parse import unquote

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from cambist.errors import CannotStart

_DRIVER = "postgresql+psycopg"
_AUTHORITY = re.compile(r"(?P<scheme>[^:]*://)(?P<user>[^/?]*@)?(?P<hosts>[^/?]*)(?P<rest>.*)", re.DOTALL)
_HOST = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>\d*))?")
_HIGHEST_PORT = 65535
_SEVERAL, _WRITABLE = "target_session_attrs", "read-write"
_EXAMPLE = "postgresql://user@db1.example.com,db2.example.com:5433/cambist"


def engine_url(url: str) -> URL:
    """Return a URL for SQLAlchemy. Of several hosts the one that can be written is used, unless the URL says otherwise.

    Hosts are in the authority or in `host`, ports likewise. Errors: CannotStart, without the password.
    """
    parts = _AUTHORITY.fullmatch(url)
    if parts is None:
        raise _refused("it is no URL")
    hosts = parts["hosts"].split(",")
    is_list = len(hosts) > 1
    found = _check(hosts)
    try:
        given = make_url(f"{parts['scheme']}{parts['user'] or ''}{'' if is_list else parts['hosts']}{parts['rest']}")
    except (ArgumentError, ValueError):
        raise _refused("it cannot be read") from None
    query: dict[str, str] = {
        name: value if isinstance(value, str) else ",".join(value) for name, value in given.query.items()
    }
    if is_list:
        query.setdefault("host", ",".join(host for host, _ in found))
        query.setdefault("port", ",".join(port for _, port in found))
    elif "host" in query and any(":" in host for host in _hosts_of_parameters(given)):
        found = _check(_hosts_of_parameters(given))
        query |= {"host": ",".join(host for host, _ in found), "port": ",".join(port for _, port in found)}
    if "," in query.get("host", ""):
        query.setdefault(_SEVERAL, _WRITABLE)
        query["port"] = _ports(query["host"].count(",") + 1, query.get("port", ""))
    return given.set(drivername=_DRIVER, query=query)


def _hosts_of_parameters(given: URL) -> list[str]:
    """Return the hosts that the query names, each perhaps with its port; folders of sockets stay as they are."""
    hosts = given.query.get("host", "")
    found = list(hosts) if not isinstance(hosts, str) else hosts.split(",")
    return [] if any(host.startswith(("/", "@")) for host in found) else found


def _check(hosts: list[str]) -> list[tuple[str, str]]:
    """Return host and port of each, the port empty if it is libpq's. Errors: CannotStart."""
    found = []
    for written in hosts:
        parts = _HOST.fullmatch(written)
        if parts is None:
            raise _refused(f"[{written}] is not a host or host:port")
        if parts["port"] and not 0 < int(parts["port"]) <= _HIGHEST_PORT:
            raise _refused(f"the port {parts['port']} is not from 1 to {_HIGHEST_PORT}")
        if not parts["host"] and len(hosts) > 1:
            raise _refused("one of its hosts has no name")
        found.append((unquote(parts["host"].strip("[]")), parts["port"] or ""))
    return found


def _ports(hosts: int, written: str) -> str:
    """Return a port for each host: libpq takes one for all, or as many as there are hosts. Errors: CannotStart."""
    ports = written.split(",")
    if len(ports) not in {1, hosts}:
        raise _refused(f"it has {hosts} hosts and {len(ports)} ports: name one port for all, or one for each")
    return ",".join(ports if len(ports) == hosts else ports * hosts)


def _refused(reason: str) -> CannotStart:
    return CannotStart(f"The URL of the database is refused: {reason}; write it as {_EXAMPLE}")

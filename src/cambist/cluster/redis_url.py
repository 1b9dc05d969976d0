"""The URL of Redis: one server, or a service that Sentinels watch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from cambist.errors import SettingRefused
from cambist.settings import authority, without_password

_SCHEMES = ("redis", "rediss", "redis+sentinel", "rediss+sentinel")
_PORT, _SENTINEL_PORT = 6379, 26379
_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@/]+))(?::(?P<port>\d{1,5}))?")
_MOST_PORT = 65535
_ENCRYPTION = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname")
_SENTINEL = ("sentinel_username", "sentinel_password")
_REQUIREMENTS = ("none", "optional", "required")


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where Redis is, and what to say there. With a `service`, the hosts are Sentinels that know its server.

    `encryption` has the options of TLS by the names of redis-py, `sentinel` the name and password for Sentinels.
    """

    hosts: tuple[tuple[str, int], ...]
    service: str = ""
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    is_encrypted: bool = False
    encryption: dict[str, str | bool] = field(default_factory=dict)
    sentinel: dict[str, str] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        hosts = ", ".join(authority(host, port) for host, port in self.hosts)
        return f"{self.service} by the Sentinels {hosts}" if self.service else hosts


def parse_redis_url(url: str) -> RedisAddress:
    """Parse `redis://[user:password@]host[:port][/database]`, or a URL with Sentinels.

    That is `redis+sentinel://[user:password@]host[:port],host[:port]/service[/database]`. A scheme that begins with
    `rediss` means TLS. Errors: SettingRefused.
    """
    try:
        return _parsed(urlsplit(url))
    except ValueError as error:
        raise SettingRefused(f"The setting [redis] is refused: [{without_password(url)}]: {error}") from None


def _parsed(parts: SplitResult) -> RedisAddress:
    if parts.scheme not in _SCHEMES:
        raise ValueError(f"it begins with none of {', '.join(f'{scheme}://' for scheme in _SCHEMES)}")
    has_sentinels, is_encrypted = parts.scheme.endswith("+sentinel"), parts.scheme.startswith("rediss")
    login, _, hosts = parts.netloc.rpartition("@")
    username, has_password, password = login.partition(":")
    service, database = _path(parts.path.strip("/"), has_service=has_sentinels)
    options = _options(parts.query, (_ENCRYPTION if is_encrypted else ()) + (_SENTINEL if has_sentinels else ()))
    return RedisAddress(
        hosts=_hosts(hosts, are_sentinels=has_sentinels),
        service=service,
        database=database,
        username=unquote(username) or None,
        password=unquote(password) if has_password else None,
        is_encrypted=is_encrypted,
        encryption={name: _encryption(name, options[name]) for name in _ENCRYPTION if name in options},
        sentinel={name.removeprefix("sentinel_"): options[name] for name in _SENTINEL if name in options},
    )


def _hosts(text: str, *, are_sentinels: bool) -> tuple[tuple[str, int], ...]:
    found = []
    for host in text.split(","):
        match = _HOST.fullmatch(host)
        if match is None:
            raise ValueError(f"[{host}] is no host with a port")
        port = int(match["port"] or (_SENTINEL_PORT if are_sentinels else _PORT))
        if not 0 < port <= _MOST_PORT:
            raise ValueError(f"there is no port {port}")
        found.append((match["v6"] or match["name"], port))
    if len(found) > 1 and not are_sentinels:
        raise ValueError("several hosts are Sentinels: begin with redis+sentinel://")
    return tuple(found)


def _path(path: str, *, has_service: bool) -> tuple[str, int]:
    service, _, rest = path.partition("/") if has_service else ("", "", path)
    if has_service and not service:
        raise ValueError("after the Sentinels comes the name of the service that they watch, as in /mymaster/0")
    if not re.fullmatch(r"\d{0,9}", rest):
        raise ValueError(f"[{rest}] is no number of a database")
    return unquote(service), int(rest or 0)


def _options(query: str, allowed: tuple[str, ...]) -> dict[str, str]:
    options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    if unknown := sorted(options.keys() - set(allowed)):
        offered = f"; there are {', '.join(allowed)}" if allowed else ""
        raise ValueError(f"it has no option [{unknown[0]}]{offered}")
    return options


def _encryption(name: str, value: str) -> str | bool:
    if name == "ssl_check_hostname":
        if value.lower() not in {"true", "false"}:
            raise ValueError(f"{name} is true or false")
        return value.lower() == "true"
    if name == "ssl_cert_reqs" and value not in _REQUIREMENTS:
        raise ValueError(f"{name} is {', '.join(_REQUIREMENTS[:-1])} or {_REQUIREMENTS[-1]}")
    return value

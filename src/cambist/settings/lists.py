"""Settings that are lists: roles of a node, networks, and headers; and the pattern of URLs."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_network

from cambist.errors import SettingRefused

ROLES = ("api", "stream", "ingest")
"""What a node may run: the workers that answer requests, the stream, and the polling of sources."""

URL = r"^(https?://[^\s?#]+)?\Z"
"""The pattern of a setting that is a URL of http or https, or empty."""

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)")


def parse_roles(text: str) -> frozenset[str]:
    """Parse the roles of a node. Errors: SettingRefused for an unknown role, and if there is none."""
    roles = frozenset(part.strip() for part in text.split(",")) - {""}
    if unknown := sorted(roles - set(ROLES)):
        raise SettingRefused(f"The setting [roles] is refused: [{unknown[0]}]; there are {', '.join(ROLES)}")
    if not roles:
        raise SettingRefused(f"The setting [roles] is refused: it names none; there are {', '.join(ROLES)}")
    return roles


def parse_networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Parse the networks of trusted proxies. Errors: SettingRefused."""
    try:
        return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise SettingRefused(f"The setting [proxies] is refused: {error}") from error


def parse_headers(text: str) -> dict[str, str]:
    """Parse headers as in OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`.

    Errors: SettingRefused, without a value, because these are secrets.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = [_HEADER.fullmatch(part) for part in parts]
    if not all(found):
        raise SettingRefused("The setting [otlp_headers] is refused: it takes name=value, separated by commas")
    return {each[1]: each[2] for each in found if each}

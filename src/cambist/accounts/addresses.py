"""Addresses of clients: the client behind proxies, and the network that one client has. Pure."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

Networks = tuple[IPv4Network | IPv6Network, ...]


def client_address(peer: str, forwarded: str, proxies: Networks) -> str:
    """Return the client's address: the peer's, or what trusted proxies say.

    `forwarded` is `X-Forwarded-For`, or empty. It is read from the right as long as the address is a trusted proxy's;
    anything further left may have been written by the client.
    """
    return _client_behind(peer, forwarded, proxies) if forwarded and proxies else peer


@lru_cache(maxsize=4096)
def _client_behind(peer: str, forwarded: str, proxies: Networks) -> str:
    address = peer
    for hop in reversed(forwarded.split(",")):
        if not is_in(address, proxies):
            break
        address = _without_port(hop.strip())
    return address


@lru_cache(maxsize=4096)
def neighbourhood(address: str) -> str:
    """Return the network of one client: an IPv4 address, or a /64 of IPv6, in which a client may use any address."""
    try:
        parsed = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or IPv6Network((parsed, 64), strict=False))


def _without_port(hop: str) -> str:
    """Remove the port that some proxies write after the address."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


def is_in(address: str, networks: Networks) -> bool:
    """Return whether an address is in one of the networks."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(parsed in network for network in networks if parsed.version == network.version)

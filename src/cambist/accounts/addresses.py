"""Addresses of clients: whose a request is behind proxies, and what one subscriber line has. Pure."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

Networks = tuple[IPv4Network | IPv6Network, ...]


def client_address(peer: str, forwarded: str, proxies: Networks) -> str:
    """Give the client's address, which is the peer's but where proxies in between are believed.

    `forwarded` is `X-Forwarded-For`, empty for none. It is walked back from the peer while that is a proxy that is
    believed: further left anyone may have written anything.
    """
    return _walked_back(peer, forwarded, proxies) if forwarded and proxies else peer


@lru_cache(maxsize=4096)
def _walked_back(peer: str, forwarded: str, proxies: Networks) -> str:
    address = peer
    for hop in reversed(forwarded.split(",")):
        if not is_in(address, proxies):
            break
        address = _bare(hop.strip())
    return address


@lru_cache(maxsize=4096)
def neighbourhood(address: str) -> str:
    """Give what one subscriber line has: an IPv4 address, or a /64 of IPv6, in which any address is as good."""
    try:
        parsed = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or IPv6Network((parsed, 64), strict=False))


def _bare(hop: str) -> str:
    """Take the port off an address that a proxy wrote with it."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


def is_in(address: str, networks: Networks) -> bool:
    """Say whether an address is in one of the networks."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(parsed in network for network in networks if parsed.version == network.version)

"""Hosts and ports as they stand in an address. Pure."""

from __future__ import annotations

from ipaddress import ip_address

_ASKED_AT = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104  nothing listens here


def local_host(host: str) -> str:
    """Return the host at which this machine reaches a service that listens on `host`."""
    return _ASKED_AT.get(host, host)


def url_host(host: str) -> str:
    """Return a host as it stands in an address: an IPv6 address has brackets (RFC 3986, RFC 6874)."""
    return f"[{host.replace('%', '%25')}]" if ":" in host else host


def authority(host: str, port: int) -> str:
    """Return a host and a port as they stand in an address."""
    return f"{url_host(host)}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"

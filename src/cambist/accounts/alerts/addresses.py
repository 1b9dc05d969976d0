"""The addresses that webhooks of alerts may have: an account must not reach what only this machine can reach."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from cambist.errors import BadParameter, shorten

_LONGEST = 500
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses of IPv4 as networks without IPv4 write them (RFC 6052)."""

_LOCAL_ENDS = (".localhost", ".local", ".internal", ".home.arpa", ".lan")


def check_webhook(address: str, *, allows_private: bool) -> SplitResult:
    """Return the parts of an address to which alerts may be sent, as far as it says so itself. Errors: BadParameter."""
    shown = shorten(address)
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise BadParameter(f"Invalid address: [{shown}] is not a URL") from None
    is_plain = address.isascii() and address.isprintable() and " " not in address
    if not host or not is_plain or len(address) > _LONGEST or parts.fragment or parts.username is not None:
        raise BadParameter(f"Invalid address: [{shown}], it is written https://host/path, without a user")
    if parts.scheme != "https" and not (allows_private and parts.scheme == "http"):
        raise BadParameter(f"Invalid address: [{shown}], alerts are sent by https")
    if not allows_private and not _may_be_public(host):
        raise BadParameter(f"Invalid address: [{shown}] is not on the internet")
    return parts


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the internet, however it is written."""
    found = ip_address(address.partition("%")[0])
    inner = _inner(found)
    return all(each.is_global and not each.is_multicast for each in (found, inner) if each is not None)


def _inner(found: IPv4Address | IPv6Address) -> IPv4Address | None:
    """Return the address of IPv4 in one of IPv6."""
    if isinstance(found, IPv4Address):
        return None
    if found in _TRANSLATED:
        return IPv4Address(found.packed[-4:])
    teredo = found.teredo
    return found.ipv4_mapped or found.sixtofour or (teredo[1] if teredo else None)


def _may_be_public(host: str) -> bool:
    name = host.rstrip(".").lower()
    with suppress(ValueError):
        return is_public(name)
    # Other ways to write an address of IPv4, such as 127.1 or 0x7f000001, end in a number.
    last = name.rpartition(".")[2]
    return "." in name and not f".{name}".endswith(_LOCAL_ENDS) and not last.isdecimal() and not last.startswith("0x")

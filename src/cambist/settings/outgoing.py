"""The proxies through which the service sends requests: those of the setting `proxy`, or of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # documented with NO_PROXY

from cambist.settings.fields import Settings
from cambist.settings.reading import without_password

DIRECT = "direct"
"""The setting with which the variables of the environment are ignored."""

_SETTING = "setting proxy"
_VARIABLES = {"https": ("https_proxy", "all_proxy"), "http": ("http_proxy", "all_proxy")}
_SCHEMES = {"wss": "https", "ws": "http"}


@dataclass(frozen=True, slots=True)
class OutgoingProxies:
    """A proxy for each scheme, where it was named, the hosts that are asked directly, and the variables of no use."""

    by_scheme: Mapping[str, str] = field(default_factory=dict, repr=False)
    named_by: Mapping[str, str] = field(default_factory=dict)
    excepted: str = ""
    unusable: tuple[str, ...] = ()

    def proxy_for(self, url: str) -> str | None:
        """Return the proxy for an address; None if it is asked directly, as this machine always is."""
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        proxy = self.by_scheme.get(_SCHEMES.get(parts.scheme, parts.scheme))
        if proxy is None or _is_this_machine(host) or proxy_bypass_environment(host, {"no": self.excepted}):
            return None
        if _is_in_network(host, self.excepted):
            return None
        return proxy

    @property
    def description(self) -> str:
        """How the world is asked, without the passwords of proxies."""
        ways = {
            scheme: f"through the proxy {without_password(self.by_scheme[scheme])} ({self.named_by[scheme]})"
            if scheme in self.by_scheme
            else "directly"
            for scheme in _VARIABLES
        }
        same = len(set(ways.values())) == 1
        said = ways["https"] if same else ", ".join(f"{scheme} {way}" for scheme, way in ways.items())
        ignored = f"; {' and '.join(self.unusable)} cannot be used: no http:// address" if self.unusable else ""
        excepted = f"; NO_PROXY: {self.excepted}" if self.by_scheme and self.excepted else ""
        return f"{said}{excepted}{ignored}"


def outgoing_proxies(settings: Settings, environment: Mapping[str, str]) -> OutgoingProxies:
    """Return the proxies: the setting wins over the variables, and a variable in small letters over one in capitals.

    NO_PROXY holds for both. Only proxies of http can be used; such a proxy tunnels to https and wss.
    """
    excepted = _value(environment, "no_proxy")
    if settings.proxy:
        chosen = {} if settings.proxy == DIRECT else dict.fromkeys(_VARIABLES, settings.proxy)
        return OutgoingProxies(chosen, dict.fromkeys(chosen, _SETTING), excepted)
    by_scheme, named_by, unusable = {}, {}, []
    for scheme, names in _VARIABLES.items():
        name = next((name for name in names if _value(environment, name)), "")
        value = _value(environment, name)
        proxy = value if "://" in value else f"http://{value}"
        if value and _is_usable(proxy):
            by_scheme[scheme], named_by[scheme] = proxy, name.upper()
        elif value:
            unusable.append(name.upper())
    return OutgoingProxies(by_scheme, named_by, excepted, tuple(dict.fromkeys(unusable)))


def _value(environment: Mapping[str, str], name: str) -> str:
    return (environment.get(name) or environment.get(name.upper()) or "").strip()


def _is_usable(proxy: str) -> bool:
    try:
        parts = urlsplit(proxy)
        return parts.scheme == "http" and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _is_in_network(host: str, excepted: str) -> bool:
    """Return whether a host is an IP address in one of the networks of NO_PROXY, such as 10.0.0.0/8."""
    networks = [item.strip() for item in excepted.split(",") if "/" in item]
    try:
        address = ip_address(host)
    except ValueError:
        return False
    for network in networks:
        with suppress(ValueError):
            if address in ip_network(network, strict=False):
                return True
    return False


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

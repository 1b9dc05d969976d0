"""The network of a cluster: a network namespace for each node and a bridge between them, or loopback ports."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from typing import Protocol

from tools.cluster.isolation import ENDS_WITH_PARENT
from tools.ports import free_port

_NOWHERE = "02:00:00:00:00:99"
"""A hardware address that no device has: what is sent there is lost without a word."""


@dataclass(frozen=True)
class Place:
    """Where a node runs: its address and ports, and what its command begins with."""

    address: str
    port: int
    stream_port: int
    operator_port: int
    prefix: tuple[str, ...] = ()


class Network(Protocol):
    """Where the nodes and the servers run, and what can be cut."""

    can_cut: bool
    servers: tuple[str, str, str]
    """The addresses of PostgreSQL, of Redis and of the simulated sources."""

    def place(self, number: int) -> Place:
        """Make the place of a node, which are counted from 1."""

    def cut(self, number: int) -> None:
        """Cut a node off from everything, silently."""

    def heal(self, number: int) -> None:
        """Connect a node again."""

    def cut_from(self, number: int, address: str) -> None:
        """Cut a node off from one address, silently."""

    def heal_from(self, number: int, address: str) -> None:
        """Connect a node with an address again."""


@dataclass
class LoopbackPorts:
    """All nodes on ports of 127.0.0.1: nothing can be cut."""

    can_cut: bool = False
    servers: tuple[str, str, str] = ("127.0.0.1",) * 3

    def place(self, number: int) -> Place:
        """Return free ports."""
        _ = number
        return Place("127.0.0.1", free_port(), free_port(), free_port(), ENDS_WITH_PARENT)

    def cut(self, number: int) -> None:
        """Nothing can be cut."""
        raise NotImplementedError(number)

    heal = cut

    def cut_from(self, number: int, address: str) -> None:
        """Nothing can be cut."""
        raise NotImplementedError(number, address)

    heal_from = cut_from


@dataclass
class Namespaces:
    """Each node in a network namespace with one cable to a bridge, in a namespace that this process has to itself.

    Servers listen at addresses of the bridge. The network is 10.77.0.0/16, which nobody else can see.
    """

    can_cut: bool = True
    servers: tuple[str, str, str] = ("10.77.0.2", "10.77.0.3", "10.77.0.4")
    _anchors: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge0", "type", "bridge")
        for address in ("10.77.0.1", *self.servers):
            run("ip", "address", "add", f"{address}/16", "dev", "bridge0")
        run("ip", "link", "set", "bridge0", "up")

    def place(self, number: int) -> Place:
        """Make a network namespace, and connect it with the bridge."""
        anchor = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE)
        assert anchor.stdout is not None
        anchor.stdout.readline()  # now it is in its namespace
        self._anchors[number] = anchor
        own, address = _namespace_of(anchor.pid), f"10.77.1.{number}"
        cable = ("type", "veth", "peer", "name", "eth0", "netns", str(anchor.pid))
        run("ip", "link", "add", f"node{number}", *cable)
        run("ip", "link", "set", f"node{number}", "master", "bridge0", "up")
        run(*own, "ip", "address", "add", f"{address}/16", "dev", "eth0")
        for device in ("lo", "eth0"):
            run(*own, "ip", "link", "set", device, "up")
        return Place(address, 8000, 8001, 8002, (*own, *ENDS_WITH_PARENT))

    def cut(self, number: int) -> None:
        """Unplug the cable."""
        run("ip", "link", "set", f"node{number}", "down")

    def heal(self, number: int) -> None:
        """Plug it in again."""
        run("ip", "link", "set", f"node{number}", "up")

    def cut_from(self, number: int, address: str) -> None:
        """Have what the node sends to an address go to nobody."""
        neighbour = ("ip", "neighbour", "replace", address, "lladdr", _NOWHERE, "nud", "permanent", "dev", "eth0")
        run(*_namespace_of(self._anchors[number].pid), *neighbour)

    def heal_from(self, number: int, address: str) -> None:
        """Have the node look for the address again; a cut cable has made it forget the address already."""
        delete = ("ip", "neighbour", "delete", address, "dev", "eth0")
        subprocess.run((*_namespace_of(self._anchors[number].pid), *delete), check=False, timeout=20)


def _namespace_of(process: int) -> tuple[str, ...]:
    return "nsenter", "--target", str(process), "--net", "--"


def run(*command: str) -> None:
    """Run a command of the system. Errors: CalledProcessError."""
    subprocess.run(command, check=True, timeout=20)

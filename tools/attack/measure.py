"""What a service holds, as /proc shows it: memory of each process, and sockets."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from tools.attack.target import Target
from tools.cluster.processes import descendants

_ESTABLISHED, _CLOSE_WAIT = "01", "08"


def memory(target: Target) -> dict[int, int]:
    """Return the resident memory of each process of the service, in kB, by process id."""
    return _sizes(target, "VmRSS:")


def _sizes(target: Target, name: str) -> dict[int, int]:
    found = {}
    for pid in (target.pid, *(each.pid for each in descendants(target.pid))):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
                if line.startswith(name):
                    found[pid] = int(line.split()[1])
    return found


def forget_peaks(target: Target) -> None:
    """Let the kernel measure the peaks of memory anew from now on."""
    for pid in memory(target):
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


def peaks(target: Target) -> dict[int, int]:
    """Return the most resident memory of each process of the service since then, in kB, by process id."""
    return _sizes(target, "VmHWM:")


def sockets(target: Target) -> int:
    """Return how many connections of clients the service holds on its three ports, also half closed ones."""
    ports = {f":{port:04X}" for port in (target.port, target.stream, target.operator) if port}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(row[1][-5:] in ports and row[3] in {_ESTABLISHED, _CLOSE_WAIT} and row[9] != "0" for row in rows)


def settled(target: Target) -> int:
    """Return the fewest connections seen within two seconds: the service's probe of its own port comes and goes."""
    fewest = sockets(target)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        time.sleep(0.1)
        fewest = min(fewest, sockets(target))
    return fewest

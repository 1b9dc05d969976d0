"""How much memory the processes of the service hold, each by itself."""

import re
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
BOOKKEEPING = "multiprocessing.resource_tracker"  # Python's own, serves nobody


@dataclass(frozen=True)
class Held:
    """One process's resident memory in MB (10**6 bytes), now and at its highest."""

    pid: int
    command: str
    resident: float
    peak: float


def held_below(pid: int) -> list[Held]:
    """List the descendants of a process; empty where there is no /proc."""
    found = []
    for child in _children(pid):
        command = _read(child, "cmdline").replace("\0", " ").strip()
        status = _read(child, "status")
        if "VmRSS" in status and BOOKKEEPING not in command:
            found.append(Held(child, command, _megabytes(status, "VmRSS"), _megabytes(status, "VmHWM")))
        found += held_below(child)
    return found


def _children(pid: int) -> list[int]:
    """Find the processes whose parent this is."""
    everyone = [int(entry.name) for entry in PROC.glob("[0-9]*")]
    return sorted(one for one in everyone if re.search(rf"^PPid:\s+{pid}$", _read(one, "status"), re.MULTILINE))


def _read(pid: int, name: str) -> str:
    """Read what /proc says, nothing of a process that has just ended."""
    try:
        return (PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""


def _megabytes(status: str, name: str) -> float:
    """Find one size, which the kernel gives in KiB."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) * 1024 / 1_000_000 if found else 0.0

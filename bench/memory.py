"""Measure the memory of each process of the service."""

import re
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
BOOKKEEPING = "multiprocessing.resource_tracker"  # a process of Python itself


@dataclass(frozen=True)
class ProcessMemory:
    """One process's resident memory in MB (10**6 bytes), now and at its highest."""

    pid: int
    command: str
    resident: float
    peak: float


def memory_of_descendants(pid: int) -> list[ProcessMemory]:
    """List the descendants of a process; empty where there is no /proc."""
    found = []
    for child in _children(pid):
        command = _read(child, "cmdline").replace("\0", " ").strip()
        status = _read(child, "status")
        if "VmRSS" in status and BOOKKEEPING not in command:
            found.append(ProcessMemory(child, command, _megabytes(status, "VmRSS"), _megabytes(status, "VmHWM")))
        found += memory_of_descendants(child)
    return found


def _children(pid: int) -> list[int]:
    """Return the child processes."""
    everyone = [int(entry.name) for entry in PROC.glob("[0-9]*")]
    return sorted(one for one in everyone if re.search(rf"^PPid:\s+{pid}$", _read(one, "status"), re.MULTILINE))


def _read(pid: int, name: str) -> str:
    """Return a file of /proc, or an empty string if the process has ended."""
    try:
        return (PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""


def _megabytes(status: str, name: str) -> float:
    """Return a size, which the kernel writes in KiB, in MB."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) * 1024 / 1_000_000 if found else 0.0

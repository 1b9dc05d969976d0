"""The processes of a running service: which is which, and the processor time and memory of each."""

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
RESOURCE_TRACKER = "multiprocessing.resource_tracker"  # a process of Python itself


@dataclass(frozen=True)
class Memory:
    """A process's memory in MB (10**6 bytes): resident, and its proportional share of what processes share.

    `own` is what of that share is not in files, whose pages the kernel takes back when memory is short.
    """

    resident: float
    proportional: float
    own: float


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have; empty where there is no /proc."""
    parents = {}
    for entry in PROC.glob("[0-9]*"):
        if found := re.search(r"^PPid:\s+(\d+)$", read(int(entry.name), "status"), re.MULTILINE):
            parents[int(entry.name)] = int(found[1])
    found, before = {pid}, 0
    while len(found) > before:
        before = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return sorted(one for one in found - {pid} if RESOURCE_TRACKER not in read(one, "cmdline"))


def listeners(pids: list[int], port: int) -> list[int]:
    """Return those processes that listen on a port."""
    table = [line.split() for line in (PROC / "net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{one[9]}]" for one in table if one[1].endswith(f":{port:04X}") and one[3] == "0A"}
    return [pid for pid in pids if sockets & _open_files(pid)]


def named(supervisor: int, ports: dict[str, int], rest: str) -> dict[str, list[int]]:
    """Return the processes of a service by name: those that listen on each port, and the `rest`."""
    pids = descendants(supervisor)
    found = {name: listeners(pids, port) for name, port in ports.items() if port}
    known = {pid for group in found.values() for pid in group}
    return {**found, rest: [pid for pid in pids if pid not in known]}


def cpu_seconds(pids: list[int]) -> float:
    """Return the processor time that the threads of processes have used, in seconds, to the nanosecond."""
    threads = [thread for pid in pids for thread in (PROC / str(pid) / "task").glob("*/schedstat")]
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def memory(pid: int) -> Memory | None:
    """Return the memory of a process; None where /proc does not say."""
    sizes = {name: int(kilobytes) for name, kilobytes in re.findall(r"(\w+):\s+(\d+) kB", read(pid, "smaps_rollup"))}
    if not {"Rss", "Pss", "Pss_Anon"} <= sizes.keys():
        return None
    return Memory(*(sizes[name] * 1024 / 1e6 for name in ("Rss", "Pss", "Pss_Anon")))


def read(pid: int, name: str) -> str:
    """Return a file of /proc, or an empty string if the process has ended."""
    try:
        return (PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""


def _open_files(pid: int) -> set[str]:
    found = set()
    with contextlib.suppress(OSError):
        for link in (PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                found.add(str(link.readlink()))
    return found

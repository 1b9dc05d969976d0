"""Processes of this machine, as /proc shows them."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A process: its id, its parent's, the name that it shows, and its state (Z: it has ended)."""

    pid: int
    parent: int
    name: str
    state: str


def processes() -> list[Process]:
    """Return all processes that this one can see."""
    found = []
    for entry in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            before, _, after = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
            state, parent = after.split()[:2]
            found.append(Process(int(entry.name), int(parent), before.partition("(")[2], state))
    return found


def descendants(pid: int) -> list[Process]:
    """Return the processes that a process has started, and those that they have, without those that have ended."""
    seen, known, before = [each for each in processes() if each.state != "Z"], {pid}, 0
    while len(known) > before:
        before = len(known)
        known |= {each.pid for each in seen if each.parent in known}
    return [each for each in seen if each.pid in known - {pid}]


def command_line(pid: int) -> str:
    """Return the command line of a process, empty if it has ended."""
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process, which may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def reap(known: set[int]) -> None:
    """Let ended processes go whose parents were killed, if this process is the first of its namespace.

    `known` are those that somebody else waits for.
    """
    if os.getpid() == 1:
        for each in processes():
            if each.parent == 1 and each.state == "Z" and each.pid not in known:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(each.pid, os.WNOHANG)

"""Heartbeats: each process records when its main loop last ran, and the supervisor reads that."""

from __future__ import annotations

from multiprocessing.sharedctypes import RawValue
from time import monotonic
from typing import Any


class Heartbeat:
    """The time of the last beat of one process, in memory that it shares with its supervisor.

    It can be passed to a forked and to a spawned process. The clock is that of the machine, the same in all processes.
    """

    def __init__(self) -> None:
        self._time: Any = RawValue("d", 0.0)

    def beat(self) -> None:
        """Record that the process works."""
        self._time.value = monotonic()

    def reset(self) -> None:
        """Forget the beats of a process that another one replaces."""
        self._time.value = 0.0

    @property
    def age(self) -> float | None:
        """Seconds since the last beat; None before the first one."""
        last: float = self._time.value
        return monotonic() - last if last else None


def set_heartbeat(heartbeat: Heartbeat) -> None:
    """Let `beat` record the beats of this process in `heartbeat`."""
    _own[:] = [heartbeat]


def beat() -> None:
    """Record that the main loop of this process runs; do nothing in a process that nobody supervises."""
    for heartbeat in _own:
        heartbeat.beat()


_own: list[Heartbeat] = []

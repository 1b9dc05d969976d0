"""Single figures of a running service: processor time while nobody asks, memory, and seconds until it answers."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from children import cpu_seconds, memory
from moving_book import BOOKS_A_SECOND
from publisher import Publisher
from servers import Cambist

SETTLE_SECONDS = 3.0
FIRST_START, LATER_START, SHARE, SANDBOX_SHARE, PROPORTIONAL = 15.0, 1.0, 0.5, 4.0, 90.0
"""Goals: seconds, seconds, per cent of a core, per cent of a core, MB."""


@dataclass(frozen=True)
class Fact:
    """A figure with its unit, and what it must stay below (or reach, with `is_minimum`), if there is a goal."""

    name: str
    figure: float
    unit: str
    limit: float | None = None
    is_minimum: bool = False
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.limit is None:
            return None
        return self.figure >= self.limit if self.is_minimum else self.figure < self.limit

    @property
    def goal(self) -> str:
        """The goal as the table shows it."""
        if self.limit is None:
            return ""
        return f"{'≥' if self.is_minimum else '<'} {self.limit:g} {self.unit}".rstrip()


def idle_shares(cambist: Cambist, supervisor: int, seconds: float) -> dict[str, float]:
    """Return the share of a core, in per cent, that each process of a service uses while nobody asks."""
    processes = cambist.processes(supervisor)
    time.sleep(SETTLE_SECONDS)
    before, started = {name: cpu_seconds(pids) for name, pids in processes.items()}, time.monotonic()
    time.sleep(seconds)
    elapsed = time.monotonic() - started
    return {name: (cpu_seconds(pids) - before[name]) / elapsed * 100 for name, pids in processes.items()}


def idle_facts(
    cambist: Cambist, supervisor: int, publisher: Publisher, seconds: float, among: str = ""
) -> Iterator[Fact]:
    """Yield the share of each process at ten books a second."""
    publisher.set_rate(BOOKS_A_SECOND)
    for name, share in idle_shares(cambist, supervisor, seconds).items():
        yield Fact(f"idle: {name}, {BOOKS_A_SECOND} books a second{among}", share, "% of a core", SHARE)
    publisher.set_rate(0)


def sandbox_fact(cambist: Cambist, seconds: float) -> Fact:
    """Start a sandbox, and return the share of its publisher at two books a second."""
    with cambist.started() as (process, _took):
        time.sleep(SETTLE_SECONDS)  # the matrix of the sandbox is built first
        share = idle_shares(cambist, process.pid, seconds)["sandbox and usage writer"]
    return Fact("idle: sandbox and usage writer, 2 books a second", share, "% of a core", SANDBOX_SHARE)


def memory_facts(cambist: Cambist, supervisor: int) -> Iterator[Fact]:
    """Yield the memory of each process, with its proportional share of what processes share."""
    for name, pids in cambist.processes(supervisor).items():
        for found in filter(None, map(memory, pids)):
            limit = PROPORTIONAL if name == "worker" else None
            note = f"{found.resident:.0f} MB resident; {found.own:.0f} MB is not in files"
            yield Fact(f"memory of a {name} after the load, proportional", found.proportional, "MB", limit, note=note)


def start_facts(first: float, later: float) -> Iterator[Fact]:
    """Yield the seconds until the first answer."""
    yield Fact("first start to the first answer", first, "s", FIRST_START)
    yield Fact("later start to the first answer", later, "s", LATER_START)

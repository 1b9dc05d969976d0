"""Two workers beside one, as far as the machine lets one see it.

With three cores or more, each worker and the client has a core of its own, and the answers a second are compared. With
two cores the second worker and the client share one. Then long answers are requested, which cost the client little, and
the verdict is by the processor time that the workers need for an answer: twice the answers of one worker, if two need
as much as one.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import wrk
from children import cpu_seconds, memory
from facts import Fact, idle_shares
from load import Client, Load
from moving_book import BOOKS_A_SECOND
from processes import CLIENT_CORE
from publisher import publishing
from rounds import WARM_UP, calls_of
from servers import Cambist
from workloads import WORKLOADS

GOAL, IDLE_SECONDS = 1.8, 4.0
MATRIX = next(one for one in WORKLOADS if one.name == "MXR")


@dataclass(frozen=True)
class Scaled:
    """What some workers reach: the load, the processor seconds of an answer, and the client's share of a core.

    `idle` is the share of a core that the workers need together while nobody asks, in per cent, `megabytes` their
    proportional memory.
    """

    load: Load
    cost: float
    client: float
    idle: float
    megabytes: float


def two_workers(cambist: Cambist, client: Client, seconds: int, folder: Path) -> Iterator[Fact]:
    """Measure one worker, then two, and yield how much more they answer and how much each answer costs."""
    one, two = (measure_workers(cambist, client, seconds, folder, workers) for workers in (1, 2))
    cores = len(_all_cores())
    answers, cost = two.load.answers / one.load.answers, 2 * one.cost / two.cost
    seen = f"{cores} cores; the client used {two.client:.0%} of one"
    is_enough = cores > 2
    yield Fact("two workers beside one: answers a second", answers, "times", GOAL if is_enough else None, True, seen)
    yield Fact(
        "two workers beside one: by processor time of an answer", cost, "times", None if is_enough else GOAL, True, seen
    )


def measure_workers(cambist: Cambist, client: Client, seconds: int, folder: Path, workers: int) -> Scaled:
    """Start some workers, each on the next core, and request matrices while the book moves."""
    calls = calls_of(MATRIX, cambist.port, cambist.key)
    with (
        cambist.started(workers) as (process, _took),
        publishing([cambist.data], folder / "publisher.log", pinned=cambist.pinned) as publisher,
    ):
        pids = cambist.processes(process.pid)["worker"]
        _spread(pids)
        publisher.set_rate(BOOKS_A_SECOND)
        idle = idle_shares(cambist, process.pid, IDLE_SECONDS)["worker"]
        client(calls, WARM_UP, -workers)
        before, used = cpu_seconds(pids), wrk.client_seconds()
        load = client(calls, seconds, workers)
        spent, of_client = cpu_seconds(pids) - before, wrk.client_seconds() - used
        megabytes = sum(found.proportional for found in map(memory, pids) if found)
        return Scaled(load, spent / (load.answers * seconds), of_client / seconds, idle, megabytes)


def _spread(pids: list[int]) -> None:
    """Give each worker a core: the first the servers' core, and the next the client's only if there is no other."""
    cores = [*sorted(_all_cores() - {CLIENT_CORE}), CLIENT_CORE]
    for number, pid in enumerate(pids):
        core = str(cores[number % len(cores)])
        with contextlib.suppress(FileNotFoundError):
            subprocess.run(["taskset", "-a", "-p", "-c", core, str(pid)], capture_output=True, check=False)


def _all_cores() -> set[int]:
    """Return the cores of the machine, also if this process is pinned to one of them."""
    return set(range(os.cpu_count() or 1))

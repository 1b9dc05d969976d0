"""Run one scenario."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.simulation.connections import ConnectionsInUse
from tools.simulation.databases import simulation_folder
from tools.simulation.ingest_world import IngestWorld
from tools.simulation.leader_world import LeaderWorld
from tools.simulation.patches import Patch, patched
from tools.simulation.quota_world import QuotaWorld
from tools.simulation.scenario import INGEST, LEADER, QUOTA, YEAR, Scenario
from tools.simulation.violation import ViolationError
from tools.simulation.year_world import YearWorld

WORLDS: dict[str, Callable[[Scenario, Path], QuotaWorld | IngestWorld | LeaderWorld]] = {
    INGEST: IngestWorld,
    QUOTA: QuotaWorld,
    YEAR: YearWorld,
    LEADER: LeaderWorld,
}


@dataclass(frozen=True)
class Outcome:
    """How a scenario ended: its trace with its SHA-256, and the invariant that did not hold, if any."""

    lines: list[str]
    digest: str
    violation: ViolationError | None = None


def simulate(scenario: Scenario, planted: list[Patch] | None = None) -> Outcome:
    """Run a scenario, with planted faults if there are any."""
    with simulation_folder() as folder, _silent():
        world = WORLDS[scenario.world](scenario, folder)
        violation = None
        with ConnectionsInUse(world.connections), patched([*world.patches(), *(planted or [])]):
            try:
                world.run()
            except ViolationError as error:
                violation = error
                world.trace.add(f"VIOLATION {error}")
        return Outcome(world.trace.lines, world.trace.digest, violation)


@contextmanager
def _silent() -> Iterator[None]:
    """Keep the faults that a scenario injects out of the log, and that calendars of holidays begin after the 1970s."""
    log = logging.getLogger("cambist")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Requested Holidays are available only")
            yield
    finally:
        log.setLevel(level)

"""The world of one node that ingests for a long time from all sources, with its archive in memory.

The sources have their own schedules, calendars, time zones and ranks, but each says one or two pairs, of the 1970s.
"""

from __future__ import annotations

import asyncio
import random
from bisect import bisect_right
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tools.simulation.ingest_checks import Thoroughness
from tools.simulation.ingest_node import Pace
from tools.simulation.ingest_world import IngestWorld
from tools.simulation.memory_store import MemoryRows, MemoryStore
from tools.simulation.patches import Patch
from tools.simulation.scenario import Scenario
from tools.simulation.scripted_source import ScriptedAdapter, ScriptedSource, codes_of
from tools.simulation.stored_rows import Rows
from tools.simulation.truth import FREE_CODES, Truth

from cambist.ingest.poller import Poller
from cambist.pricing.pair import PIVOT
from cambist.registry.archiving import archive_tasks
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import Source

_PAIRS = (1, 1, 2)
_FEW_SOURCES, _PAIRS_OF_FEW = 10, 3
_PUBLISHING_HOURS = 8.0
_LONGEST_SETTLE_HOURS = 360.0
_MORE_DAYS = 5

_THOROUGH_ENOUGH = Thoroughness(older_every=1000, whole_every=25, judged_every=50)
_FOR_FEW = Thoroughness(older_every=100, whole_every=5, judged_every=3)


class YearWorld(IngestWorld):
    """One node, all sources or a few, and an archive in memory. No fault of power: there is no disk."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self._is_large = len(scenario.sources) > _FEW_SOURCES
        self.thoroughness = _THOROUGH_ENOUGH if self._is_large else _FOR_FEW
        self._store: MemoryStore | None = None
        super().__init__(scenario, folder)
        changes = {key: adapter.scripted.changes(scenario.days + _MORE_DAYS) for key, adapter in self._adapters.items()}

        def poller(source: Source, *rest: Any) -> Poller:
            return LeapingPoller(changes[source.key], source, *rest)

        self.pace = Pace(_PUBLISHING_HOURS, _LONGEST_SETTLE_HOURS, poller)

    def _adapter(self, key: str, truth: Truth) -> ScriptedAdapter:
        """Make a source whose anchor is a currency that no law fixed."""
        scenario = self.scenario
        facts = built_in(key).source
        chance = random.Random(f"{scenario.seed} {key} anchor")  # noqa: S311  the same for each seed
        source = replace(
            facts,
            anchor=facts.anchor if facts.anchor in {*FREE_CODES, PIVOT} else chance.choice(FREE_CODES),
            first_day=min(facts.first_day, scenario.first_day),
            rate_types=(),
            outranks_pegs=False,
            alias="",
        )
        codes = codes_of(source, FREE_CODES, scenario.seed, chance.choice(_PAIRS) if self._is_large else _PAIRS_OF_FEW)
        return ScriptedAdapter(
            ScriptedSource(source, truth, scenario.first_day, codes, scenario.seed, scenario.mistakes)
        )

    def _open_rows(self) -> Rows:
        if self._store is None:
            self._store = MemoryStore(self._faults.before, self.loop.now)
        return MemoryRows(self._store)

    def patches(self) -> list[Patch]:
        """Return what is replaced while this world runs."""

        def open_store(*_: Any) -> MemoryStore | None:
            return self._store

        return [*super().patches(), (archive_tasks, "open_store", open_store)]


class LeapingPoller(Poller):
    """A poller that leaves out the polls between two of its source's `changes`: they would find nothing new."""

    def __init__(self, changes: list[datetime], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._changes = changes

    async def pause(self) -> None:
        """Wait until the source is due again after it has changed, or after a failure."""
        if not self.source_status.failures:
            now = self.clock()
            place = bisect_right(self._changes, now)
            if place < len(self._changes):
                await asyncio.sleep((self._changes[place] - now).total_seconds())
        await super().pause()

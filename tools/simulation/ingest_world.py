"""The world of one node that ingests: scripted sources, an operator, a machine with faults, and the invariants."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from msgspec import structs
from tools.simulation.connections import Connections
from tools.simulation.databases import DATABASE, new_database
from tools.simulation.ingest_checks import THOROUGH, IngestChecks
from tools.simulation.ingest_node import USUAL_PACE, IngestNode
from tools.simulation.machine_faults import POWER, MachineFaults, NodeKilled, lose_power
from tools.simulation.patches import Patch, clock_patches
from tools.simulation.scenario import Scenario
from tools.simulation.scripted_source import ScriptedAdapter, ScriptedSource, codes_of
from tools.simulation.stored_rows import Rows, StoredRows
from tools.simulation.truth import FREE_CODES, Truth
from tools.simulation.truth_invariants import TruthInvariants
from tools.simulation.virtual_loop import VirtualLoop

from cambist.history.code_judgement import judge_rates
from cambist.history.code_rates import CodeRates
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.verdict_log import Decision, holding
from cambist.ingest import poller, snapshot_builder
from cambist.pricing.pair import PIVOT
from cambist.registry.archiving import archive_tasks
from cambist.registry.sources.source_adapters import built_in
from cambist.settings import Settings
from cambist.sources.base import FixingAdapter
from cambist.storage.sql.backends import sqlite
from cambist.verdicts.verdict import Judgement

_DAY = timedelta(days=1)
_OPERATOR_HOURS = 26.0
_DECIDES = 0.3
"""How often an operator decides, and how often so."""

_LONGEST_DOWN_MINUTES = 90.0
_AHEAD = timedelta(days=40)


class IngestWorld:
    """One node, its sources, and what is known of them."""

    thoroughness = THOROUGH
    pace = USUAL_PACE

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario = scenario
        start = datetime.combine(scenario.first_day, time(), UTC)
        self.loop = VirtualLoop(start)
        self._chance = random.Random(f"{scenario.seed} world")  # noqa: S311  the same for each seed
        self._folder = folder
        truth = Truth(scenario.seed, scenario.first_day, scenario.jumps)
        self._adapters = {key: self._adapter(key, truth) for key in scenario.sources}
        self._faults = MachineFaults(scenario.faults, start, self.loop.now)
        self.connections = Connections(self.loop.now, self._faults.before)
        new_database(folder)
        self._rows = self._open_rows()
        scripted = {key: adapter.scripted for key, adapter in self._adapters.items()}
        truths = TruthInvariants(scripted, scenario.first_day, scenario.jumps)
        self._checks = IngestChecks(folder, self._rows, self._adapters, self.loop.now, truths, self.thoroughness)
        self.trace = self._checks.trace
        self._node: IngestNode | None = None

    def _adapter(self, key: str, truth: Truth) -> ScriptedAdapter:
        scenario = self.scenario
        facts = built_in(key).source
        source = replace(facts, first_day=min(facts.first_day, scenario.first_day), rate_types=())
        codes = codes_of(source, FREE_CODES, scenario.seed, always=scenario.pegged)
        return ScriptedAdapter(
            ScriptedSource(source, truth, scenario.first_day, codes, scenario.seed, scenario.mistakes)
        )

    def _open_rows(self) -> Rows:
        return StoredRows(self._folder / DATABASE)

    def patches(self) -> list[Patch]:
        """Return what is replaced while this world runs."""

        def adapters(_settings: Any) -> dict[str, FixingAdapter]:
            return dict(self._adapters)

        return [
            *clock_patches(self.loop.now),
            *self._faults.patches(),
            (sqlite, "create_engine", self.connections.create_engine),
            (poller, "random", random.Random(f"{self.scenario.seed} poller")),  # noqa: S311  as above
            (archive_tasks, "fixing_adapters", adapters),
            ("cambist.history.judging", "judge_rates", self._judge_rates),
            (snapshot_builder, "_AHEAD", _AHEAD),
        ]

    def _judge_rates(self, rates: CodeRates, *rest: Any) -> Judgement:
        """Judge the rates of a code, and note that."""
        self._checks.note_judged(rates.code)
        return judge_rates(rates, *rest)

    def run(self) -> None:
        """Run the scenario. Errors: ViolationError."""
        try:
            self.loop.run_until_complete(self._run())
        finally:
            self.loop.close()
            self._rows.close()

    async def _run(self) -> None:
        tasks = [asyncio.ensure_future(self._run_nodes()), asyncio.ensure_future(self._operate())]
        done, _ = await asyncio.wait(
            tasks, timeout=self.scenario.days * _DAY.total_seconds(), return_when=asyncio.FIRST_COMPLETED
        )
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()
        self._checks.archive.check_unchanged()
        self._checks.check_caught_up()
        store = vars(archive_tasks)["open_store"](Settings(data=self._folder))
        self._checks.check_history(store, self._chance)
        store.close()

    async def _run_nodes(self) -> None:
        """Run the node, and start it again some time after it was killed."""
        while True:
            self.trace.add("node starts")
            try:
                await self._run_node()
            except NodeKilled as killed:
                self.trace.add(f"node ends: {killed.fault.kind}")
                self._checks.killed()
                if killed.fault.kind == POWER:
                    self._lose_power(killed.fault.amount)
            await asyncio.sleep(self._chance.uniform(0, _LONGEST_DOWN_MINUTES) * 60)

    async def _run_node(self) -> None:
        self._faults.is_running = True
        try:
            self._node = IngestNode(self._folder, self._adapters, self.loop.now, self._chance, self._checks, self.pace)
            self._checks.remembered = self._node.remembered
            await self._node.run()
        finally:
            self._faults.is_running, self._node = False, None

    def _lose_power(self, amount: float) -> None:
        def close() -> None:
            self._rows.close()
            self.connections.close()

        lose_power(self._folder, amount, close)
        self._rows = self._open_rows()
        self._checks.lost_power(self._rows)

    async def _operate(self) -> None:
        """Decide now and then about levels, and take a decision back."""
        while True:
            await asyncio.sleep(self._chance.uniform(1, _OPERATOR_HOURS) * 3600)
            if self._node is not None and self._chance.random() < _DECIDES:
                self._faults.is_running = False
                self._decide(self._node)
                self._faults.is_running = True

    def _decide(self, node: IngestNode) -> None:
        """Reject the level of a fixing that is wrong, or accept that of any fixing; or take a decision back."""
        store = node.open_store()
        known = holding(store.verdicts.decisions())
        if known and self._chance.random() < _DECIDES:
            ended = self._chance.choice(known)
            store.verdicts.decide(structs.replace(ended, takes_back=ended.number))
            told = f"operator takes {ended.number} back"
        else:
            decision = self._decision()
            if decision is None:
                store.close()
                return
            store.verdicts.decide(decision)
            told = f"operator {'accepts' if decision.accepts else 'rejects'} {decision.code} {decision.level}"
        store.close()
        self.trace.add(told)
        self._checks.operated()
        node.archive_changed()

    def _decision(self) -> Decision | None:
        adapter = self._chance.choice(list(self._adapters.values()))
        now = self.loop.now()
        fixings = adapter.scripted.fixings(now, now.date() - 3 * _DAY, now.date())
        if not fixings or adapter.source.anchor != PIVOT:
            return None
        scripted = self._chance.choice(fixings)
        pair, rate = scripted.fixing.pair, scripted.fixing.rate
        units = rate if pair.base == PIVOT else 1 / rate
        day = (scripted.fixing.day - FIRST_DAY).days
        until = self._chance.choice((None, day, day + 2))
        level = Decimal(f"{float(units):.8g}")
        accepts = self._chance.random() < _DECIDES
        return Decision(0, pair.other(PIVOT), day, until, level, accepts, "a simulation", now)

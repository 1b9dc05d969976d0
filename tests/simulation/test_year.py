"""A simulated year: some days of it, and the archive in memory that it has, compared with the one in SQL."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace
from tools.simulation import simulate as simulations
from tools.simulation.generator import make_year
from tools.simulation.ingest_world import IngestWorld
from tools.simulation.patches import Patch
from tools.simulation.planted_faults import PLANTED
from tools.simulation.scenario import YEAR, Mistake, Scenario
from tools.simulation.simulate import simulate
from tools.simulation.stored_rows import Rows
from tools.simulation.year_world import YearWorld

from cambist.sources.adapters import ADAPTERS


class YearInSql(YearWorld):
    """The same world with an archive in SQL."""

    def _open_rows(self) -> Rows:
        return IngestWorld._open_rows(self)

    def patches(self) -> list[Patch]:
        return IngestWorld.patches(self)


@pytest.fixture(scope="module")
def fortnight() -> Scenario:
    """Two weeks of all sources, with mistakes and faults."""
    return make_year(1, days=14, parts=1)[0]


@pytest.fixture(scope="module")
def some_sources(fortnight: Scenario) -> Scenario:
    """The same mistakes of fewer sources, on a machine without faults."""
    sources = fortnight.sources[::7]
    mistakes = tuple(replace(one, source=sources[place % len(sources)]) for place, one in enumerate(fortnight.mistakes))
    return replace(fortnight, sources=sources, mistakes=mistakes, faults=())


@pytest.mark.long
def test_some_days_of_all_sources_hold(fortnight: Scenario) -> None:
    outcome = simulate(fortnight)
    assert outcome.violation is None
    filed = {line.split()[2] for line in outcome.lines if " filed " in line}
    assert len(fortnight.sources) > 100
    assert filed <= set(ADAPTERS)
    assert len(filed) > 95  # some publish weekly or monthly
    assert any("node ends" in line for line in outcome.lines)


@pytest.mark.long
def test_the_archive_in_memory_does_what_the_one_in_sql_does(
    some_sources: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = simulate(some_sources)
    monkeypatch.setitem(simulations.WORLDS, YEAR, YearInSql)
    in_sql = simulate(some_sources)
    assert in_memory.violation is in_sql.violation is None
    assert in_memory.lines == in_sql.lines
    for event in ("filed", "stored", "edition", "operator"):
        assert any(event in line for line in in_memory.lines)


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "invariant"),
    [
        ("the history is not voted on", "no wrong price served"),
        ("each day of the matrix is the day before", "verdicts are what follows from all fixings"),
        ("an edition is not recorded", "no edition without its deliveries"),
        ("new fixings do not reach the rate book", "no wrong price served"),
    ],
)
def test_a_planted_fault_is_found_in_a_year_too(fortnight: Scenario, fault: str, invariant: str) -> None:
    slipped = Mistake("boe", "slipped", pair=0, day=9)
    scenario = replace(fortnight, mistakes=(*fortnight.mistakes, slipped))
    violation = simulate(scenario, PLANTED[fault]()).violation
    assert violation is not None
    assert violation.invariant == invariant


def test_the_parts_of_a_year_follow_one_another() -> None:
    parts = make_year(1)
    assert sum(part.days for part in parts) == 365
    for before, after in pairwise(parts):
        assert (after.first_day - before.first_day).days == before.days

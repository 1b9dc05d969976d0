"""Each fault that is planted in the code under test is found, by the invariant that it breaks."""

from __future__ import annotations

import pytest
from tools.simulation.directed import DIRECTED
from tools.simulation.planted_faults import FOUND_BY, PLANTED
from tools.simulation.simulate import simulate


@pytest.mark.long(every=11)
@pytest.mark.parametrize("name", DIRECTED)
def test_the_code_without_planted_faults_holds(name: str) -> None:
    assert simulate(DIRECTED[name]).violation is None


@pytest.mark.long(every=30)
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str) -> None:
    scenario, invariant = FOUND_BY[fault]
    violation = simulate(DIRECTED[scenario], PLANTED[fault]()).violation
    assert violation is not None
    assert violation.invariant == invariant


@pytest.mark.long
def test_the_patches_are_undone() -> None:
    before = simulate(DIRECTED["liar"]).digest
    assert simulate(DIRECTED["liar"], PLANTED["an edition is not recorded"]()).violation is not None
    assert simulate(DIRECTED["liar"]).digest == before

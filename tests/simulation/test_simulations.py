"""Simulated deployments, and what makes a simulation repeatable.

They are a share of the seeds that `make simulate` and `make simulate-leaders` run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tools.simulation.generator import make_leadership, make_scenario
from tools.simulation.run import replay_command
from tools.simulation.scenario import decode_scenario
from tools.simulation.simulate import simulate

ROOT = Path(__file__).parents[2]


@pytest.mark.long(every=15)
@pytest.mark.parametrize("seed", [1, 2, 4, 5, 10, 55, 58, 107, 487, 566, *range(0, 45, 9)])
def test_every_invariant_holds(seed: int) -> None:
    outcome = simulate(make_scenario(seed))
    assert outcome.violation is None
    assert len(outcome.lines) > 20


@pytest.mark.long(every=3)
@pytest.mark.parametrize("seed", range(3))
def test_every_invariant_of_the_leader_holds(seed: int) -> None:
    outcome = simulate(make_leadership(seed))
    assert outcome.violation is None
    assert any("leads in epoch" in line for line in outcome.lines)


@pytest.mark.long
def test_the_same_scenario_has_the_same_trace_on_two_machines() -> None:
    """The other machine is in another time zone, and its processor computes arrays without this one's extensions."""
    extensions = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    other = {"PYTHONHASHSEED": "2", "TZ": "Pacific/Auckland", "LC_ALL": "C"}
    digests = {
        _digest_in_process({"PYTHONHASHSEED": "1", "TZ": "UTC"}),
        _digest_in_process({**other, "NPY_DISABLE_CPU_FEATURES": " ".join(extensions)}),
    }
    assert digests == {simulate(make_scenario(7)).digest}


def _digest_in_process(environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "tools.simulation.run", "--scenario", make_scenario(7).encoded()]
    ended = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return ended.stdout.split()[-1]


def test_a_scenario_is_replayed_from_its_text() -> None:
    scenario = make_scenario(3)
    text = replay_command(scenario).partition("--scenario ")[2].strip("'")
    assert decode_scenario(text) == scenario

"""Three nodes, a PostgreSQL and a Redis under load, while each kind of fault happens to them.

One run of `make cluster-rounds` is shared by the tests. What it checks is in `tools/cluster/checks.py`; a longer run is
`make cluster-rounds ROUNDS=1000`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.long, pytest.mark.service]

ROOT = Path(__file__).parents[2]
LONGEST_SECONDS = 900
NOT_INSTALLED = 77
PROMOTE = "promote standby of PostgreSQL"
FAULTS = ("kill leader", "pause leader", "cut node", "kill PostgreSQL", "flush Redis", "set clock", PROMOTE)
"""One round of each. Where one cannot be made, its round kills a node. `make cluster-rounds` makes all faults."""


@pytest.fixture(scope="module")
def result() -> Iterator[dict[str, Any]]:
    """The result of one run, and what it printed."""
    with tempfile.TemporaryDirectory(prefix="cluster-rounds-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        options = ["--seed", "1", "--rounds", str(len(FAULTS)), "--json", str(folder / "json"), "--faults", *FAULTS]
        done = subprocess.run(
            [sys.executable, "-m", "tools.cluster.rounds", *options],
            cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False,
            env={**os.environ, "TMPDIR": name},
        )  # fmt: skip
        if done.returncode == NOT_INSTALLED:
            pytest.skip(done.stdout)
        assert (folder / "json").exists(), done.stdout + done.stderr
        yield json.loads((folder / "json").read_text()) | {"printed": done.stdout + done.stderr}


def test_each_kind_of_fault_was_made_under_load(result: dict[str, Any]) -> None:
    assert len(result["rounds"]) == len(FAULTS)
    assert result["answered"] > 100
    assert result["streamed"] > 100
    assert result["seconds"] > 0
    assert {"kill leader", "flush Redis", PROMOTE} <= {name for each in result["rounds"] for name in each["faults"]}


def test_whatever_happens_nothing_is_lost_doubled_overspent_or_older(result: dict[str, Any]) -> None:
    assert result["wrong"] == [], result["printed"]


def test_the_market_of_currencies_was_open_so_that_bars_were_compared(result: dict[str, Any]) -> None:
    if datetime.now(UTC).weekday() >= 5:
        pytest.skip("currencies are not traded at weekends")
    assert result["minutes"] > 0, result["printed"]

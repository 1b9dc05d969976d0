"""Nodes of the last release are upgraded one after another under load, to this code with one more migration.

`make cluster-upgrade` lets nodes of both releases run side by side for longer.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.service]

LONGEST_SECONDS = 600
NOT_INSTALLED = 77
NODES = 3


def test_nodes_of_two_releases_answer_and_count_side_by_side() -> None:
    command = [sys.executable, "-m", "tools.cluster.upgrade", "--nodes", str(NODES), "--seconds", "2"]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=LONGEST_SECONDS, check=False
    )
    if done.returncode == NOT_INSTALLED:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("is upgraded") == NODES
    assert done.stdout.endswith("All held.\n")

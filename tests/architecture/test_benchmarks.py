"""The benchmarks, which no other test runs, can at least be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.long
def test_every_benchmark_can_be_imported() -> None:
    modules = ", ".join(sorted(path.stem for path in BENCH.glob("*.py")))
    command = [sys.executable, "-c", f"import {modules}"]
    ended = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr

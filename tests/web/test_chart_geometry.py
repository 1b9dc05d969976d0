"""The geometry of the charts: modules without DOM, tested by Node's own test runner."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

TESTS = Path(__file__).parent / "chart"
CHART = Path(str(files("cambist"))) / "web/static/lib/chart"
TIMEOUT = 120


@pytest.mark.parametrize("test", sorted(TESTS.glob("*.test.mjs")), ids=lambda test: test.name)
def test_the_geometry_of_charts(test: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("There is no node to run the modules")
    # Node takes a .js file for a module only if a package.json beside it says so; a browser needs none.
    shutil.copytree(CHART, tmp_path / "lib")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    copy = shutil.copy(test, tmp_path)
    run = subprocess.run([node, "--test", copy], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert run.returncode == 0, run.stdout
    assert "# fail 0" in run.stdout

"""The modules of the page without DOM, tested by Node's own test runner."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from cambist.web.reference_data import COINS_PATH, REFERENCE_PATH, coins_json, reference_json

TESTS = Path(__file__).parent / "modules"
STATIC = Path(str(files("cambist"))) / "web/static"
REPOSITORY = Path(__file__).parents[2]
TIMEOUT = 120


@pytest.mark.long(every=7)
@pytest.mark.parametrize("test", sorted(TESTS.glob("*.test.mjs")), ids=lambda test: test.name)
def test_the_modules_of_the_page(test: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("There is no node to run the modules")
    # Node takes a .js file for a module only if a package.json above it says so; a browser needs none.
    shutil.copytree(STATIC, tmp_path / "static")
    (tmp_path / "static/data").mkdir()
    for path, content in ((REFERENCE_PATH, reference_json()), (COINS_PATH, coins_json())):
        (tmp_path / "static" / path).write_bytes(content)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    command = [node, "--test", shutil.copy(test, tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False, cwd=REPOSITORY)
    assert run.returncode == 0, run.stdout
    assert "# fail 0" in run.stdout

"""The modules of the console that need no document, tested by Node's own test runner."""

from __future__ import annotations

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

TESTS = Path(__file__).parent / "console"
STATIC = Path(str(files("cambist"))) / "web/static"
TIMEOUT = 120


@pytest.mark.parametrize("test", sorted(TESTS.glob("*.test.mjs")), ids=lambda test: test.name)
def test_the_modules_of_the_console(test: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("There is no node to run the modules")
    # Node takes a .js file for a module only if a package.json beside it says so; a browser needs none.
    for folder in ("lib", "console"):
        shutil.copytree(STATIC / folder, tmp_path / folder)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    copy = shutil.copy(test, tmp_path)
    run = subprocess.run([node, "--test", copy], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert run.returncode == 0, run.stdout
    assert "# fail 0" in run.stdout


def test_every_view_of_the_navigation_has_its_module() -> None:
    names = {path.stem for path in (STATIC / "console/views").glob("*.js")}
    assert names == {
        "overview",
        "problems",
        "runbook",
        "accounts",
        "account",
        "plans",
        "usage",
        "sources",
        "disputes",
        "sandbox",
        "audit",
    }


def test_nothing_is_parsed_as_html_and_no_other_host_is_named() -> None:
    for path in sorted((STATIC / "console").rglob("*.js")):
        text = path.read_text()
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "localStorage", "sessionStorage", "eval("):
            assert forbidden not in text, path
        assert "http://" not in text, path

"""The modules of the page that know no document, tested with Node's own test runner where there is one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

MODULES = sorted((Path(__file__).parent / "modules").glob("*.test.mjs"))
NODE = shutil.which("node")


def test_the_tests_of_the_modules_are_found() -> None:
    assert MODULES


@pytest.mark.skipif(NODE is None, reason="there is no node")
@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_the_modules_pass_their_tests(module: Path) -> None:
    ended = subprocess.run(
        [NODE or "", "--test", str(module)], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stdout[-4000:]

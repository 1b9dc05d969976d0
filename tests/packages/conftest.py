"""The TypeScript client, compiled for the tests of its package."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE

COMPILER = Path(sys.prefix) / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
"""Where `make test` installs it."""

PACKAGE = Path(__file__).parents[2] / "packages" / "typescript-client"
OLDEST_NODE = 20
"""Seconds for what takes three on a quiet machine."""


def missing_requirement(node: str | None, compiler: Path = COMPILER) -> str:
    """Return what is missing to compile and run the client, or an empty string."""
    if node is None:
        return "there is no node"
    if not compiler.is_file():
        return f"TypeScript is not in {compiler.parents[2]}: `make test` puts it there where there is npm"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
    found = int(re.findall(r"\d+", version)[0])
    return "" if found >= OLDEST_NODE else f"it needs Node {OLDEST_NODE}, this is {version.strip()}"


@pytest.fixture(scope="session")
def node() -> str:
    """The Node of this machine."""
    node = shutil.which("node")
    missing = missing_requirement(node)
    if node is None or missing:
        pytest.skip(f"The TypeScript client is not tested: {missing}")
    return node


def compile_client(node: str, target: Path) -> None:
    """Compile the client into a folder, as a maintainer does who publishes it; without a complaint."""
    command = [node, str(COMPILER), "--project", str(PACKAGE), "--outDir", str(target / "dist")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout
    shutil.copy(PACKAGE / "package.json", target)


@pytest.fixture(scope="session")
def compiled(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `node_modules` that has the client as npm installs it."""
    target = tmp_path_factory.mktemp("typescript") / "node_modules" / "cambist-client"
    target.mkdir(parents=True)
    compile_client(node, target)
    return target.parent

"""Rules for the structure of the source code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "cambist"
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = sorted(path.parent for path in SOURCE.rglob("__init__.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 300, 40
FORBIDDEN_NAMES = {"utils", "helpers", "common", "core", "manager", "service"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE.parent))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_modules_are_found() -> None:
    assert len(MODULES) > 50
    assert SOURCE in PACKAGES


def test_every_module_imports_only_from_layers_below_its_own() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert "0 broken" in ended.stdout
    assert "BROKEN" not in ended.stdout


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_every_package_has_a_docstring(package: Path) -> None:
    assert ast.get_docstring(tree_of(package / "__init__.py"))


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_module_has_a_docstring(module: Path) -> None:
    assert ast.get_docstring(tree_of(module))


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_is_long(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_function_is_long(module: Path) -> None:
    functions = [node for node in ast.walk(tree_of(module)) if isinstance(node, Function)]
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    # A migration is a list of tables, as long as it must be.
    allowed = {"upgrade", "downgrade"} if module.parent.name == "versions" else set()
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION and name not in allowed} == {}


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_has_a_meaningless_name(module: Path) -> None:
    assert not FORBIDDEN_NAMES & {module.stem, *module.relative_to(SOURCE).parent.parts}


# The client is a distribution of its own, and imports nothing else of the package. Its errors and its answers have the
# names that they have in the service.
CLIENT = {module for module in MODULES if module.is_relative_to(SOURCE / "client")}


@pytest.mark.parametrize("sources", [{*MODULES} - CLIENT, CLIENT], ids=["service", "client"])
def test_no_two_public_classes_share_a_name(sources: set[Path]) -> None:
    assert len(sources) > 10
    modules = defaultdict(list)
    for module in sorted(sources):
        for node in tree_of(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(name_of(module))
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}


def test_what_json_cannot_be_is_expected_in_all_its_forms() -> None:
    """Bytes that are no UTF-8 are a UnicodeDecodeError, and ones nested too deep a RecursionError."""
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.ExceptHandler) and node.type is not None:
                caught = ast.unparse(node.type)
                assert "msgspec.MsgspecError" not in caught, f"{module}:{node.lineno} catches too little: ValueError"
                assert "msgspec.DecodeError" not in caught, f"{module}:{node.lineno} catches too little: ValueError"


def test_a_host_and_a_port_are_joined_in_one_place() -> None:
    """There an IPv6 address has its brackets. The client is installed alone, and has its own place."""
    joined = re.compile(r"\{[^{}]*host[^{}]*\}:\{|%s:%d")
    found = {name_of(path) for path in {*MODULES} - CLIENT if joined.search(path.read_text(encoding="utf-8"))}
    assert found == {"cambist/settings/addresses.py"}


@pytest.mark.parametrize("registry", ["sources/adapters/__init__.py", "api/endpoints/__init__.py"])
def test_every_adapter_and_endpoint_is_registered(registry: str) -> None:
    package = (SOURCE / registry).parent
    text = (SOURCE / registry).read_text(encoding="utf-8")
    files = [path.relative_to(package) for path in package.rglob("*.py") if path.stem != "__init__"]
    missing = [str(path) for path in files if f'"{".".join(path.with_suffix("").parts)}"' not in text]
    assert missing == []

"""Rules for the structure of the source code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "cambist"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 300, 40
FORBIDDEN_NAMES = {"utils", "helpers", "common", "core", "manager", "service"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE.parent))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_the_modules_are_found() -> None:
    assert len(MODULES) > 50
    assert SOURCE / "__init__.py" in MODULES


def test_every_module_imports_only_from_layers_below_its_own() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert "0 broken" in ended.stdout
    assert "BROKEN" not in ended.stdout


@pytest.mark.long
def test_every_package_and_module_has_a_docstring() -> None:
    assert [name_of(module) for module in MODULES if not ast.get_docstring(tree_of(module))] == []


def test_no_module_is_long() -> None:
    lengths = {name_of(module): len(module.read_text(encoding="utf-8").splitlines()) for module in MODULES}
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


@pytest.mark.long
def test_no_function_is_long() -> None:
    lengths = {
        f"{name_of(module)}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, Function) and not is_migration(module, node.name)
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}


def is_migration(module: Path, function: str) -> bool:
    """Return whether a function is a list of tables, as long as it must be."""
    return module.parent.name == "versions" and function in {"upgrade", "downgrade"}


def test_no_module_has_a_meaningless_name() -> None:
    parts = {name_of(module): {module.stem, *module.relative_to(SOURCE).parent.parts} for module in MODULES}
    assert [name for name, found in parts.items() if FORBIDDEN_NAMES & found] == []


# The client is a distribution of its own, and imports nothing else of the package. Its errors and its answers have the
# names that they have in the service.
CLIENT = {module for module in MODULES if module.is_relative_to(SOURCE / "client")}


@pytest.mark.long(every=2)
@pytest.mark.parametrize("sources", [{*MODULES} - CLIENT, CLIENT], ids=["service", "client"])
def test_no_two_public_classes_share_a_name(sources: set[Path]) -> None:
    assert len(sources) > 10
    modules = defaultdict(list)
    for module in sorted(sources):
        for node in tree_of(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(name_of(module))
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}


@pytest.mark.long
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

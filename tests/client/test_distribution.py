"""The client's own distribution: whole, light, and of use without the service."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from tests.client.serving import FakeService
from tests.conftest import KEY
from tests.patience import PATIENCE

import cambist
from cambist.client import VERSION

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "src" / "cambist" / "client"
FOLDER = ROOT / "packages" / "cambist-client"
BUILD = "import sys; from flit_core.buildapi import *; print(build_{kind}(sys.argv[1]))"
MOST_PACKAGES = 10

pytestmark = [
    pytest.mark.skipif(not FOLDER.exists(), reason="the source archive of the service has no packages/"),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]


def build(kind: str, sources: Path, target: Path) -> Path:
    command = [sys.executable, "-c", BUILD.format(kind=kind), str(target)]
    return target / subprocess.run(command, cwd=sources, check=True, capture_output=True, text=True).stdout.strip()


def project_of(folder: Path) -> Any:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def needed_packages(names: set[str]) -> set[str]:
    """Return these packages and all that they need here, by their normalised names."""
    found: set[str] = set()
    todo = {*names}
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name not in found:
            found.add(name)
            required = map(Requirement, distribution(name).requires or [])
            todo |= {each.name for each in required if each.marker is None or each.marker.evaluate({"extra": ""})}
    return found


@pytest.fixture(scope="module")
def dependencies() -> set[str]:
    return {Requirement(text).name for text in project_of(FOLDER)["dependencies"]}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", FOLDER, tmp_path_factory.mktemp("wheel"))


def test_the_wheel_has_the_files_of_the_client_and_no_others(wheel: Path) -> None:
    files = [path for path in CLIENT.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {f"cambist/client/{path.relative_to(CLIENT)}" for path in files}
    assert "cambist/client/py.typed" in names


def test_the_source_archive_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("sdist", FOLDER, tmp_path)) as archive:
        archive.extractall(tmp_path / "sources", filter="data")
    (tmp_path / "again").mkdir()
    again = build("wheel", next((tmp_path / "sources").iterdir()), tmp_path / "again")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        contents = [
            {each.filename: each.CRC for each in one.infolist() if "RECORD" not in each.filename}
            for one in (first, second)
        ]
    assert contents[0] == contents[1]


def test_client_and_service_agree() -> None:
    client, service = project_of(FOLDER), project_of(ROOT)
    assert client["version"] == VERSION == cambist.__version__
    assert service["dynamic"] == ["version"]
    assert client["optional-dependencies"]["sandbox"] == [f"cambist=={VERSION}"]
    assert {*client["dependencies"]} <= {*service["dependencies"]}
    assert (FOLDER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_client_needs_few_packages(dependencies: set[str]) -> None:
    packages = needed_packages(dependencies) | {"cambist-client"}
    assert {"httpx2", "msgspec", "websockets"} <= packages
    assert len(packages) <= MOST_PACKAGES, sorted(packages)


def test_the_client_imports_only_what_it_depends_on(dependencies: set[str]) -> None:
    imported = set()
    for module in CLIENT.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported |= {name if name.startswith("cambist") else name.partition(".")[0] for name in names}
    ours = {name for name in imported if name.startswith("cambist")}
    assert {name for name in ours if not name.startswith("cambist.client")} == set()
    django = {"django", "djmoney"}  # by who uses the back end of django-money
    assert imported - ours - {*sys.stdlib_module_names} - django == dependencies


@pytest.fixture
def alone(wheel: Path, dependencies: set[str], tmp_path: Path) -> Callable[[str], str]:
    """Run code with the installed wheel and its dependencies, and nothing else."""
    installed, needed = tmp_path / "installed", tmp_path / "needed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", str(installed), str(wheel)], check=True, capture_output=True, timeout=PATIENCE)
    needed.mkdir()
    for name in needed_packages(dependencies):
        for top in {file.parts[0] for file in distribution(name).files or [] if file.parts[0] not in ("..", ".")}:
            if top != "__pycache__":
                (needed / top).symlink_to(distribution(name).locate_file(top))  # type: ignore[arg-type]

    def run(code: str) -> str:
        start = f"import sys; sys.path[:0] = [{str(installed)!r}, {str(needed)!r}]\n"
        command = [sys.executable, "-I", "-S", "-c", start + code]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


@pytest.mark.long
def test_the_client_works_without_the_service(
    alone: Callable[[str], str], fake_service: FakeService, fake_address: str
) -> None:
    rate = {"base": "EUR", "result": {"USD": 1.10}, "updated": "2026-11-20T11:59:58Z", "ms": 0}
    fake_service.responses = [(200, rate, {})]
    code = "import json, importlib.util, cambist, cambist.client, cambist.client.price_stream\n"
    code += f"rate = cambist.client.Cambist({fake_address!r}, {KEY!r}).fetch_one('EUR', 'USD').rate\n"
    code += "print(json.dumps([str(rate), cambist.client.__file__, importlib.util.find_spec('cambist.api') is None]))"
    rate_text, file, is_alone = json.loads(alone(code))
    assert (rate_text, is_alone) == ("1.1", True)
    assert "/installed/" in file


@pytest.mark.long(every=4)
@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("Cambist.sandbox().__enter__()", "sandbox"),
        ("frames.to_pandas({}, exact=False)", "pandas"),
        ("frames.to_polars({})", "polars"),
        ("frames.arrow_stream({})", "arrow"),
    ],
)
def test_what_an_extra_would_add_is_named(alone: Callable[[str], str], code: str, extra: str) -> None:
    start = "from cambist.client import Cambist, errors, frames\ntry: "
    shown = alone(f"{start}{code}\nexcept errors.PackageMissing as error: print(error)")
    assert f'pip install "cambist-client[{extra}]"' in shown
    assert extra in project_of(FOLDER)["optional-dependencies"]

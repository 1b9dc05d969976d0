"""What `pip install` gives: the wheel and the source archive are complete, and run from any folder.

The package is built and installed as pip would do it, without an index. Only its own files are installed: its
dependencies come from the environment of the tests. In an environment of its own, pip checks that they are there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import time
import venv
import zipfile
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import ended_in_the_end, until
from tools.ports import free_port

import cambist

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from flit_core.buildapi import *; print(build_{kind}(sys.argv[1]))"


def build(kind: str, sources: Path, target: Path) -> Path:
    """Build a `wheel` or an `sdist` of the sources in a folder."""
    command = [sys.executable, "-c", BUILD.format(kind=kind), str(target)]
    return target / subprocess.run(command, cwd=sources, check=True, capture_output=True, text=True).stdout.strip()


def package_files(folder: Path) -> set[str]:
    """Return the files of the package below a folder."""
    found = (path.relative_to(folder) for path in (folder / "cambist").rglob("*") if path.is_file())
    return {str(path) for path in found if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which pip has installed the wheel alone."""
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", str(target), str(wheel)], check=True, capture_output=True, timeout=PATIENCE)
    return target


def environment(installed: Path) -> dict[str, str]:
    """Return an environment in which the installed package is found before that of the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    return {**kept, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("cambist/")}
        metadata = next(name for name in archive.namelist() if name.endswith("METADATA"))
        required = archive.read(metadata).decode()
    assert names == package_files(ROOT / "src")
    assert {Path(name).suffix for name in names} >= {".py", ".csv", ".toml", ".html", ".js", ".css", ".svg"}
    assert "Requires-Dist: granian" in required


@pytest.mark.long
def test_the_source_archive_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path)
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "sources", filter="data")
    sources = next((tmp_path / "sources").iterdir())
    assert (sources / "LICENSE").exists()
    (tmp_path / "again").mkdir()
    again = build("wheel", sources, tmp_path / "again")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert {each.filename: each.CRC for each in first.infolist() if "RECORD" not in each.filename} == {
            each.filename: each.CRC for each in second.infolist() if "RECORD" not in each.filename
        }


@pytest.mark.long
def test_the_installed_package_is_whole(installed: Path, tmp_path: Path) -> None:
    assert package_files(installed) == package_files(ROOT / "src")
    code = "import cambist; from cambist.web.assets import load_assets; "
    code += "print(cambist.__file__, len(load_assets(['lib', 'style', 'page', 'console']).files))"
    command = [sys.executable, "-c", code]
    shown = subprocess.run(
        command, cwd=tmp_path, env=environment(installed), check=True, capture_output=True, text=True
    ).stdout.split()
    assert Path(shown[0]).is_relative_to(installed)
    static = [path for path in (ROOT / "src/cambist/web/static").rglob("*") if path.is_file()]
    assert int(shown[1]) == len(static) > 20


@pytest.mark.long
def test_the_installed_command_works(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(installed / "bin" / "cambist")]
    shown = subprocess.run(
        command, cwd=tmp_path, env=environment(installed), check=True, capture_output=True, text=True
    ).stdout
    assert "cambist serve" in shown


@pytest.mark.long
@pytest.mark.parametrize(("extra", "drivers"), [("cluster", "psycopg, redis"), ("postgres", "psycopg")])
def test_the_wheel_is_installed_with_its_extras_in_a_new_environment(
    wheel: Path, tmp_path: Path, extra: str, drivers: str
) -> None:
    pytest.importorskip("psycopg")
    pytest.importorskip("redis")
    program = new_environment(tmp_path / "new")
    pip = [str(program), "-m", "pip", "install", "--no-index", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, f"{wheel}[{extra}]"], env=environment(tmp_path), check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for driver in drivers.split(", "):
        assert re.search(rf"Requirement already satisfied: {driver}\b.*from cambist", done.stdout), done.stdout
    code = f"import cambist, {drivers}; print(cambist.__file__)"
    shown = subprocess.run([program, "-I", "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert Path(shown.strip()).is_relative_to(tmp_path / "new")
    shown = subprocess.run(
        [program.with_name("cambist"), "--version"],
        cwd=tmp_path, env=environment(tmp_path), check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert shown == f"cambist {cambist.__version__}\n"


def new_environment(folder: Path) -> Path:
    """Make a virtual environment that finds the packages of the tests after its own; return its Python."""
    venv.create(folder, with_pip=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    (packages / "tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder / "bin" / "python"


@pytest.fixture
def service(installed: Path, tmp_path: Path) -> Iterator[int]:
    """The port of `python -m cambist serve`, started in a folder of its own with nothing but its settings."""
    port = free_port()
    chosen = {"CAMBIST_FETCH": "false", "CAMBIST_STREAM_PORT": "0", "CAMBIST_OPERATOR_PORT": "0"}
    command = [sys.executable, "-m", "cambist", "serve", "--port", str(port), "--workers", "1"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment(installed) | chosen, stdout=log, stderr=subprocess.STDOUT
        )
        with ended_in_the_end(process):
            assert until(lambda: answer(port, "/docs")[0] == 200, PATIENCE), (tmp_path / "log").read_text()
            yield port


def answer(port: int, path: str, **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    except (OSError, HTTPException):
        time.sleep(0.1)
        return 0, ""
    finally:
        connection.close()


@pytest.mark.long
@pytest.mark.service
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_the_installed_service_runs_from_any_folder_with_page_and_data(
    service: int, tmp_path: Path, installed: Path
) -> None:
    key = (tmp_path / "data" / "owner.key").read_text().strip()
    status, rate = answer(service, "/fetch-one?from=EUR&to=USD", X_API_Key=key)
    assert (status, '"base":"EUR"' in rate) == (200, True)
    status, page = answer(service, "/", Accept="text/html")
    assert status == 200
    loaded = re.findall(r'(?:src|href)="(/?page/[^"]+)"', page)
    assert loaded
    assert {answer(service, f"/{path.lstrip('/')}")[0] for path in loaded} == {200}
    assert f"Open http://127.0.0.1:{service}/ in a browser" in (tmp_path / "log").read_text()
    commands = {"CAMBIST_PORT": str(service)}
    shown = subprocess.run(
        [sys.executable, "-m", "cambist", "rate", "EUR", "USD"],
        cwd=tmp_path,
        env=environment(installed) | commands,
        check=True,
        capture_output=True,
        text=True,
    )
    assert re.fullmatch(r"1 EUR = [0-9.]+ USD\n", shown.stdout)
    assert f"From the service at http://127.0.0.1:{service}." in shown.stderr

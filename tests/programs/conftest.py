"""A place in which programs that nobody here wrote run unmodified, and where the hosts they ask lead to the service."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.banks import file_banks
from tests.service.first_start import copy_first_start

from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore

SCRIPTS = Path(__file__).parent / "scripts"
DIALECTS = (
    "frankfurter,openexchangerates,ecb,fixer,sdmx,currencylayer,exchangerateapi,coingecko,cryptocompare,coinbase,"
    "mempool,yahoo"
)
_VENV = Path(sys.prefix)
CLOSED_AT = {
    "BTC": {
        date(2024, 2, 28): "62504.79",
        date(2024, 2, 29): "61198.38",
        date(2024, 3, 1): "62440.63",
        date(2024, 3, 2): "62029.85",
    }
}
"""What a coin closed at on some days, in dollars."""

COMMAND = Path(sys.executable).parent / "cambist"


def python_of(environment: str) -> str:
    """Return the interpreter of an environment with programs of others; skip the test if there is none."""
    python = _VENV / environment / "bin" / "python"
    if not python.exists():
        stamp = _VENV / ".programs"
        pytest.skip(
            stamp.read_text().strip() if stamp.exists() else "`make test` installs the programs; it was not run"
        )
    return str(python)


@pytest.fixture(scope="session")
def programs_python() -> str:
    """The interpreter of the environment with the programs."""
    return python_of("programs")


@pytest.fixture(scope="session")
def client_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder that has the Python client and nothing else of the package, for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "cambist").mkdir()
    (folder / "cambist" / "client").symlink_to(Path(__file__).parents[2] / "src" / "cambist" / "client")
    return str(folder)


def file_closes(data: Path) -> None:
    """File what coins closed at around a day: a sandbox keeps no closes, and some programs ask for those of a day."""
    with closing(SqlStore(f"sqlite:///{data / 'cambist.db'}")) as store:
        closes = [
            Fixing(CLOSES, Pair(code, "USD"), day, Decimal(value))
            for code, by_day in CLOSED_AT.items()
            for day, value in by_day.items()
        ]
        store.archive.file(DeliveryRecord(CLOSES, datetime.now(UTC), "closes", "closes"), closes)


@dataclass(frozen=True)
class Place:
    """Where the service answers at http://127.0.0.1 and at the hosts of other services."""

    process: subprocess.Popen[str]
    python: str
    key: str

    def run(self, *argv: str, **environment: str) -> str:
        """Run a program and return its output; it must end well."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([argv, environment]) + "\n")
        self.process.stdin.flush()
        result = json.loads(self.process.stdout.readline())
        assert result["code"] == 0, result["err"] or result["out"]
        return str(result["out"])

    def script(self, name: str, *arguments: str, **environment: str) -> Any:
        """Run one of the scripts beside the tests and return the JSON in the last line that it writes."""
        out = self.run(self.python, str(SCRIPTS / f"{name}.py"), *arguments, **environment)
        return json.loads(out.splitlines()[-1])

    def ask(self, target: str) -> Any:
        """Return what the service itself answers."""
        return json.loads(self.run(self.python, str(SCRIPTS / "ask.py"), target, self.key))


@pytest.fixture(scope="session")
def place(programs_python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The place, with a sandbox that all tests share."""
    folder = tmp_path_factory.mktemp("place")
    copy_first_start(folder / "data", is_sandbox=True)
    file_closes(folder / "data")
    with running_place(programs_python, folder, DIALECTS, "serve", "--sandbox") as place:
        yield place


@pytest.fixture(scope="module")
def place_of_banks(programs_python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The place, with a service that has what three central banks published in 2026, and reaches no source."""
    folder = tmp_path_factory.mktemp("place")
    copy_first_start(folder / "data")
    with closing(SqlStore(f"sqlite:///{folder / 'data' / 'cambist.db'}")) as store:
        file_banks(store)
    with running_place(programs_python, folder, "nbp,cnb,boe", "serve") as place:
        yield place


@contextlib.contextmanager
def running_place(python: str, folder: Path, dialects: str, *command: str) -> Iterator[Place]:
    """Run a place with a service over the data folder in a folder; skip the test where there can be none."""
    unshare = shutil.which("unshare")
    namespaces = [str(unshare), "--map-root-user", "--mount", "--net", "--"]
    if unshare is None or subprocess.run([*namespaces, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine does not allow a network namespace of one's own")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    process = subprocess.Popen(
        [*namespaces, python, str(SCRIPTS / "inside.py"), str(folder), dialects, str(COMMAND), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={name: value for name, value in kept.items() if not name.lower().endswith("_proxy")},
    )
    try:
        assert process.stdout is not None
        log = folder / "service.log"
        assert json.loads(process.stdout.readline() or "{}").get("ready"), log.read_text() if log.exists() else ""
        yield Place(process, python, (folder / "data" / "owner.key").read_text().strip())
    finally:
        with contextlib.suppress(OSError):
            process.communicate(timeout=40)
        process.kill()

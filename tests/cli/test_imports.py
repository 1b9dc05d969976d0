"""What commands import: each only what it needs, because importing is most of the time that a short command takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import KEY

from cambist.cli import main as program

HEAVY = {
    *("sqlalchemy", "alembic", "aiohttp", "granian", "falcon", "numpy", "holidays", "picows", "stamina", "asyncio"),
    *("websockets", "httpx2", "cambist.processes", "cambist.api", "cambist.storage", "cambist.sources.adapters"),
    *("cambist.ingest", "cambist.stream", "cambist.cluster", "cambist.sandbox"),
}
"""What no help text needs."""

NOT_FOR_ASKING = HEAVY - {"httpx2", "asyncio", "cambist.storage"} | {"cambist.admin.history", "rich"}
"""What a command that asks a running service does not need."""

NOT_FOR_LISTS = HEAVY - {"cambist.storage", "cambist.sources.adapters", "asyncio", "holidays"}
"""What a list of the sources does not need."""


@pytest.fixture(autouse=True)
def _default_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)


def imported_by(*arguments: str) -> set[str]:
    """Return the modules that a command imports, in a process of its own."""
    code = "import sys, runpy; sys.argv[0] = 'cambist'\ntry: runpy.run_module('cambist', run_name='__main__')\n"
    code += "finally: sys.stderr.write(chr(10).join(['', 'modules:', *sys.modules]))"
    ended = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert ended.stdout
    return {*ended.stderr.split("modules:\n")[1].splitlines()}


def test_the_version_is_printed_without_importing_a_command() -> None:
    modules = imported_by("--version")
    assert not modules & {*HEAVY, "msgspec", "rich.table", "cambist.settings"}
    assert {name for name in modules if name.startswith("cambist.cli.")} == {"cambist.cli.main"}


@pytest.mark.long(every=18)
@pytest.mark.parametrize("command", ["", *program.COMMANDS, "sandbox fault"])
def test_help_is_printed_without_importing_what_the_command_runs(command: str) -> None:
    assert not imported_by(*command.split(), "--help") & HEAVY


@pytest.mark.long(every=3)
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("command", ["rate EUR USD", "convert 100 EUR JPY", "series EUR USD --since 2026-03-01"])
def test_a_running_service_is_asked_without_importing_what_computes_answers(command: str, address: str) -> None:
    assert not imported_by(*command.split(), "--url", address, "--key", KEY) & NOT_FOR_ASKING


@pytest.mark.long
def test_sources_are_listed_without_importing_what_asks_them() -> None:
    assert not imported_by("sources", "list") & NOT_FOR_LISTS

"""Both generations of the official SDK of the Model Context Protocol, against a real service and over pipes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.programs.conftest import COMMAND, SCRIPTS, python_of
from tests.service.first_start import copy_first_start
from tests.service.processes import ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("convert", {"from": "EUR", "to": "JPY", "amount": "1234.56", "date": "2024-02-29"}),
    ("rate", {"from": "GBP", "to": "USD", "date": "2024-02-29"}),
    ("rates_on", {"from": "EUR", "date": "2024-02-29", "to": ["USD", "JPY"]}),
    ("series", {"from": "EUR", "to": "USD", "start": "2024-01-01", "end": "2024-02-29"}),
    ("explain", {"from": "EUR", "to": "AED"}),
    ("metal_price", {"metal": "XAU", "currency": "EUR"}),
    ("list_codes", {"search": "franc"}),
    ("rate", {"from": "EUR", "to": "USX"}),
]
CALLS_COST = 7
"""Seven answers of one call each, for gold is quoted in euros; the error costs nothing."""

TOOLS = ["convert", "rate", "rates_on", "series", "averages", "prices", "value", "explain", "metal_price", "list_codes"]


@dataclass(frozen=True)
class Sandbox:
    """A running sandbox."""

    port: int
    folder: Path

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        return (self.folder / "owner.key").read_text().strip()

    def get(self, target: str) -> Any:
        """Return an answer of the API, its numbers as texts."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("GET", target, headers={"X-API-Key": self.key})
            return json.loads(connection.getresponse().read(), parse_float=str)

    def answers(self) -> bool:
        """Return whether it answers already."""
        try:
            return "result" in self.get("/fetch-one?to=EUR")
        except OSError:
            return False

    def calls_of_tools(self) -> int:
        """Return how many calls were counted today."""
        return sum(map(int, self.get("/usage")["usage"].values()))


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    folder = tmp_path_factory.mktemp("mcp")
    found = Sandbox(free_port(), folder / "data")
    chosen = environment(CAMBIST_PORT=str(found.port), CAMBIST_SANDBOX="true", CAMBIST_DATA=str(found.folder))
    copy_first_start(found.folder, is_sandbox=True)
    with (folder / "log").open("wb") as log:
        service = subprocess.Popen([str(COMMAND), "serve"], cwd=folder, env=chosen, stdout=log, stderr=log)
        with ended_in_the_end(service):
            assert until(found.answers, PATIENCE), (folder / "log").read_text()
            yield found


def run(generation: str, *arguments: str) -> Any:
    """Run the script of a generation of the SDK, and return what it found."""
    environment_of, script = ("mcp1", "run_mcp1") if generation == "first" else ("programs", "run_mcp2")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    ended = subprocess.run(
        [python_of(environment_of), str(SCRIPTS / f"{script}.py"), *arguments],
        env={**kept, "CALLS": json.dumps(CALLS), "CAMBIST_PORT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def check(found: Any, sandbox: Sandbox) -> None:
    """Check what a client found: the tools, and the digits of the endpoints."""
    assert found["tools"] == TOOLS
    assert all(found["read_only"])
    assert found["refusal"] == -32602
    convert, rate, rates_on, series, explain, metal, codes, unknown = found["results"]
    answer = sandbox.get("/convert?from=EUR&to=JPY&amount=1234.56&date=2024-02-29&precision=currency")["result"]
    assert (convert["structured"]["result"], convert["structured"]["rate"]) == (str(answer["JPY"]), answer["rate"])
    answer = sandbox.get("/historical?from=GBP&to=USD&date=2024-02-29")["results"]["USD"]
    assert rate["structured"]["rate"] == answer
    assert answer in rate["text"]
    assert rates_on["structured"]["rates"] == sandbox.get("/historical?from=EUR&to=USD,JPY&date=2024-02-29")["results"]
    listed = sandbox.get("/time-series?from=EUR&to=USD&start=2024-01-01&end=2024-02-29")["results"]["USD"]
    assert series["structured"]["points"].items() <= listed.items()
    assert explain["structured"]["legs"][-1]["law"] == "Central Bank of the United Arab Emirates"
    assert (metal["structured"]["metal_name"], metal["structured"]["environment"]) == ("Gold", "sandbox")
    assert codes["structured"]["codes"]["CHF"] == "Swiss Franc"
    assert [each["is_error"] for each in found["results"]] == [False] * 7 + [True]
    assert "did you mean USD (US Dollar)" in unknown["text"]


@pytest.mark.parametrize(
    ("generation", "mode", "revision"),
    [
        ("first", (), "2025-11-25"),
        ("second", ("legacy",), "2025-11-25"),
        ("second", ("auto",), "2026-07-28"),
        ("second", ("2026-07-28",), "2026-07-28"),
    ],
)
def test_the_official_sdk_uses_the_tools_over_http(sandbox, generation, mode, revision):
    found = run(generation, "http", f"{sandbox.address}/mcp", sandbox.key, *mode)
    assert found["revision"] == revision
    check(found, sandbox)


@pytest.mark.parametrize(("generation", "revision"), [("first", "2025-11-25"), ("second", "2026-07-28")])
def test_the_official_sdk_uses_the_tools_over_pipes(sandbox, generation, revision):
    key_file = ("--data", str(sandbox.folder))
    before = sandbox.calls_of_tools()
    found = run(generation, "stdio", str(COMMAND), "mcp", "--url", sandbox.address, *key_file)
    assert (found["revision"], found["server"]) == (revision, "cambist")
    # The question about usage is a call itself, and is counted after its answer was made.
    assert sandbox.calls_of_tools() - before == CALLS_COST + 1
    check(found, sandbox)
    # Nobody answers at the port of the settings: then the folder does.
    stored = run(generation, "stdio", str(COMMAND), "mcp", *key_file)
    check(stored, sandbox)

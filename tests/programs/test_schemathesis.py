"""Schemathesis asks a sandbox whatever our own document allows, and compares each answer with it.

What is declared is no finding: 503 where a price is too old or too few sources agree, 400 for a code that does not
exist, and 429 for an address with many wrong keys. A status that the document does not have, as 500, is one.
"""

from __future__ import annotations

import http.client
import json
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.programs.conftest import COMMAND
from tests.service.first_start import copy_first_start
from tests.service.processes import ended_in_the_end, environment, until
from tools.ports import free_port

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

CHECKS = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


def answers(port: int) -> bool:
    with suppress(OSError), closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        connection.request("GET", "/openapi.json")
        return connection.getresponse().status == 200
    return False


def test_no_answer_differs_from_the_document(programs_python: str, tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    copy_first_start(data, is_sandbox=True)
    key = (data / "owner.key").read_text().strip()
    address = f"http://127.0.0.1:{port}"
    ask = [
        str(Path(programs_python).parent / "schemathesis"), "run", f"{address}/openapi.json", "--url", address,
        "-H", f"X-API-Key: {key}", "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing", "-n", "15",
        "--seed", "1", "--continue-on-failure", "--warnings", "off", "--no-color", "--generation-deterministic",
    ]  # fmt: skip
    command = [COMMAND, "serve", "--sandbox", "--data", data, "--port", str(port)]
    with ended_in_the_end(subprocess.Popen([str(word) for word in command], env=environment())):
        assert until(lambda: answers(port), PATIENCE)
        found = subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert found.returncode == 0, found.stdout[-8000:] + found.stderr[-2000:]
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    operations = sum(len(methods) for methods in document["paths"].values())
    assert f"Tested: {operations}" in found.stdout, "it has asked every operation"

"""The container: what its file copies, as whom it runs, and its health check."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tools.ports import free_port

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "deploy/container/Containerfile").read_text()
LINES = [line for line in TEXT.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def values(instruction: str) -> list[str]:
    return [line.removeprefix(instruction).strip() for line in LINES if line.startswith(f"{instruction} ")]


def test_the_builder_is_sent_all_that_is_copied_and_nothing_else() -> None:
    copied = [part for line in values("COPY") if "--from" not in line for part in shlex.split(line)[:-1]]
    sent = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert sorted(copied) == sorted(sent)
    assert all((ROOT / name).exists() for name in copied)


def test_the_dependencies_are_pinned_with_hashes() -> None:
    assert (
        "pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements-cluster.lock" in TEXT
    )
    assert "--no-deps --no-build-isolation ." in TEXT


def versions_in(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ \\;]+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_the_lock_of_a_node_has_the_extras_and_else_what_one_machine_has() -> None:
    alone, node = versions_in("requirements.lock"), versions_in("requirements-cluster.lock")
    assert {"psycopg", "psycopg-binary", "redis"} <= node.keys()
    assert {name: node.get(name) for name in alone} == alone
    of_extras = {"psycopg", "psycopg-binary", "redis", "async-timeout", "opentelemetry-proto", "protobuf"}
    assert node.keys() - alone.keys() <= of_extras


def test_one_argument_pins_the_base_of_every_stage() -> None:
    (argument,) = values("ARG")
    assert argument.startswith("BASE_IMAGE=")
    assert [line.split()[0] for line in values("FROM")] == ["${BASE_IMAGE}"] * 2
    assert TEXT.index("ARG BASE_IMAGE") < TEXT.index("FROM ")


def test_it_does_not_run_as_root() -> None:
    (user,) = values("USER")
    assert user == "10001:10001"
    last_stage = TEXT.split("\nFROM ")[-1]
    assert last_stage.index("USER 10001") < last_stage.index("ENTRYPOINT")


def health_check(port: int, **variables: str) -> subprocess.CompletedProcess[str]:
    command = json.loads(TEXT.split("HEALTHCHECK")[1].split("CMD ")[1].splitlines()[0])
    assert command[0] == "python"
    # Without a service that happens to run on ./data: its port would be probed.
    own = {"CAMBIST_DATA": "/nonexistent", "CAMBIST_HOST": "0.0.0.0", "CAMBIST_PORT": str(port)}  # noqa: S104  as in the container
    environment = {**os.environ, **own, **variables}
    return subprocess.run(
        [sys.executable, *command[1:]], capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment
    )


class Handler(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_the_health_check_is_well_while_the_api_answers() -> None:
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        found = health_check(server.server_port)
        thread.join(PATIENCE)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_the_health_check_fails_while_nothing_answers_and_says_why() -> None:
    port = free_port()
    found = health_check(port)
    assert found.returncode == 1
    assert found.stderr.startswith(f"the API takes no connection on port {port}: ")


def test_the_health_check_says_what_is_wrong_with_the_settings() -> None:
    found = health_check(8000, CAMBIST_WORKERS="many")
    assert found.returncode == 1
    assert found.stderr.startswith("The setting [workers] is refused")

"""The stream with clients in Node, written with the library that most clients use."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.service.processes import environment
from tests.service.streams import Service, serving

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

DRIVERS = Path(__file__).parents[1] / "drivers"
MODULES = Path(sys.prefix) / "drivers" / "node_modules"
"""Where `make test` installs what the drivers need."""

THREE = {"EURUSD", "XAUUSD", "BTCUSD"}
TIMEOUT = 30
"""Seconds; a driver gives up after twenty."""


def missing_requirement(node: str | None, modules: Path) -> str:
    """Return which requirement of the drivers is missing, or an empty string."""
    if node is None:
        return "there is no node"
    about = modules / "ws" / "package.json"
    if not about.is_file():
        return f"the npm package ws is not in {modules}: `make test` puts it there where there is npm"
    needed = int(re.findall(r"\d+", json.loads(about.read_text())["engines"]["node"])[0])
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
    return "" if int(re.findall(r"\d+", version)[0]) >= needed else f"ws needs Node {needed}, this is {version.strip()}"


@pytest.fixture(scope="module")
def node() -> str:
    node = shutil.which("node")
    missing = missing_requirement(node, MODULES)
    if node is None or missing:
        pytest.skip(f"No clients in Node: {missing}")
    return node


@pytest.fixture(scope="module")
def service(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a stream; without `node`, none is started."""
    assert node
    with serving(tmp_path_factory.mktemp("stream")) as service:
        yield service
        assert "Traceback" not in service.log.read_text()


def start_driver(node: str, driver: str, port: int, key: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [node, str(DRIVERS / f"{driver}.cjs"), f"ws://127.0.0.1:{port}/"],
        env=environment() | {"NODE_PATH": str(MODULES), "CAMBIST_KEY": key},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_driver(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for a driver to end, and return its standard output and standard error."""
    try:
        return process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()


def run_driver(node: str, driver: str, service: Service) -> dict[str, Any]:
    """Run a driver that must succeed, and return its result."""
    with start_driver(node, driver, service.port, service.key) as process:
        printed, complaints = wait_for_driver(process)
    assert (process.returncode, complaints) == (0, "")
    assert printed.count("\n") == 1
    return dict(json.loads(printed))


def next_line(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the next line of a driver's output."""
    assert process.stdout
    assert process.stderr
    text = process.stdout.readline()
    assert text, process.stderr.read()
    return dict(json.loads(text))


def test_a_client_that_waits_for_the_greeting_gets_a_price_of_each_pair(node: str, service: Service) -> None:
    found = run_driver(node, "waits_for_connect", service)
    assert found["ops"] == ["connect", "auth", "subscribe", "price"]
    assert found["code"] == 1000
    assert set(found["prices"]) == THREE
    for bid, ask in found["prices"].values():
        assert 0 < Decimal(bid) <= Decimal(ask)


def test_a_client_that_sends_everything_when_the_socket_opens_gets_a_price_of_each_pair(
    node: str, service: Service
) -> None:
    found = run_driver(node, "sends_all_on_open", service)
    assert found["ops"] == ["connect", "auth", "subscribe", "price"]
    assert found["code"] == 1000
    assert set(found["symbols"]) == THREE


def test_a_client_that_compares_exact_texts_accepts_all_messages(node: str, service: Service) -> None:
    found = run_driver(node, "compares_exact_texts", service)
    assert found["texts"][1:4] == ["Authenticated OK", "Subscribed to 1 stream", "Subscribed to 2 streams"]
    assert "No valid pairs" in found["texts"][4]
    assert set(found["prices"]) == {"EURUSD", "BTCUSD"}
    assert found["prices"]["BTCUSD"] >= 5
    assert found["code"] == 1000


def test_a_client_that_was_disconnected_reconnects_and_gets_prices_again(node: str, service: Service) -> None:
    with start_driver(node, "reconnects", service.port, service.key) as process:
        try:
            assert next_line(process) == {"event": "connection", "number": 1}
            first = next_line(process)
            service.kill(2)
            assert next_line(process) == {"event": "connection", "number": 2}
            second = next_line(process)
            end = next_line(process)
        finally:
            _, complaints = wait_for_driver(process)
    assert (process.returncode, complaints) == (0, "")
    assert [(one["event"], one["number"]) for one in (first, second)] == [("price", 1), ("price", 2)]
    assert 0 < Decimal(second["bid"]) <= Decimal(second["ask"])
    assert second["tsp"] > first["tsp"]
    assert (end["event"], end["connections"], end["cuts"], end["code"]) == ("end", 2, [1006], 1000)


@pytest.mark.parametrize("driver", ["waits_for_connect", "sends_all_on_open", "compares_exact_texts", "reconnects"])
def test_a_client_with_a_wrong_key_gets_a_401(node: str, service: Service, driver: str) -> None:
    with start_driver(node, driver, service.port, "nonsense") as process:
        printed, complaints = wait_for_driver(process)
    assert process.returncode == 1
    assert "401" in complaints
    assert "nonsense" not in printed + complaints


# Without Node


def test_a_missing_requirement_of_the_drivers_is_reported(tmp_path: Path) -> None:
    assert missing_requirement(None, tmp_path) == "there is no node"
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v8.17.0\n")
    old.chmod(0o755)
    assert "the npm package ws is not in" in missing_requirement(str(old), tmp_path)
    about = tmp_path / "ws" / "package.json"
    about.parent.mkdir()
    about.write_text('{"engines": {"node": ">=10.0.0"}}')
    assert missing_requirement(str(old), tmp_path) == "ws needs Node 10, this is v8.17.0"
    old.write_text("#!/bin/sh\necho v20.20.2\n")
    assert missing_requirement(str(old), tmp_path) == ""


def test_the_lock_file_pins_checksums_and_names_no_host() -> None:
    text = (DRIVERS / "package-lock.json").read_text()
    assert "://" not in text
    packages = json.loads(text)["packages"]
    wanted = json.loads((DRIVERS / "package.json").read_text())["dependencies"]
    locked = {name.removeprefix("node_modules/"): one["version"] for name, one in packages.items() if name}
    assert wanted.items() <= locked.items()
    assert all(one["integrity"].startswith("sha512-") for name, one in packages.items() if name)

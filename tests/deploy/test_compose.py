"""The compose files, read by the real `docker-compose`, which needs no daemon for that; and their proxy by Caddy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from cambist.settings import read_settings

ROOT = Path(__file__).parents[2]
# The command that the package installs does not pass on the exit code.
PROGRAM = next((ROOT / ".venv/manifests").glob("lib/python*/site-packages/compose/docker-compose"), None)


def compose(file: str, **variables: str) -> subprocess.CompletedProcess[str]:
    if PROGRAM is None:
        pytest.skip("docker-compose is not installed: make .venv/.manifests")
    command = [PROGRAM, "--file", ROOT / "deploy/compose" / file, "config", "--format", "json"]
    given = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=given)


def read(file: str, **variables: str) -> dict[str, Any]:
    done = compose(file, **variables)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr.lower(), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check_container(service: dict[str, Any]) -> None:
    """Check that a service is run as the guide says: read-only, without capabilities, with its data on a volume."""
    assert service["read_only"] is True
    assert service["init"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["tmpfs"] == ["/tmp"]  # noqa: S108  in the container
    assert [each["target"] for each in service["volumes"]] == ["/var/lib/cambist"]
    build = service["build"]
    assert Path(build["context"]) == ROOT
    assert (ROOT / build["dockerfile"]).exists()
    assert "user" not in service  # that of the image


def test_one_service_is_on_loopback_and_asks_through_the_proxy_of_the_machine() -> None:
    (service,) = read("compose.yaml", HTTPS_PROXY="http://proxy.example:3128")["services"].values()
    check_container(service)
    assert {(each["host_ip"], each["target"]) for each in service["ports"]} == {
        ("127.0.0.1", 8000),
        ("127.0.0.1", 8001),
    }
    assert service["environment"].pop("HTTPS_PROXY") == "http://proxy.example:3128"
    assert read_settings(service["environment"], {}).workers == 2


def test_nodes_share_their_links_and_have_a_name_and_a_volume_each() -> None:
    found = read("nodes.yaml", PASSWORD="secret")
    services = found["services"]
    settings = {name: read_settings(services[name]["environment"], {}) for name in "abc"}
    assert {name: each.node for name, each in settings.items()} == {"a": "a", "b": "b", "c": "c"}
    assert len({each.database for each in settings.values()} | {each.redis for each in settings.values()}) == 2
    assert {services[name]["volumes"][0]["source"] for name in "abc"} == {"node-a", "node-b", "node-c"}
    for name in "abc":
        check_container(services[name])
        assert "ports" not in services[name]
        assert set(services[name]["depends_on"]) == {"postgresql", "redis"}
        assert services[name]["environment"]["PGPASSWORD"] == services["postgresql"]["environment"]["POSTGRES_PASSWORD"]
    (subnet,) = found["networks"]["default"]["ipam"]["config"]
    assert services["a"]["environment"]["CAMBIST_PROXIES"] == str(ip_network(subnet["subnet"]))


def test_nodes_without_a_password_are_refused_with_what_to_set() -> None:
    done = compose("nodes.yaml")
    assert done.returncode != 0
    assert "PASSWORD" in done.stderr


def test_caddy_takes_the_proxy_of_the_nodes(tmp_path: Path) -> None:
    if (caddy := shutil.which("caddy")) is None:
        pytest.skip("caddy is not installed")
    file = tmp_path / "Caddyfile"
    file.write_text(read("nodes.yaml", PASSWORD="secret")["configs"]["caddyfile"]["content"])
    command = [caddy, "adapt", "--adapter", "caddyfile", "--validate", "--config", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    for address in ("a:8000", "b:8000", "c:8000", "a:8001", "b:8001", "c:8001"):
        assert f'"dial":"{address}"' in done.stdout

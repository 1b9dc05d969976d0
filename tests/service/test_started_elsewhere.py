"""A real service that is started elsewhere than at home: in Kubernetes, over IPv6, with flags."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1", "::1"])]

START_SECONDS = 120
LINKS = {
    "CAMBIST_SERVICE_HOST": "10.96.12.7",
    "CAMBIST_SERVICE_PORT": "8000",
    "CAMBIST_PORT": "tcp://10.96.12.7:8000",
    "CAMBIST_PORT_8000_TCP": "tcp://10.96.12.7:8000",
}


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


HOST = "::1" if has_ipv6() else "127.0.0.1"
IN_URL = "[::1]" if has_ipv6() else "127.0.0.1"


def test_its_addresses_and_the_commands_fit_where_it_listens(tmp_path: Path) -> None:
    data, port, stream, operator = tmp_path / "data", free_port(), free_port(), free_port()
    copy_first_start(data)
    outside = {name: text for name, text in environment().items() if not name.startswith("CAMBIST_")}

    def run(*arguments: str) -> tuple[str, str]:
        command = [COMMAND, *arguments, "--data", str(data)]
        ended = subprocess.run(command, env=outside, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (ended.returncode, ended.stdout) != (2, ""), ended.stderr
        return ended.stdout, ended.stderr

    flags = ["--host", HOST, "--port", str(port), "--stream-port", str(stream), "--operator-port", str(operator)]
    more = ["--path-prefix", "/rates", "--workers", "1", "--no-fetch", "--data", str(data)]
    with (tmp_path / "log").open("wb") as out:
        service = subprocess.Popen([COMMAND, "serve", *flags, *more], env=outside | LINKS, stdout=out, stderr=out)
    with ended_in_the_end(service):
        assert until(lambda: f"Stream: ws://{IN_URL}:{stream}" in (tmp_path / "log").read_text(), START_SECONDS)
        log = (tmp_path / "log").read_text()
        assert f"Serving http://{IN_URL}:{port}/rates with" in log
        assert f"Open http://{IN_URL}:{port}/rates/ in a browser" in log
        assert re.findall("Ignored.*: (.*)", log) == [", ".join(sorted(LINKS))]
        at = f"From the service at http://{IN_URL}:{port}/rates."
        assert until(lambda: at in run("rate", "EUR", "USD")[1], 60, pause=1)
        assert run("console")[0].startswith(f"http://127.0.0.1:{operator}/console/sign-in?token=")
        found = {each["check"]: each for each in json.loads(run("doctor", "--json")[0])}
        assert [each for each in found.values() if each["severity"] == "problem"] == []
        ports = [found[name]["found"] for name in ("port", "stream port", "operator port")]
        assert ports == [f"{each}, the service answers" for each in (port, stream, operator)]
        assert found["stream"]["severity"] == "ok"
    assert not (data / "service.json").exists()

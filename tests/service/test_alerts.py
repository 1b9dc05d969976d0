"""Alerts of a real service: a receiver and the stream are told, also if the process that tells is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.monitoring.receivers import Webhook, serving
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tests.service.test_service import command_line
from tools.ports import free_port

from cambist.client import Cambist

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@dataclass
class Watched:
    """A sandbox whose alerts may go to this machine."""

    client: Cambist
    process: subprocess.Popen[bytes]
    variables: dict[str, str]

    def usage_writer(self) -> int:
        """Return the process that looks at alerts: the first one that the service starts."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        children = {int(number) for path in tasks.glob("*/children") for number in path.read_text().split()}
        return min(child for child in children if b"resource_tracker" not in command_line(child))


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    data, port = tmp_path / "data", free_port()
    copy_first_start(data, is_sandbox=True)
    variables = environment(
        CAMBIST_DATA=str(data), CAMBIST_PORT=str(port), CAMBIST_STREAM_PORT="0", CAMBIST_OPERATOR_PORT="0",
        CAMBIST_WORKERS="1", CAMBIST_ALERT_PRIVATE="true",
    )  # fmt: skip
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([COMMAND, "serve", "--sandbox"], env=variables, stdout=log, stderr=log)
        with ended_in_the_end(process):
            key = (data / "owner.key").read_text().strip()
            with Cambist(f"http://127.0.0.1:{port}", key) as client:
                assert until(lambda: _answers(client), PATIENCE), (tmp_path / "log").read_text()
                yield Watched(client, process, variables)
    sys.stdout.write((tmp_path / "log").read_text())  # shown if the test fails


def _answers(client: Cambist) -> bool:
    try:
        return client.is_cambist()
    except Exception:  # noqa: BLE001  it is asked again
        return False


@pytest.mark.long
def test_each_alert_is_told_once_while_the_process_that_tells_is_killed(watched: Watched) -> None:
    with serving(Webhook()) as receiver:
        added = [
            watched.client.alerts_add(
                "above", "EUR", "USD", level="0.01", deliver="webhook", address=receiver.url, note=str(number)
            ).alert.id
            for number in range(12)
        ]
        writers = {watched.usage_writer()}
        for _ in range(4):
            os.kill(watched.usage_writer(), signal.SIGKILL)
            time.sleep(1.5)
            writers.add(watched.usage_writer())
        assert until(lambda: len({each["webhook-id"] for _, each, _ in receiver.received}) == len(added), 150, 0.2)
        assert until(lambda: all(each.delivered_at for each in watched.client.alerts().events), 90, 0.2)
    assert len(writers) > 1
    told = {headers["webhook-id"]: body["data"] for _, headers, body in receiver.received}
    assert sorted(body["alert"] for body in told.values()) == added
    assert {body["environment"] for body in told.values()} == {"sandbox"}
    assert [each.fired for each in watched.client.alerts().alerts] == [1] * len(added)


def test_an_alert_is_added_tried_and_removed_from_the_command_line(watched: Watched) -> None:
    def run(*arguments: str) -> str:
        ended = subprocess.run(
            [COMMAND, "alert", *arguments, "--url", watched.client.configuration.url],
            env=watched.variables, capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        return ended.stdout + ended.stderr

    with serving(Webhook()) as receiver:
        added = run("add", "below", "EUR", "USD", "0.001", "--deliver", "webhook", "--address", receiver.url)
        assert "Alert 1 is watched." in added
        assert "whsec_" in added
        assert "A test of alert 1 is on its way: event 1" in run("test", "1")
        assert until(lambda: receiver.received, PATIENCE)
    assert receiver.received[0][2]["type"] == "alert.test"
    assert "below EUR USD 0.001" in run("list")
    assert "takes FROM TO LEVEL" in run("add", "above", "EUR")
    assert "is removed" in run("remove", "1")
    assert "Unknown alert: [1]" in run("test", "1")

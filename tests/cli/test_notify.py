"""`cambist notify`: the ways, the open alarms, and a test message."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.monitoring.receivers import MailReceiver, Webhook, serving
from tools.ports import free_port
from typer.testing import CliRunner, Result

from cambist.cli.main import app
from cambist.monitoring.alarm_watch import AlarmState
from cambist.status.alarm import Alarm, Trouble
from cambist.storage.json_file import write_json_file

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, **variables: str) -> Result:
    for name in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(f"CAMBIST_NOTIFY_{name.upper()}", value)
    return CliRunner().invoke(app, ["notify", *arguments])


def test_a_test_message_is_sent_in_each_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving(Webhook()) as webhook, serving(MailReceiver()) as mail:
        email = f"smtp://127.0.0.1:{mail.port}?from=a@example.org&to=b@example.org"
        command = f"/bin/sh -c 'cat > {tmp_path / 'got'}'"
        found = run(monkeypatch, "--test", webhook=webhook.url, email=email, command=command)
    assert (found.exit_code, found.output) == (0, "webhook: sent\nemail: sent\ncommand: sent\n")
    assert webhook.texts == ["This is a test: alarms of Cambist arrive here."]
    assert mail.received[0]["Subject"] == "[cambist] Test"
    assert json.loads((tmp_path / "got").read_text())["alarms"] == []


def test_a_way_that_fails_is_named_and_the_others_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Webhook()) as webhook:
        email = f"smtp://127.0.0.1:{free_port()}?from=a@example.org&to=b@example.org"
        found = run(monkeypatch, "--test", webhook=webhook.url, email=email)
    assert found.exit_code == 1
    assert found.output == (
        "webhook: sent\nemail: The mail server 127.0.0.1 does not take a message: Connection refused\n"
    )


def test_without_a_way_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sentence = "No alarms are sent: set notify_webhook, notify_email or notify_command\n"
    assert run(monkeypatch, "--test").stderr == sentence
    assert run(monkeypatch, "--test").exit_code == 1
    assert run(monkeypatch, "--data", str(tmp_path)).output == f"{sentence}No alarm is open\n"


def test_open_alarms_are_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alarms = {
        "source:ecb": Alarm(Trouble("source:ecb", "The source ecb is late"), NOW, told=1),
        "source:fed": Alarm(Trouble("source:fed", "The source fed is late"), NOW),
    }
    write_json_file(tmp_path / "alarms.json", AlarmState(alarms))
    found = run(monkeypatch, "--data", str(tmp_path), webhook="https://chat.example/s3cret")
    assert found.output.startswith("Alarms are sent by webhook\n")
    assert "The source ecb is late" in found.output
    assert "fed" not in found.output
    record = json.loads(run(monkeypatch, "--data", str(tmp_path), "--json", webhook="https://x.example/s3cret").output)
    assert record == {
        "ways": ["webhook"],
        "waiting": {},
        "alarms": [{"key": "source:ecb", "text": "The source ecb is late", "since": "2026-11-20T12:00:00Z"}],
    }

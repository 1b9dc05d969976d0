"""`cambist audit`: what commands change is recorded, also if it is refused."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cambist.cli import main

Shell = Callable[..., Any]


@pytest.fixture
def audit(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run `cambist audit` on the folder, beside the shell of the other commands."""
    app = main.app

    def audit(*arguments: str) -> str:
        with monkeypatch.context() as patched:
            patched.setattr(main, "app", app)
            patched.setattr(sys, "argv", ["cambist", "audit", "--data", str(folder), *arguments])
            with pytest.raises(SystemExit):
                main.main()
        output = capsys.readouterr()
        assert output.err == ""
        return output.out

    return audit


def test_changes_by_commands_are_recorded(audit: Callable[..., str], shell: Shell) -> None:
    created = shell("account", "create", "alice", "--plan", "one", "--json").json
    shell("account", "suspend", "alice")
    shell("key", "create", "alice", "--name", "laptop")
    shell("key", "revoke", "alice", created["key"][:8])
    shell("account", "move", "alice", "--plan", "gold")
    shell("plans", "reload")
    entries = json.loads(audit("--json"))
    assert [(each["action"], each["on"]) for each in reversed(entries)] == [
        ("account.create", "alice"),
        ("account.suspend", "alice"),
        ("key.create", "alice"),
        ("key.revoke", "alice"),
        ("account.plan", "alice"),
        ("plans.reload", "plans.toml"),
    ]
    assert {each["who"] for each in entries} == {f"cli {getpass.getuser()}"}
    assert [each["result"] for each in entries if each["result"] != "done"] == [
        "refused: Unknown plan: [gold]; there are extra, one, premium, unlimited"
    ]
    assert created["key"] not in audit()


def test_a_key_that_was_typed_by_mistake_is_not_recorded(audit: Callable[..., str], shell: Shell) -> None:
    key = shell("account", "create", "alice", "--plan", "one", "--json").json["key"]
    shell("account", "move", "alice", "--plan", key)
    assert key not in audit("--json")
    assert f"{key[:8]}…" in audit("--json")


def test_entries_are_filtered(audit: Callable[..., str], shell: Shell) -> None:
    for name in ("alice", "bob"):
        shell("account", "create", name, "--plan", "one")
    assert [each["on"] for each in json.loads(audit("--on", "bob", "--json"))] == ["bob"]
    assert [each["on"] for each in json.loads(audit("--limit", "1", "--json"))] == ["bob"]
    assert json.loads(audit("--action", "key", "--json")) == []
    assert json.loads(audit("--since", "2099-01-01", "--json")) == []
    assert "account.create" in audit("--who", "cli")

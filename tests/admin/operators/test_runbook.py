"""The runbook has a section for every kind of problem, and names only commands and settings that exist."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from typer.main import get_command

from cambist.admin.operators.runbook import RUNBOOK, runbook_entries
from cambist.cli.main import app
from cambist.errors import BadParameter
from cambist.monitoring import alarm_watch, troubles
from cambist.settings import Settings

KINDS = re.compile(r'Trouble\(\s*f?"([a-z]+):')
TEXTS = [text for entry in RUNBOOK for text in (entry.meaning, entry.clients_see, *entry.steps)]


def test_every_kind_of_trouble_has_a_section() -> None:
    kinds = {*KINDS.findall(Path(str(troubles.__file__)).read_text()), troubles.QUOTA, *alarm_watch.OWN_KINDS}
    assert kinds == {"ingest", "source", "held", "dispute", "book", "disk", "certificate", "quota"}
    assert kinds <= {entry.kind for entry in RUNBOOK}


def test_its_commands_exist() -> None:
    program = get_command(app)
    named = {command for text in TEXTS for command in re.findall(r"`cambist ([a-z]+)(?: ([a-z]+))?", text)}
    assert len(named) > 5
    for name, part in named:
        command = program.commands[name]  # type: ignore[attr-defined]
        assert not part or part in command.commands, f"{name} {part}"


def test_its_settings_exist() -> None:
    names = {field.name for field in msgspec.structs.fields(Settings)}
    named = {word for text in TEXTS for word in re.findall(r"setting `([a-z_]+)`|set `([a-z_]+)`", text)}
    assert len(named) > 1
    assert {one or other for one, other in named} <= names


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    assert [entry.kind for entry in runbook_entries("quota")] == ["quota"]
    assert runbook_entries(None) == RUNBOOK
    with pytest.raises(BadParameter, match=r"has no \[quotas\]; did you mean \[quota\]"):
        runbook_entries("quotas")

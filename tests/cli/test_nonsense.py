"""Every command with nonsense: one sentence that says what is wrong, never a traceback, and nothing is created."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.conftest import CommandResult

from cambist.cli import main

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NONSENSE = "no/such-thing"
ANSWERS_WITHOUT_DATA = {
    *("settings", "openapi", "completion", "plans defaults", "plans check", "sources list", "sources try"),
    *("sources check", "sources record", "mcp", "doctor", "notify", "verify", "restore", "database copy"),
}
"""What needs no data folder, or says what is missing as its answer."""


def leaves(command: Any, *path: str) -> Iterator[tuple[str, Any]]:
    """Yield each command that is no group, with its name."""
    subcommands = getattr(command, "commands", None)
    if not subcommands:
        yield " ".join(path), command
        return
    for name in subcommands:
        yield from leaves(subcommands[name], *path, name)


COMMANDS = dict(leaves(typer.main.get_command(main.app)))
WITH_DATA = [name for name, command in COMMANDS.items() if any("--data" in each.opts for each in command.params)]


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder with a file, in which no service has run."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "notes.txt").write_text("Dear diary\n")
    return folder


@pytest.fixture
def run_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., CommandResult]:
    """Run a command in an empty folder, without input. No service listens where the settings expect it."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for name in ("PORT", "STREAM_PORT", "OPERATOR_PORT"):
        monkeypatch.setenv(f"CAMBIST_{name}", "1")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("os.umask", lambda _: 0)
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)

    def run(*arguments: str) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["cambist", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        with pytest.raises(SystemExit) as ended:  # any other exception would be a traceback
            main.main()
        output = capsys.readouterr()
        return CommandResult(ended.value.code or 0, output.out, output.err)

    return run


def check_refusal(ended: CommandResult) -> None:
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("cambist: ")
    assert ended.err.count("\n") <= 2
    assert "Errno" not in ended.err


def nonsense_for(command: Any) -> list[str]:
    """Return nonsense for each argument of a command, and for each option that it requires."""
    arguments = [NONSENSE for each in command.params if each.param_type_name == "argument"]
    options = [
        (each.opts[0], NONSENSE) for each in command.params if each.param_type_name == "option" and each.required
    ]
    return [*arguments, *(word for option in options for word in option)]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_refused_in_one_sentence(run_in: Callable[..., CommandResult], name: str) -> None:
    ended = run_in(*name.split(), "--nonsense")
    check_refusal(ended)
    if name != "account buy":  # which takes negative numbers
        assert "--nonsense" in ended.err
    assert f"[cambist {name} --help] explains it" in ended.err


@pytest.mark.long(every=3)
@pytest.mark.parametrize("name", [name for name in WITH_DATA if name not in {"serve", "backfill"}])
def test_a_folder_without_a_service_is_refused_or_answered_without_one_and_nothing_is_created_in_it(
    run_in: Callable[..., CommandResult], plain: Path, name: str
) -> None:
    ended = run_in(*name.split(), *nonsense_for(COMMANDS[name]), "--data", str(plain))
    assert [path.name for path in plain.rglob("*")] == ["notes.txt"]
    if name not in ANSWERS_WITHOUT_DATA:
        check_refusal(ended)
    assert "Traceback" not in ended.out + ended.err


@pytest.mark.long(every=3)
@pytest.mark.parametrize("name", WITH_DATA)
def test_a_file_in_place_of_a_data_folder_is_refused_or_not_read(
    run_in: Callable[..., CommandResult], plain: Path, name: str
) -> None:
    file = plain / "notes.txt"
    words = [] if name == "backfill" else nonsense_for(COMMANDS[name])
    ended = run_in(*name.split(), *words, "--data", str(file))
    if name not in ANSWERS_WITHOUT_DATA:
        check_refusal(ended)
    assert file.read_text() == "Dear diary\n"


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("rate XQQ USD", "XQQ"),
        ("rate EUR USD --date 31.12.2026", "31.12.2026"),
        ("rate EUR USD --url nowhere", "nowhere"),
        ("rate EUR USD --url http://127.0.0.1:1 --key cmb_x", "http://127.0.0.1:1"),
        ("convert abc EUR USD", "abc"),
        ("convert missing.csv", "missing.csv"),
        ("series EUR USD --since never", "never"),
        ("averages EUR USD --since 2026 --by decade", "decade"),
        ("report EUR USD --since never --output r.html", "never"),
        ("explain XQQ USD", "XQQ"),
        ("prices missing.csv --from EUR --to USD", "missing.csv"),
        ("value missing.csv --currency EUR", "missing.csv"),
        ("pieces missing.csv --currency EUR", "missing.csv"),
        ("account show nobody", "nobody"),
        ("account create shop --plan platinum", "platinum"),
        ("key create owner --expires never", "never"),
        ("key rotate owner abc --overlap never", "never"),
        ("usage --account nobody", "nobody"),
        ("audit --since never", "never"),
        ("alert add nonsense EUR", "nonsense"),
        ("alert list", "[cambist serve]"),
        ("watch EURUSD --once --data {finished} --url ws://127.0.0.1:1", "ws://127.0.0.1:1"),
        ("sources try missing.toml", "missing.toml"),
        ("sources check nosuch", "nosuch"),
        ("backfill nosuch", "nosuch"),
        ("backfill ecb --from never", "never"),
        ("fixing EUR USD never", "never"),
        ("disputes show XQQ", "XQQ"),
        ("export out --since never", "never"),
        ("plans check missing.toml", "missing.toml"),
        ("restore missing.tar new", "missing.tar"),
        ("verify missing.html", "missing.html"),
        ("openapi --output {finished}", "is a folder"),
        ("serve --port many", "--port"),
        ("sandbox fault slow soon", "seconds"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(
    run_in: Callable[..., CommandResult],
    monkeypatch: pytest.MonkeyPatch,
    finished: Path,
    typed: str,
    says: str,
) -> None:
    monkeypatch.setenv("CAMBIST_DATA", str(finished))
    (finished / "owner.key").write_text("cmb_fake\n")
    ended = run_in(*typed.format(finished=finished).split())
    check_refusal(ended)
    assert says in ended.err

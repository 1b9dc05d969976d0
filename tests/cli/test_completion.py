"""What shells complete: tried in each shell that is installed; a test of one that is not is skipped."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from typer.testing import CliRunner

from cambist.cli import main as program

needs = {
    name: pytest.mark.skipif(not shutil.which(name), reason=f"{name} is not installed: its completion is not tried")
    for name in ("bash", "zsh", "fish")
}
CASES = (
    ("cambist so", "sources"),
    ("cambist sources rec", "record"),
    ("cambist rate --ur", "--url"),
    ("cambist rate UZ", "UZS"),
    ("cambist rate eur uz", "uzs"),
    ("cambist convert 100 EUR UZ", "UZS"),
    ("cambist rate EUR/UZ", "EUR/UZS"),
    ("cambist averages EUR USD,UZ", "USD,UZS"),
    ("cambist watch EURUZ", "EURUZS"),
    ("cambist sources check amc", "amcm"),
    ("cambist backfill harb", "harbour"),
    ("cambist usage --account own", "owner"),
    ("cambist account create shop --plan prem", "premium"),
)
"""What is typed, and the one word that it is completed to."""


@pytest.fixture
def environment(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a shell that finds the command, and a data folder with a source of its own."""
    for variable in [name for name in os.environ if name.startswith(("CAMBIST_", "_CAMBIST"))]:
        monkeypatch.delenv(variable)
    (folder / "sources").mkdir()
    (folder / "sources" / "harbour.toml").touch()
    command = tmp_path / "bin" / "cambist"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m cambist "$@"\n')
    command.chmod(0o755)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("CAMBIST_DATA", str(folder))
    return {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "TERM": "dumb",
    }


@pytest.fixture
def install(environment: dict[str, str]) -> Callable[[str, str], None]:
    """Write the script of a shell into a file of the home folder, as the guide says."""

    def install(shell: str, name: str) -> None:
        path = Path(environment["HOME"]) / name
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(output_of(["cambist", "completion", shell], environment)) + "\n")

    return install


def output_of(command: list[str], environment: dict[str, str]) -> list[str]:
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert ended.stderr == ""
    return ended.stdout.splitlines()


@pytest.mark.long
@needs["bash"]
def test_bash_completes(environment: dict[str, str], install: Callable[[str, str], None]) -> None:
    install("bash", ".local/share/cambist/completion.bash")
    lines = ["source ~/.local/share/cambist/completion.bash", "complete -p cambist >/dev/null"]
    for typed, _ in CASES:
        words = shlex.split(typed)
        lines.append(f"COMP_WORDS=({' '.join(words)}) COMP_CWORD={len(words) - 1}")
        lines.append('_cambist cambist; echo "${COMPREPLY[*]}"')
    assert output_of(["bash", "--norc", "-ec", "\n".join(lines)], environment) == [found for _, found in CASES]


@needs["fish"]
def test_fish_completes(environment: dict[str, str], install: Callable[[str, str], None]) -> None:
    install("fish", ".config/fish/completions/cambist.fish")
    asked = "\n".join(f"complete -C {shlex.quote(typed)}" for typed, _ in CASES)
    lines = output_of(["fish", "-c", asked], environment)
    assert [line.split("\t")[0] for line in lines] == [found for _, found in CASES]


ZSHRC = """
fpath=(~/.zfunc $fpath)
autoload -Uz compinit && compinit
complete-and-show() { zle complete-word; print -r -- "<$BUFFER>"; exit }
zle -N complete-and-show
bindkey '^T' complete-and-show
"""


@pytest.fixture
def zsh(environment: dict[str, str], install: Callable[[str, str], None]) -> Callable[[str], str]:
    """Type a line in a terminal with zsh, complete it, and return the line."""
    install("zsh", ".zfunc/_cambist")
    (Path(environment["HOME"]) / ".zshrc").write_text(ZSHRC)

    def typed(line: str) -> str:
        ours, of_shell = pty.openpty()
        with subprocess.Popen(["zsh", "-d", "-i"], env=environment, stdin=of_shell, stdout=of_shell, stderr=of_shell):
            os.close(of_shell)
            os.write(ours, f"{line}\x14".encode())
            shown = b"".join(iter(lambda: _read(ours), b"")).decode()
        os.close(ours)
        return shown.rpartition("<")[2].partition(">")[0]

    return typed


def _read(terminal: int) -> bytes:
    """Return what the shell has written; nothing when it has ended."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@needs["zsh"]
@pytest.mark.parametrize(("typed", "found"), CASES)
def test_zsh_completes(zsh: Callable[[str], str], typed: str, found: str) -> None:
    assert zsh(typed) == f"{typed.rpartition(' ')[0]} {found} "


# What there is to choose


@pytest.fixture
def choices(
    environment: dict[str, str],  # noqa: ARG001  its folder is that of the settings
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], list[str]]:
    """Return what bash would show for a line; a space at its end begins a word."""

    def choices(typed: str) -> list[str]:
        monkeypatch.setenv("_CAMBIST_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" ")) - 1))
        ended = CliRunner().invoke(program.app, [], prog_name="cambist")
        assert ended.exit_code == 0
        return ended.output.split()

    return choices


def test_commands_and_options_are_completed(choices: Callable[[str], list[str]]) -> None:
    assert choices("cambist ") == [*program.COMMANDS]
    assert choices("cambist sources ") == ["list", "status", "activity", "try", "check", "record"]
    assert choices("cambist rate --") == ["--date", "--json", "--url", "--key", "--data", "--help"]


def test_codes_are_current_currencies_and_metals_and_coins_from_two_letters_on(
    choices: Callable[[str], list[str]],
) -> None:
    assert {"EUR", "XAU"} <= {*choices("cambist rate ")}
    assert not {"DEM", "BTC", "ETH"} & {*choices("cambist rate ")}
    assert "ETH" in choices("cambist rate ET")
    assert "EURETH" in choices("cambist watch EURET")


def test_accounts_and_sources_are_those_of_the_folder_that_is_named(
    choices: Callable[[str], list[str]], folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CAMBIST_DATA", str(tmp_path / "nowhere"))
    assert choices("cambist account show ") == []
    assert "harbour" not in choices("cambist backfill ")
    assert choices(f"cambist account show --data {folder} ") == ["owner"]
    assert "harbour" in choices(f"cambist backfill --data {folder} ")
    assert not (tmp_path / "nowhere").exists()

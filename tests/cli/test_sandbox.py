"""`cambist sandbox fault`: writes what goes wrong into a sandbox's folder, and into no other."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cambist.cli import main
from cambist.registry.sandbox_snapshots import simulated_codes
from cambist.sandbox.faults import Faults, read_faults
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory

Said = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sandbox's folder where the sandbox looks for it by default."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    made = DataDirectory(tmp_path / "sandbox-data")
    made.claim(Environment.SANDBOX)
    made.release()
    return made.path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr(sys, "argv", ["cambist", "sandbox", "fault", *arguments])
    with pytest.raises(SystemExit) as ended:
        main.main()
    return ended.value.code or 0


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Type a command that succeeds, and give what it wrote."""

    def said(*arguments: str) -> str:
        code = run(monkeypatch, *arguments)
        output = capsys.readouterr()
        assert (code, output.err) == (0, "")
        return output.out

    return said


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Said:
    """Type a command that is refused in one sentence and changes nothing, and give the sentence."""

    def refused(*arguments: str) -> str:
        before = faults_in(folder)
        code = run(monkeypatch, *arguments)
        output = capsys.readouterr()
        assert (code, output.out) == (2, "")
        assert output.err.startswith("cambist: ")
        assert output.err.count("\n") == 1
        assert faults_in(folder) == before
        return output.err

    return refused


def faults_in(folder: Path) -> Faults | None:
    path = folder / "faults.toml"
    return read_faults(path.read_text(), "f", simulated_codes()) if path.exists() else None


def test_codes_are_stale_from_now_on(said: Said, folder: Path) -> None:
    assert 'stale = ["EUR", "JPY"]' in said("stale", "eur, JPY,EUR")
    faults = faults_in(folder)
    assert faults is not None
    assert faults.stale == ("EUR", "JPY")
    assert faults.since is not None
    assert abs(datetime.now(UTC) - faults.since) < timedelta(seconds=30)
    assert stat.S_IMODE((folder / "faults.toml").stat().st_mode) == 0o600


def test_all_may_be_stale(said: Said, folder: Path) -> None:
    said("stale", "ALL")
    faults = faults_in(folder)
    assert faults is not None
    assert faults.stale == "all"


def test_faults_come_beside_those_that_are_set(said: Said) -> None:
    said("missing", "2026-10-06")
    said("missing", "2026-10-05,2026-10-07")
    said("outlier", "EUR", "1.5")
    said("outlier", "xau", "0.5")
    shown = said("slow", "2.5")
    assert shown == (
        'missing = [2026-10-05, 2026-10-06, 2026-10-07]\nslow = 2.5\n[outlier]\n"EUR" = 1.5\n"XAU" = 0.5\n'
    )
    assert said("show") == shown


def test_each_can_be_ended_and_all_at_once(said: Said, folder: Path) -> None:
    said("outlier", "EUR", "1.5")
    assert said("outlier", "EUR", "1") == "Nothing goes wrong.\n"
    said("slow", "3")
    assert said("slow", "0") == "Nothing goes wrong.\n"
    said("stale", "all")
    assert said("clear") == "Nothing goes wrong now.\n"
    assert faults_in(folder) == Faults()
    assert said("show") == "Nothing goes wrong.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("stale", "EUR,BTTC"), "[BTTC]"),
        (("stale", ""), "never quotes []"),
        (("outlier", "USD", "2"), "[USD]"),
        (("outlier", "EUR", "0"), "takes a number above 0"),
        (("outlier", "EUR", "inf"), "takes a number above 0"),
        (("outlier", "EUR", "nan"), "takes a number above 0"),
        (("missing", "2026-02-30"), "[2026-02-30]"),
        (("missing", "yesterday"), "takes a day such as"),
        (("slow", "1e9"), "takes 0 to 86400"),
        (("slow", "nan"), "takes 0 to 86400"),
    ],
)
def test_what_cannot_go_wrong_is_refused(refused: Said, said: Said, arguments: tuple[str, ...], sentence: str) -> None:
    said("slow", "1")
    assert sentence in refused(*arguments)


def test_the_nearest_code_is_named(refused: Said) -> None:
    assert "did you mean [BTC]?" in refused("stale", "BTCC")


@pytest.mark.parametrize(
    "arguments", [("stale", "EUR"), ("slow", "1"), ("show",), ("clear",), ("missing", "2026-10-05")]
)
def test_a_live_folder_is_refused(refused: Said, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    live = DataDirectory(tmp_path / "data")
    live.claim()
    live.release()
    assert "a live one and stays one" in refused(*arguments, "--data", str(live.path))
    assert not live.faults.exists()


def test_a_folder_that_is_none_yet_is_refused(refused: Said, tmp_path: Path) -> None:
    sentence = refused("show", "--data", str(tmp_path / "nowhere"))
    assert "There is no sandbox in" in sentence
    assert "[cambist serve --sandbox]" in sentence


def test_a_broken_file_is_told_and_can_be_cleared(refused: Said, said: Said, folder: Path) -> None:
    said("slow", "1")
    (folder / "faults.toml").rename(folder / "aside")
    (folder / "faults.toml").write_text("slow = -1")
    for arguments in (("show",), ("slow", "2")):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sys.modules[__name__], "faults_in", lambda _: None)
            assert "[slow]" in refused(*arguments)
    assert (folder / "faults.toml").read_text() == "slow = -1"
    said("clear")
    assert faults_in(folder) == Faults()


def test_nothing_is_left_beside_the_file(said: Said, folder: Path) -> None:
    said("slow", "1")
    assert sorted(path.name for path in folder.iterdir()) == ["cambist.lock", "environment", "faults.toml"]

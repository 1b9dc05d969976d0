"""`cambist sandbox fault`: writes the faults of a sandbox, and refuses other folders."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cambist.cli import main
from cambist.registry.sandbox.sandbox_snapshots import simulated_codes
from cambist.sandbox.faults import Faults, read_faults
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory

OutputOf = Callable[..., str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default data folder of a sandbox."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    made = DataDirectory(tmp_path / "sandbox-data")
    made.claim(Environment.SANDBOX)
    made.release()
    return made.path


def run_fault(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    monkeypatch.setattr(sys, "argv", ["cambist", "sandbox", "fault", *arguments])
    with pytest.raises(SystemExit) as ended:
        main.main()
    return ended.value.code or 0


@pytest.fixture
def output_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> OutputOf:
    """Run commands that must succeed, and return their output."""

    def output_of(*arguments: str) -> str:
        code = run_fault(monkeypatch, *arguments)
        output = capsys.readouterr()
        assert (code, output.err) == (0, "")
        return output.out

    return output_of


@pytest.fixture
def error_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> OutputOf:
    """Run commands that must be refused in one sentence and change nothing, and return the sentence."""

    def error_of(*arguments: str) -> str:
        before = faults_in(folder)
        code = run_fault(monkeypatch, *arguments)
        output = capsys.readouterr()
        assert (code, output.out) == (2, "")
        assert output.err.startswith("cambist: ")
        assert output.err.count("\n") == 1
        assert faults_in(folder) == before
        return output.err

    return error_of


def faults_in(folder: Path) -> Faults | None:
    path = folder / "faults.toml"
    return read_faults(path.read_text(), "f", simulated_codes()) if path.exists() else None


def test_codes_are_frozen_from_now_on(output_of: OutputOf, folder: Path) -> None:
    assert 'stale = ["EUR", "JPY"]' in output_of("stale", "eur, JPY,EUR")
    faults = faults_in(folder)
    assert faults is not None
    assert faults.stale == ("EUR", "JPY")
    assert faults.since is not None
    assert abs(datetime.now(UTC) - faults.since) < timedelta(seconds=30)
    assert stat.S_IMODE((folder / "faults.toml").stat().st_mode) == 0o600


def test_all_codes_can_be_frozen(output_of: OutputOf, folder: Path) -> None:
    output_of("stale", "ALL")
    faults = faults_in(folder)
    assert faults is not None
    assert faults.stale == "all"


def test_faults_are_added_to_those_already_set(output_of: OutputOf) -> None:
    output_of("missing", "2026-10-06")
    output_of("missing", "2026-10-05,2026-10-07")
    output_of("outlier", "EUR", "1.5")
    output_of("outlier", "xau", "0.5")
    shown = output_of("slow", "2.5")
    assert shown == (
        'missing = [2026-10-05, 2026-10-06, 2026-10-07]\nslow = 2.5\n[outlier]\n"EUR" = 1.5\n"XAU" = 0.5\n'
    )
    assert output_of("show") == shown


def test_each_fault_can_be_ended_alone_and_all_at_once(output_of: OutputOf, folder: Path) -> None:
    output_of("outlier", "EUR", "1.5")
    assert output_of("outlier", "EUR", "1") == "Nothing goes wrong.\n"
    output_of("slow", "3")
    assert output_of("slow", "0") == "Nothing goes wrong.\n"
    output_of("stale", "all")
    assert output_of("clear") == "Nothing goes wrong now.\n"
    assert faults_in(folder) == Faults()
    assert output_of("show") == "Nothing goes wrong.\n"


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
def test_an_invalid_fault_is_refused(
    error_of: OutputOf, output_of: OutputOf, arguments: tuple[str, ...], sentence: str
) -> None:
    output_of("slow", "1")
    assert sentence in error_of(*arguments)


def test_the_nearest_code_is_named(error_of: OutputOf) -> None:
    assert "did you mean [BTC]?" in error_of("stale", "BTCC")


@pytest.mark.parametrize(
    "arguments", [("stale", "EUR"), ("slow", "1"), ("show",), ("clear",), ("missing", "2026-10-05")]
)
def test_a_live_folder_is_refused(error_of: OutputOf, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    live = DataDirectory(tmp_path / "data")
    live.claim()
    live.release()
    assert "a live one and stays one" in error_of(*arguments, "--data", str(live.path))
    assert not live.faults.exists()


def test_a_folder_that_does_not_exist_yet_is_refused(error_of: OutputOf, tmp_path: Path) -> None:
    sentence = error_of("show", "--data", str(tmp_path / "nowhere"))
    assert "There is no sandbox in" in sentence
    assert "[cambist serve --sandbox]" in sentence


def test_an_invalid_faults_file_is_reported_and_can_be_cleared(
    error_of: OutputOf, output_of: OutputOf, folder: Path
) -> None:
    output_of("slow", "1")
    (folder / "faults.toml").rename(folder / "aside")
    (folder / "faults.toml").write_text("slow = -1")
    for arguments in (("show",), ("slow", "2")):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sys.modules[__name__], "faults_in", lambda _: None)
            assert "[slow]" in error_of(*arguments)
    assert (folder / "faults.toml").read_text() == "slow = -1"
    output_of("clear")
    assert faults_in(folder) == Faults()


def test_writing_faults_leaves_no_temporary_files(output_of: OutputOf, folder: Path) -> None:
    output_of("slow", "1")
    assert sorted(path.name for path in folder.iterdir()) == ["audit.log", "cambist.lock", "environment", "faults.toml"]

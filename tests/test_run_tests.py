"""The tool behind `make test`: what it counts, repeats and names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools import run_tests
from tools.run_tests import Results

ROOT = Path(__file__).parents[1]
TESTS = """
import json
from pathlib import Path
import pytest

def test_that_passes(): pass

def test_that_fails(): assert 0

def test_that_is_skipped(): pytest.skip("no reason")

def test_that_fails_once():
    seen = Path(__file__).with_name("seen")
    if not seen.exists():
        seen.touch()
        raise OSError("busy")

@pytest.fixture
def broken(): raise OSError("never there")

def test_whose_setup_fails(broken): pass
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with a file of tests, which are to run as the only part."""
    (tmp_path / "test_some.py").write_text(TESTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setattr(run_tests, "SIDE_BY_SIDE", [["only"]])
    monkeypatch.setattr(run_tests, "arguments_of", lambda _part: ["test_some.py"])
    return tmp_path


@pytest.mark.long
def test_what_fails_twice_fails_and_what_fails_once_is_named_as_flaky(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tests.main() == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.startswith("1 passed, 2 failed, 1 skipped, 1 flaky in 0 min ")
    assert lines[-3:] == [
        "flaky: test_some.py::test_that_fails_once",
        "failed: test_some.py::test_that_fails",
        "failed: test_some.py::test_whose_setup_fails",
    ]
    durations = Path(".cache/tests/durations.txt").read_text().splitlines()
    assert durations[0].startswith("only: 1 passed, 3 failed, 1 skipped, 0 flaky in ")
    assert any(line.endswith(" s call     test_some.py::test_that_fails_once") for line in durations)


@pytest.mark.long
def test_what_fails_only_once_does_not_fail_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "test_some.py").write_text(TESTS.replace("assert 0", "pass").replace("(broken)", "()"))
    assert run_tests.main() == 0
    *_, named, last = capsys.readouterr().out.splitlines()
    assert named == "flaky: test_some.py::test_that_fails_once"
    assert last.startswith("3 passed, 0 failed, 1 skipped, 1 flaky in ")


@pytest.mark.long(every=2)
@pytest.mark.parametrize("content", ["import nothing_of_this_name", "def test_(:"])
def test_a_file_that_cannot_be_collected_is_a_failure(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    (folder / "test_some.py").write_text(content)
    assert run_tests.main() == 1
    assert "test_some.py" in capsys.readouterr().out


def test_a_part_without_tests_is_a_failure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "test_some.py").write_text("")
    assert run_tests.main() == 1
    assert capsys.readouterr().out.splitlines()[-2] == "pytest ended with 5: see .cache/tests/only.log"


def test_a_test_has_failed_if_one_of_its_phases_has() -> None:
    results = Results()
    for when, outcome in (("setup", "passed"), ("call", "passed"), ("teardown", "failed")):
        results.add("a", when, outcome, 1)
        results.add("b", when, "passed", 1)
    assert (results.named("failed"), results.named("passed")) == (["a"], ["b"])


def test_every_file_that_starts_services_is_in_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.chdir(ROOT)
    services, browser = (
        [each for each in run_tests.arguments_of(part) if each.endswith(".py")] for part in ("services", "browser")
    )
    mark = "pytest.mark." + "service"
    marked = [str(path.relative_to(ROOT)) for path in ROOT.glob("tests/**/*.py") if mark in path.read_text("utf-8")]
    assert sorted(services + browser) == sorted(marked)
    assert {each.startswith("tests/web/") for each in browser} == {True}


SHARES = """
import pytest

@pytest.mark.long
def test_long(): pass

def test_short(): pass

@pytest.mark.long(every=3)
@pytest.mark.parametrize("number", range(5))
def test_some(number): pass
"""


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    ("length", "ran"), [("short", ["short", "some[0]", "some[3]"]), ("long", ["long", "some[1]", "some[2]", "some[4]"])]
)
def test_each_test_is_of_one_length(folder: Path, length: str, ran: list[str]) -> None:
    (folder / "test_some.py").write_text(SHARES)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = long\n")
    assert run_tests.main(length) == 0
    results = [json.loads(line) for line in Path(".cache/tests/only.jsonl").read_text().splitlines()]
    assert {each["test"].partition("::test_")[2] for each in results} == set(ran)

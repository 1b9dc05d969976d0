"""A child process that keeps dying is restarted ever more seldom, and that is logged once."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest

from cambist.errors import SettingRefused
from cambist.processes import child_process
from cambist.processes.child_process import ChildProcess
from cambist.processes.heartbeat import Heartbeat
from cambist.settings import Settings


class Processes:
    """Doubles of processes: some that die at once, then one that lives."""

    def __init__(self, deaths: int) -> None:
        self.left = deaths
        self.lives = threading.Event()
        self.logs_error: list[bool] = []

    def make(self, args: tuple, **_: object) -> SimpleNamespace:
        self.logs_error.append(args[-1])
        ended = threading.Event()
        if self.left:
            self.left -= 1
            ended.set()
        else:
            self.lives.set()
        return SimpleNamespace(
            start=lambda: None,
            join=ended.wait,
            is_alive=lambda: not ended.is_set(),
            terminate=ended.set,
            kill=ended.set,
            exitcode=1,
        )


def test_a_process_that_keeps_dying_is_restarted_ever_more_seldom_and_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cambist.processes.child_process")
    processes = Processes(deaths=12)
    monkeypatch.setattr(child_process, "get_context", lambda _: SimpleNamespace(Process=processes.make))
    monkeypatch.setattr(child_process, "_RECOVERED_SECONDS", 0.05)
    monkeypatch.setattr(child_process, "_SHORTEST_PAUSE", 0.0001)
    monkeypatch.setattr(child_process, "_LONGEST_PAUSE", 0.01)
    one = ChildProcess("ingest", lambda *_: None, Settings())
    recovered = threading.Event()
    monkeypatch.setattr(one, "_recover", lambda: (ChildProcess._recover(one), recovered.set()))
    with one:
        assert processes.lives.wait(10)
        assert recovered.wait(10)
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "The ingest died with exit code 1: another takes over",
        "The ingest died with exit code 1: another takes over",
        "The ingest keeps dying, with exit code 1: it is restarted every 0 s, and this is logged once",
        "The ingest runs again, after it died 12 times",
    ]
    assert processes.logs_error == [True] * 3 + [False] * 10


@pytest.mark.parametrize(("deaths", "pause"), [(0, 0.2), (1, 0.4), (4, 3.2), (9, 60.0), (5000, 60.0)])
def test_the_pause_doubles_with_each_death_up_to_a_minute(deaths: int, pause: float) -> None:
    assert child_process.restart_pause(deaths) == pytest.approx(pause)


@pytest.mark.parametrize("logs_error", [True, False])
def test_a_process_that_ends_with_an_error_of_ours_logs_one_line_without_a_trace(
    caplog: pytest.LogCaptureFixture, *, logs_error: bool
) -> None:
    def refuse(*_: object) -> None:
        raise SettingRefused("The setting [x] is refused")

    with pytest.raises(SystemExit):
        child_process._run(refuse, Settings(), 1, Heartbeat(), logs_error)
    assert [record.getMessage() for record in caplog.records] == (
        ["The MainProcess ends: The setting [x] is refused"] if logs_error else []
    )
    assert not any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize("logs_error", [True, False])
def test_a_process_that_ends_with_an_unexpected_error_logs_its_trace(
    caplog: pytest.LogCaptureFixture, *, logs_error: bool
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(SystemExit):
        child_process._run(fail, Settings(), 1, Heartbeat(), logs_error)
    assert [bool(record.exc_info) for record in caplog.records] == ([True] if logs_error else [])


def write_parent(path: Path, _settings: Settings, supervisor: int) -> None:
    path.write_text(f"{os.getppid() == supervisor} {'a_module_of_the_parent' in sys.modules}")


@pytest.mark.parametrize("is_answering", [True, False])
def test_a_process_that_shares_memory_works_once_the_api_answers_or_has_taken_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_answering: bool
) -> None:
    monkeypatch.setitem(sys.modules, "a_module_of_the_parent", SimpleNamespace())
    monkeypatch.setattr(child_process, "_LONGEST_WAIT_SECONDS", 600.0 if is_answering else 0.01)
    answering = get_context("fork").Event()
    child = ChildProcess("stream", partial(write_parent, tmp_path / "parent"), Settings(), answering)
    if is_answering:
        assert not (tmp_path / "parent").exists()
        answering.set()
    child._process.join(30)
    child.stop()
    assert (tmp_path / "parent").read_text() == "True True"


def write_shown_name(path: Path, *_: object) -> None:
    path.write_text(Path("/proc/self/comm").read_text())


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="this system does not show the names of processes")
def test_ps_shows_what_a_process_is(tmp_path: Path) -> None:
    forked = get_context("fork").Event()
    child = ChildProcess(
        "usage writer", partial(write_shown_name, tmp_path / "name"), Settings(), forked, is_awaited=True
    )
    child._process.join(30)
    child.stop()
    assert (tmp_path / "name").read_text() == "usage writer\n"


def test_an_entry_point_is_imported_in_its_own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    monkeypatch.setitem(
        sys.modules, "a_process", SimpleNamespace(run=lambda *args, **options: called.append((args, options)))
    )
    child_process.imported("a_process", "run", Settings(), 7, keys={})
    assert called == [((Settings(), 7), {"keys": {}})]


def until_terminated(_settings: Settings, _supervisor: int) -> None:
    time.sleep(60)


def test_the_exit_code_is_known_although_another_thread_was_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = os.waitpid

    def slow_to_tell(pid: int, flags: int) -> tuple[int, int]:
        told = wait(pid, flags)
        if threading.current_thread().name.startswith("watch ") and told[0]:
            time.sleep(0.3)  # meanwhile the other thread asks in vain
        return told

    monkeypatch.setattr("multiprocessing.popen_fork.os.waitpid", slow_to_tell)
    for _ in range(5):
        answering = get_context("fork").Event()
        child = ChildProcess("worker 1", until_terminated, Settings(), answering, is_awaited=True)
        child.watch()
        assert child.stop() is True

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cambist.storage.shared import futex
from cambist.storage.shared.change_notifier import ChangeNotifier, Topic, data_changes


def test_another_process_sees_the_change_of_one_topic_and_of_no_other(tmp_path: Path) -> None:
    here, there = ChangeNotifier(tmp_path / "versions"), ChangeNotifier(tmp_path / "versions")
    before = there.versions.tolist()
    here.notify(3)
    after = there.versions.tolist()
    assert [topic for topic, version in enumerate(after) if version != before[topic]] == [3]


@pytest.mark.parametrize("topic", Topic)
def test_each_topic_of_a_data_directory_has_a_version_of_its_own(tmp_path: Path, topic: Topic) -> None:
    changes = data_changes(tmp_path)
    before = {kind: changes.version(kind) for kind in Topic}
    changes.notify(topic)
    assert [kind for kind in Topic if changes.version(kind) != before[kind]] == [topic]


def test_each_change_has_another_version(tmp_path: Path) -> None:
    changes = data_changes(tmp_path)
    versions = [changes.version(Topic.MATRIX)]
    for _ in range(300):
        changes.notify(Topic.MATRIX)
        versions.append(changes.version(Topic.MATRIX))
    assert len(set(versions)) == 301


def test_versions_stay_when_the_file_is_opened_again(tmp_path: Path) -> None:
    changes = data_changes(tmp_path)
    changes.notify(Topic.ACCOUNTS)
    assert data_changes(tmp_path).version(Topic.ACCOUNTS) == changes.version(Topic.ACCOUNTS) != 0


def test_of_two_processes_that_notify_at_once_neither_change_is_lost(tmp_path: Path) -> None:
    first, second = ChangeNotifier(tmp_path / "versions"), ChangeNotifier(tmp_path / "versions")
    read_before = first.version(1)
    first.notify(1)
    after_first = first.version(1)
    first.versions[1] = read_before  # what the second process had read when the first one notified
    second.notify(1)
    assert len({read_before, after_first, second.version(1)}) == 3


@pytest.mark.parametrize("content", [b"", b"\0" * 8, b"\1" * 8])
def test_a_file_that_is_too_short_is_extended(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "versions").write_bytes(content)
    here, there = ChangeNotifier(tmp_path / "versions"), ChangeNotifier(tmp_path / "versions")
    here.notify(510)
    assert there.version(510) == here.version(510) != 0


NOTIFIES = """
import sys
from pathlib import Path
from cambist.storage.shared.change_notifier import ChangeNotifier
changes = ChangeNotifier(Path(sys.argv[1]))
for line in sys.stdin:
    changes.notify(int(line))
"""


@pytest.fixture
def other_process(tmp_path: Path) -> Iterator[Callable[[int], None]]:
    """Return a function that notifies of a topic in another process."""
    command = [sys.executable, "-c", NOTIFIES, str(tmp_path / "versions")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        pipe = process.stdin
        yield lambda topic: pipe.write(f"{topic}\n".encode()) and None


def test_a_notification_of_another_process_ends_a_wait(tmp_path: Path, other_process: Callable[[int], None]) -> None:
    changes = ChangeNotifier(tmp_path / "versions")
    waiter, before = changes.waiter(), changes.version(2)
    ended = threading.Event()

    def wait() -> None:
        while changes.version(2) == before:
            waiter.wait(3600)
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    other_process(2)
    assert ended.wait(30)


def test_a_notification_before_a_wait_ends_it_at_once(tmp_path: Path) -> None:
    changes = ChangeNotifier(tmp_path / "versions")
    first, second = changes.waiter(), changes.waiter()
    changes.notify(1)
    ended = threading.Event()

    def wait() -> None:
        first.wait(3600)
        second.wait(3600)
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    assert ended.wait(30)


def test_a_wait_without_a_notification_ends(tmp_path: Path) -> None:
    changes = ChangeNotifier(tmp_path / "versions")
    waiter = changes.waiter()
    waiter.wait(0.001)
    waiter.wait(0)


def test_where_the_system_has_no_futexes_a_wait_is_a_short_sleep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(futex, "_LIBRARY", None)
    monkeypatch.setattr(futex, "sleep", slept.append)
    changes = ChangeNotifier(tmp_path / "versions")
    waiter = changes.waiter()
    waiter.wait(3600)
    changes.notify(1)
    waiter.wait(0.001)
    assert slept == [0.01, 0.001]

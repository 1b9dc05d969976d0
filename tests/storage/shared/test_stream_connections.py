"""The connections of accounts to several stream processes: what one counts, the others know."""

from __future__ import annotations

from pathlib import Path

import pytest

from cambist.storage.shared.stream_connections import StreamConnections


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "connections"


def test_processes_count_the_connections_of_an_account_together(path: Path) -> None:
    one, other = StreamConnections(path, 0, 2), StreamConnections(path, 1, 2)
    assert [one.add(7), other.add(7), one.add(7), other.add(8)] == [1, 2, 3, 1]
    one.remove(7)
    assert other.add(7) == 3


def test_a_process_that_starts_again_begins_without_connections(path: Path) -> None:
    one, killed = StreamConnections(path, 0, 2), StreamConnections(path, 1, 2)
    one.add(7)
    killed.add(7)
    killed.add(1023)
    successor = StreamConnections(path, 1, 2)
    assert successor.add(7) == 2
    assert one.add(1023) == 1


def test_processes_that_are_no_longer_started_do_not_count(path: Path) -> None:
    one, third = StreamConnections(path, 0, 3), StreamConnections(path, 2, 3)
    third.add(7)
    assert one.add(7) == 2
    assert StreamConnections(path, 0, 2).add(7) == 1


def test_the_file_grows_for_new_accounts_without_disturbing_those_who_have_it_mapped(path: Path) -> None:
    one, other = StreamConnections(path, 0, 2), StreamConnections(path, 1, 2)
    other.add(7)
    assert one.add(5000) == 1
    assert one.add(7) == 2
    assert other.add(5000) == 2
    assert other.add(7) == 3

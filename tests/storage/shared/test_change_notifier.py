from __future__ import annotations

from pathlib import Path

import pytest

from cambist.storage.shared.change_notifier import ChangeNotifier


def test_news_of_one_topic_is_seen_by_everybody_and_of_no_other(tmp_path: Path) -> None:
    here, there = ChangeNotifier(tmp_path / "versions"), ChangeNotifier(tmp_path / "versions")
    before = there.versions.tolist()
    here.notify(3)
    after = there.versions.tolist()
    assert [topic for topic, version in enumerate(after) if version != before[topic]] == [3]


def test_who_tells_after_another_but_read_before_is_heard_too(tmp_path: Path) -> None:
    first, second = ChangeNotifier(tmp_path / "versions"), ChangeNotifier(tmp_path / "versions")
    read_before = first.versions[1]
    first.notify(1)
    heard = first.versions[1]
    first.versions[1] = read_before  # what the second had read as the first told
    second.notify(1)
    assert len({read_before, heard, second.versions[1]}) == 3


@pytest.mark.parametrize("content", [b"", b"\1" * 8])
def test_a_file_that_was_cut_off_grows_again_under_those_who_have_it_mapped(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "versions").write_bytes(content)
    here, there = ChangeNotifier(tmp_path / "versions"), ChangeNotifier(tmp_path / "versions")
    here.notify(511)
    assert there.versions[511] == here.versions[511] != 0

"""Counter files are copied while workers count in them."""

from __future__ import annotations

import threading
from datetime import date
from pathlib import Path

from cambist.storage.shared.usage.counter_copy import copy_counter_files, counter_faults, counter_file_names
from cambist.storage.shared.usage.worker_counters import WorkerCounters

DAY = date(2026, 3, 6)
PATH = "/fetch-one"
ACCOUNT = 5


def calls_in(folder: Path) -> int:
    counters = WorkerCounters(folder, [PATH], 1)
    try:
        return counters.spent(ACCOUNT, DAY)
    finally:
        counters.close()


def test_copies_of_counters_in_use_have_what_was_counted_before_and_nothing_from_later(tmp_path: Path) -> None:
    counters = WorkerCounters(tmp_path / "ledger", [PATH], 1)
    counted, over = [0], threading.Event()

    def count() -> None:
        while not over.is_set():
            counters.spend(ACCOUNT, PATH, 1, DAY)
            counted[0] += 1

    worker = threading.Thread(target=count)
    worker.start()
    try:
        for number in range(5):
            target = tmp_path / str(number)
            target.mkdir()
            before = counted[0]
            copy_counter_files(tmp_path / "ledger", target)
            assert before <= calls_in(target) <= counted[0] + 1
            assert [counter_faults(target, name) for name in counter_file_names(target)].count([]) == len(
                counter_file_names(target)
            )
    finally:
        over.set()
        worker.join()
        counters.close()
    assert counted[0] > 0


def test_a_file_that_was_marked_as_damaged_meanwhile_is_copied_once(tmp_path: Path) -> None:
    counters = WorkerCounters(tmp_path / "ledger", [PATH], 1)
    counters.spend(ACCOUNT, PATH, 3, DAY)
    counters.close()
    (tmp_path / "copy").mkdir()
    copy_counter_files(tmp_path / "ledger", tmp_path / "copy")
    name = f"{DAY}.0.page"
    (tmp_path / "ledger" / name).rename(tmp_path / "ledger" / f"{name}.damaged")
    copy_counter_files(tmp_path / "ledger", tmp_path / "copy")
    assert not (tmp_path / "copy" / name).exists()
    assert calls_in(tmp_path / "copy") == 3


def test_a_folder_without_counters_has_nothing_to_copy(tmp_path: Path) -> None:
    copy_counter_files(tmp_path / "nowhere", tmp_path)
    assert list(tmp_path.iterdir()) == []

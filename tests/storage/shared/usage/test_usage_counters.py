from __future__ import annotations

import itertools
import logging
import mmap
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from cambist.accounts.account import Account
from cambist.accounts.usage_counters import CounterFileKey, CounterTotal, UsageCounters, UsageRow, UsageStore
from cambist.errors import StoreBroken
from cambist.storage.shared.usage import changed_counters, counter_file, file_set
from cambist.storage.shared.usage.counter_arrays import checked_rows, totals_of
from cambist.storage.shared.usage.counter_file import create_counter_file
from cambist.storage.shared.usage.layout import CounterFileLayout
from cambist.storage.shared.usage.space import RequiredSpace
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.sql import SqlStore

TODAY = date(2026, 11, 20)
DAY = timedelta(days=1)
YESTERDAY, TOMORROW = TODAY - DAY, TODAY + DAY
ENDPOINTS = ("/a", "/b", "/c")


class MemoryUsageStore:
    """The `UsageStore` protocol in memory; `writes` has how many totals each write had."""

    def __init__(self) -> None:
        self._totals: dict[tuple[date, int, int, str], int] = {}
        self.writes: list[int] = []
        self.broken = False

    def store_totals(self, totals: Iterable[CounterTotal], _node: str = "") -> None:
        new_totals = list(totals)
        if self.broken:
            raise StoreBroken("The database is locked")
        for total in new_totals:
            key = (total.day, total.file, total.account, total.endpoint)
            self._totals[key] = max(total.calls, self._totals.get(key, 0))
        self.writes.append(len(new_totals))

    def of_others(self, account: int, since: date, node: str) -> Mapping[date, int]:
        raise NotImplementedError

    def by_day(
        self, since: date, without: Collection[CounterFileKey] = (), node: str | None = None
    ) -> Mapping[int, Mapping[date, int]]:
        raise NotImplementedError

    def totals(self, since: date) -> Iterable[CounterTotal]:
        return [CounterTotal(*key, calls) for key, calls in self._totals.items() if key[0] >= since]

    def rows(self, since: date | None = None, account: int | None = None) -> Sequence[UsageRow]:
        raise NotImplementedError

    def calls(self) -> dict[tuple[date, int, str], int]:
        found: Counter[tuple[date, int, str]] = Counter()
        for (day, _, account, endpoint), calls in self._totals.items():
            found[day, account, endpoint] += calls
        return dict(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def open_worker(folder: Path) -> Iterator[Callable[..., WorkerCounters]]:
    """Return a function that opens the counters of a worker. They are closed after the test."""
    opened: list[WorkerCounters] = []

    def open_worker(endpoints: Iterable[str] = ENDPOINTS, slots: int = 4) -> WorkerCounters:
        opened.append(WorkerCounters(folder, endpoints, slots))
        return opened[-1]

    yield open_worker
    for worker in opened:
        worker.close()


@pytest.fixture
def usage_store() -> MemoryUsageStore:
    return MemoryUsageStore()


def writer_without_delay(folder: Path) -> UsageWriter:
    """Return a usage writer that removes files of past days at once."""
    return UsageWriter(folder, removal_delay=0)


def file_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".page" in path.name)


def test_worker_counters_and_the_database_implement_the_protocols(
    open_worker: Callable[..., WorkerCounters], tmp_path: Path
) -> None:
    worker: UsageCounters = open_worker()
    usage_store: UsageStore = SqlStore(f"sqlite:///{tmp_path / 'a.db'}").usage
    assert worker.spent(1, TODAY) == 0
    assert usage_store


def test_nothing_is_created_before_the_first_call(open_worker: Callable[..., WorkerCounters], folder: Path) -> None:
    worker = open_worker()
    assert (worker.spent(1, TODAY), worker.admitted(1)) == (0, 0)
    assert file_names(folder) == []


def test_calls_are_counted_by_account_and_day(open_worker: Callable[..., WorkerCounters]) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 3, TODAY)
    worker.spend(1, "/b", 4, TODAY)
    worker.spend(2, "/a", 50, TODAY)
    worker.spend(1, "/a", 600, TOMORROW)
    assert [worker.spent(1, TODAY), worker.spent(2, TODAY), worker.spent(1, TOMORROW)] == [7, 50, 600]
    assert worker.spent(1, YESTERDAY) == 0


def test_every_worker_sees_what_the_others_spent(open_worker: Callable[..., WorkerCounters]) -> None:
    first, second = open_worker(), open_worker()
    first.spend(1, "/a", 3, TODAY)
    second.spend(1, "/a", 4, TODAY)
    first.spend(1, "/a", 5, TODAY)
    assert first.spent(1, TODAY) == second.spent(1, TODAY) == 12


def test_a_negative_account_is_refused(open_worker: Callable[..., WorkerCounters]) -> None:
    with pytest.raises(ValueError, match="-1"):
        open_worker().spend(-1, "/a", 1, TODAY)


def test_admitted_requests_are_counted_over_all_workers_and_days(open_worker: Callable[..., WorkerCounters]) -> None:
    first, second = open_worker(), open_worker()
    for _ in range(3):
        first.admit(1)
        second.admit(1)
    second.admit(2000)
    assert (first.admitted(1), first.admitted(2000), second.admitted(3)) == (6, 1, 0)


def test_the_last_use_of_a_key_is_the_latest_of_all_workers(
    open_worker: Callable[..., WorkerCounters], folder: Path
) -> None:
    first, second = open_worker(), open_worker()
    first.use_key(7, 1_790_000_005)
    second.use_key(7, 1_790_000_003)
    second.use_key(3000, 1_790_000_000)
    usage_writer = writer_without_delay(folder)
    assert usage_writer.last_used() == {7: 1_790_000_005, 3000: 1_790_000_000}
    second.use_key(7, 1_790_000_009)
    assert usage_writer.last_used()[7] == 1_790_000_009


def test_counting_continues_after_a_restart(open_worker: Callable[..., WorkerCounters], folder: Path) -> None:
    for _ in range(3):
        worker = open_worker()
        worker.spend(1, "/a", 2, TODAY)
        worker.admit(1)
        worker.close()
    assert (open_worker().spent(1, TODAY), open_worker().admitted(1)) == (6, 3)
    assert [path.name for path in folder.glob("column-*")] == ["column-0.lock"]


def test_other_workers_see_an_account_that_was_added_later(open_worker: Callable[..., WorkerCounters]) -> None:
    first, second = open_worker(), open_worker()
    first.spend(1, "/a", 1, TODAY)
    assert second.spent(5000, TODAY) == 0
    first.spend(5000, "/a", 2, TODAY)
    assert second.spent(5000, TODAY) == 2
    second.spend(5000, "/a", 3, TODAY)
    assert first.spent(5000, TODAY) == 5


def test_more_threads_than_slots_get_a_file_with_more_slots(
    open_worker: Callable[..., WorkerCounters], folder: Path
) -> None:
    worker, barrier = open_worker(slots=2), threading.Barrier(7)

    def work() -> None:
        worker.spend(1, "/a", 1, TODAY)
        worker.admit(1)
        barrier.wait()
        for _ in range(500):
            worker.spend(1, "/a", 1, TODAY)
            worker.admit(1)
        barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (worker.spent(1, TODAY), worker.admitted(1)) == (7 * 501, 7 * 501)
    assert len(list(folder.glob("column-*"))) == 7


def test_a_new_thread_gets_the_slot_of_one_that_has_ended(
    open_worker: Callable[..., WorkerCounters], folder: Path
) -> None:
    worker = open_worker()
    for _ in range(10):
        thread = threading.Thread(target=worker.spend, args=(1, "/a", 1, TODAY))
        thread.start()
        thread.join()
    assert worker.spent(1, TODAY) == 10
    assert len(list(folder.glob("column-*"))) == 1


def test_a_worker_with_other_endpoints_creates_the_next_generation_for_all(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    old = open_worker(("/a", "/b"))
    old.spend(1, "/a", 1, TODAY)
    new = open_worker(("/b", "/new"))
    new.spend(1, "/new", 10, TODAY)
    old.spend(1, "/a", 100, TODAY)
    new.spend(1, "/b", 1000, TODAY)
    assert old.spent(1, TODAY) == new.spent(1, TODAY) == 1111
    assert file_names(folder) == ["2026-11-20.0.page", "2026-11-20.1.page"]
    writer_without_delay(folder).write(usage_store, TODAY)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 101, (TODAY, 1, "/new"): 10, (TODAY, 1, "/b"): 1000}


def test_an_endpoint_that_was_not_announced_is_counted(open_worker: Callable[..., WorkerCounters]) -> None:
    worker = open_worker(())
    worker.spend(1, "/late", 1, TODAY)
    worker.spend(1, "/later", 2, TODAY)
    assert worker.spent(1, TODAY) == 3


def test_only_changed_totals_are_written(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    assert usage_writer.write(usage_store, TODAY) == 0
    worker.spend(1, "/a", 1, TODAY)
    worker.spend(1, "/b", 2, TODAY)
    worker.spend(2000, "/b", 3, TODAY)
    assert [usage_writer.write(usage_store, TODAY), usage_writer.write(usage_store, TODAY)] == [3, 0]
    worker.spend(1, "/b", 5, TODAY)
    assert usage_writer.write(usage_store, TODAY) == 1
    assert usage_store.calls() == {(TODAY, 1, "/a"): 1, (TODAY, 1, "/b"): 7, (TODAY, 2000, "/b"): 3}


def test_a_second_usage_writer_changes_nothing(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    open_worker().spend(1, "/a", 1, TODAY)
    for _ in range(3):
        assert writer_without_delay(folder).write(usage_store, TODAY) == 1
    assert usage_store.calls() == {(TODAY, 1, "/a"): 1}


def test_a_write_that_failed_is_repeated(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    worker.spend(1, "/a", 1, YESTERDAY - DAY)
    usage_store.broken = True
    for _ in range(2):
        with pytest.raises(StoreBroken):
            usage_writer.write(usage_store, TODAY)
    assert file_names(folder) == ["2026-11-18.0.page"]
    usage_store.broken = False
    assert [usage_writer.write(usage_store, TODAY), usage_writer.write(usage_store, TODAY)] == [1, 0]
    assert usage_store.calls() == {(YESTERDAY - DAY, 1, "/a"): 1}
    assert file_names(folder) == []


def test_calls_are_written_after_the_database_was_locked(
    open_worker: Callable[..., WorkerCounters], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'usage.db'}")
    store.migrate()
    account = store.accounts.create(Account(0, "ann", "unlimited")).number
    monkeypatch.setattr("cambist.storage.sql.backends.sqlite._PRAGMAS", ("busy_timeout = 1",))
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    worker.spend(account, "/a", 1, TODAY)
    other = sqlite3.connect(tmp_path / "usage.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBroken):
        usage_writer.write(store.usage, TODAY)
    worker.spend(account, "/a", 1, TODAY)
    other.close()
    assert usage_writer.write(store.usage, TODAY) == 1
    assert store.usage.by_day(TODAY) == {account: {TODAY: 2}}
    store.close()


def test_a_file_is_removed_two_days_after_its_day(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    worker.spend(1, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    worker.spend(1, "/a", 2, TODAY)
    worker.spend(1, "/a", 10, TOMORROW)
    assert usage_writer.write(usage_store, TOMORROW) == 2
    assert (worker.spent(1, TODAY), worker.spent(1, TOMORROW)) == (3, 10)
    assert usage_writer.write(usage_store, TOMORROW + DAY) == 0
    assert (worker.spent(1, TODAY), worker.spent(1, TOMORROW)) == (3, 10)
    assert file_names(folder) == ["2026-11-21.0.page"]
    assert usage_store.calls() == {(TODAY, 1, "/a"): 3, (TOMORROW, 1, "/a"): 10}


def test_a_new_file_adds_to_the_calls_of_one_that_was_lost(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    for calls in (300, 250):
        worker = open_worker()
        worker.spend(1, "/a", calls, TODAY)
        writer_without_delay(folder).write(usage_store, TODAY)
        worker.close()
        shutil.rmtree(folder)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 550}


def test_a_file_that_is_older_than_the_database_is_removed_and_counting_continues(
    open_worker: Callable[..., WorkerCounters],
    folder: Path,
    usage_store: MemoryUsageStore,
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 200, TODAY)
    worker.close()
    older = shutil.copytree(folder, folder.with_name("copy"))
    worker = open_worker()
    worker.spend(1, "/a", 100, TODAY)
    writer_without_delay(folder).write(usage_store, TODAY)
    worker.close()
    shutil.rmtree(folder)
    shutil.move(older, folder)
    writer_without_delay(folder).recover(usage_store, TODAY)
    assert file_names(folder) == []
    assert "2026-11-20.0.page is older than the database" in caplog.text
    open_worker().spend(1, "/a", 250, TODAY)
    writer_without_delay(folder).write(usage_store, TODAY)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 550}


def test_a_file_that_is_newer_than_the_database_is_kept(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 200, TODAY)
    writer_without_delay(folder).write(usage_store, TODAY)
    worker.spend(1, "/a", 100, TODAY)
    assert writer_without_delay(folder).recover(usage_store, TODAY) == 1
    assert file_names(folder) == ["2026-11-20.0.page"]
    assert usage_store.calls() == {(TODAY, 1, "/a"): 300}


def test_a_file_of_an_older_version_is_identified_by_its_generation(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    folder.mkdir()
    for generation in (0, 1):
        create_counter_file(folder, CounterFileLayout("2026-11-20", generation, 4, ENDPOINTS))
    open_worker().spend(1, "/a", 5, TODAY)
    writer_without_delay(folder).write(usage_store, TODAY)
    assert [total.file for total in usage_store.totals(TODAY)] == [1]


def test_a_clock_that_jumps_ahead_and_back_removes_nothing_and_loses_nothing(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    seconds = [0.0]
    worker, usage_writer = open_worker(), UsageWriter(folder, removal_delay=120, clock=lambda: seconds[0])
    worker.spend(1, "/a", 300, TODAY)
    for _ in range(100):
        seconds[0] += 1
        usage_writer.write(usage_store, TODAY + 3 * DAY)
    usage_writer.write(usage_store, TODAY)
    seconds[0] += 100
    usage_writer.write(usage_store, TODAY + 3 * DAY)
    assert file_names(folder) == ["2026-11-20.0.page"]
    worker.spend(1, "/a", 250, TODAY)
    usage_writer.write(usage_store, TODAY)
    assert (worker.spent(1, TODAY), usage_store.calls()) == (550, {(TODAY, 1, "/a"): 550})


def test_a_clock_that_stays_ahead_for_long_and_is_set_back_loses_nothing(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    busy, idle, usage_writer = open_worker(), open_worker(), writer_without_delay(folder)
    busy.spend(1, "/a", 300, TODAY)
    idle.refresh()
    usage_writer.write(usage_store, TODAY + 3 * DAY)
    assert file_names(folder) == []
    assert [worker.spent(1, TODAY) for worker in (busy, idle)] == [300, 300]
    busy.spend(1, "/a", 250, TODAY)
    usage_writer.write(usage_store, TODAY)
    assert [worker.spent(1, TODAY) for worker in (busy, idle)] == [550, 550]
    assert usage_store.calls() == {(TODAY, 1, "/a"): 550}


def test_a_file_that_was_replaced_under_the_same_name_is_mapped_again(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    late, busy, usage_writer = open_worker(), open_worker(), writer_without_delay(folder)
    late.spend(1, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY + 3 * DAY)
    busy.spend(1, "/a", 10, TODAY)
    late.spend(1, "/a", 100, TODAY)
    usage_writer.write(usage_store, TODAY)
    assert late.spent(1, TODAY) == 111
    assert usage_store.calls() == {(TODAY, 1, "/a"): 111}


def test_only_accounts_with_new_calls_are_read(
    open_worker: Callable[..., WorkerCounters],
    folder: Path,
    usage_store: MemoryUsageStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker, usage_writer, read = open_worker(), writer_without_delay(folder), []
    for account in range(1, 1001):
        worker.spend(account, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    monkeypatch.setattr(
        changed_counters,
        "checked_rows",
        lambda file, accounts: read.extend(accounts.tolist()) or checked_rows(file, accounts),
    )
    usage_writer.write(usage_store, TODAY)
    assert read == []
    worker.spend(7, "/b", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    assert read == [7]
    usage_writer.write(usage_store, TOMORROW)
    assert read[1:] == list(range(1, 1001))
    usage_writer.write(usage_store, TOMORROW)
    worker.spend(8, "/b", 1, TODAY)
    usage_writer.write(usage_store, TOMORROW)
    assert read[1001:] == [8]


def test_only_accounts_that_share_a_mark_are_compared(
    open_worker: Callable[..., WorkerCounters],
    folder: Path,
    usage_store: MemoryUsageStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker, usage_writer, compared = open_worker(), writer_without_delay(folder), []
    for account in (1, 700, 9000):
        worker.spend(account, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    monkeypatch.setattr(
        changed_counters,
        "totals_of",
        lambda file, accounts: compared.append(accounts.tolist()) or totals_of(file, accounts),
    )
    usage_writer.write(usage_store, TODAY)
    worker.spend(700, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    # Those of the other blocks with this mark have no calls, and are not even read.
    assert compared == [[], list(range(640, 704))]
    assert usage_store.calls() == {(TODAY, 1, "/a"): 1, (TODAY, 700, "/a"): 2, (TODAY, 9000, "/a"): 1}


def test_a_call_whose_mark_a_killed_process_did_not_move_is_written_when_its_slot_is_used_again(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    killed, usage_writer = open_worker(), writer_without_delay(folder)
    killed.spend(1, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    marks = killed._file_set.files["2026-11-20"][0].marks()
    before = marks.tolist()
    killed.spend(1, "/a", 1, TODAY)
    for place, mark in enumerate(before):  # as if it had been killed between total and mark
        marks[place] = mark
    usage_writer.write(usage_store, TODAY)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 1}
    killed.close()
    open_worker().spend(2000, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 2, (TODAY, 2000, "/a"): 1}


def test_what_others_admitted_is_found_in_every_block(open_worker: Callable[..., WorkerCounters]) -> None:
    first, second = open_worker(), open_worker()
    for turn in range(50):
        asked = random.sample([1, 63, 64, 65, 4160, 4161, 5000], 2)
        before = {account: second.admitted(account) for account in asked}
        for account in asked:
            first.admit(account)
        found = second.newly_admitted()
        assert found.keys() >= before.keys()
        assert turn or found == before
        second.admit(asked[0])
        assert second.newly_admitted() == {}


def test_newly_admitted_accounts_are_returned_once(open_worker: Callable[..., WorkerCounters]) -> None:
    first, second = open_worker(), open_worker()
    for account in (3, 3, 5000):
        first.admit(account)
    assert second.last_admitted(3) == 0
    assert second.newly_admitted() == {3: 0, 5000: 0}
    assert second.newly_admitted() == {}
    assert second.last_admitted(3) == 2
    first.admit(3)
    assert second.newly_admitted() == {3: 2}
    assert open_worker().newly_admitted() == {}


def test_calls_in_a_row_without_their_total_are_written_after_the_day(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    worker.spend(1, "/a", 1, TODAY)
    usage_writer.write(usage_store, TODAY)
    mapped = worker._file_set.files["2026-11-20"][0]
    before = mapped.counters[mapped._first + mapped._per_account]
    worker.spend(1, "/a", 1, TODAY)
    mapped.counters[mapped._first + mapped._per_account] = before
    assert usage_writer.write(usage_store, TOMORROW) == 1
    assert usage_store.calls() == {(TODAY, 1, "/a"): 2}


def test_the_next_owner_of_a_slot_repairs_totals_that_a_killed_process_left(
    open_worker: Callable[..., WorkerCounters],
) -> None:
    killed = open_worker()
    for account, endpoint in ((1, "/a"), (1, "/b"), (2, "/b")):
        killed.spend(account, endpoint, 5, TODAY)
    mapped = killed._file_set.files["2026-11-20"][0]
    at = [mapped._first + account * mapped._per_account for account in (1, 2)]
    totals = [mapped.counters[place] for place in at]
    killed.spend(1, "/b", 7, TODAY)
    mapped.counters[at[0]] = totals[0]  # as if it had been killed between row and total
    killed.close()
    successor = open_worker()
    successor.spend(3, "/a", 1, TODAY)
    assert [successor.spent(account, TODAY) for account in (1, 2, 3)] == [17, 5, 1]
    assert mapped.row_totals(1) == [17, 5, 12, 0]


def test_the_slot_of_another_worker_is_not_repaired(open_worker: Callable[..., WorkerCounters]) -> None:
    writing, other = open_worker(), open_worker()
    writing.spend(1, "/a", 5, TODAY)
    mapped = writing._file_set.files["2026-11-20"][0]
    at = mapped._first + mapped._per_account
    between = mapped.counters[at]
    writing.spend(1, "/a", 5, TODAY)
    mapped.counters[at] = between
    other.spend(2, "/a", 1, TODAY)
    assert other.spent(1, TODAY) == 5


def test_temporary_files_of_past_days_are_removed(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    open_worker().spend(1, "/a", 1, TODAY)
    for name in (".2026-11-10.0.page.abc", ".2026-11-20.0.page.abc"):
        (folder / name).write_bytes(b"")
    writer_without_delay(folder).write(usage_store, TODAY)
    assert [path.name for path in folder.glob(".*")] == [".2026-11-20.0.page.abc"]


DAMAGES: dict[str, Callable[[Path], object]] = {
    "garbage": lambda path: path.write_bytes(bytes(range(256)) * 80),
    "a changed header": lambda path: overwrite(path, 20, b"\xff"),
    "an empty file": lambda path: path.write_bytes(b""),
    "half a header": lambda path: os.truncate(path, 100),
    "zeros": lambda path: path.write_bytes(bytes(10_000)),
}


def overwrite(path: Path, at: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(content)


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_unreadable_file_is_renamed_with_one_warning(
    open_worker: Callable[..., WorkerCounters],
    folder: Path,
    usage_store: MemoryUsageStore,
    caplog: pytest.LogCaptureFixture,
    damage: str,
) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 5, TODAY)
    writer_without_delay(folder).write(usage_store, TODAY)
    worker.close()
    del worker
    DAMAGES[damage](folder / "2026-11-20.0.page")
    again, other = open_worker(), open_worker()
    again.spend(1, "/a", 2, TODAY)
    other.spend(1, "/a", 1, TODAY)
    assert other.spent(1, TODAY) == 3
    assert file_names(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]
    writer_without_delay(folder).write(usage_store, TODAY)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 8}
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "2026-11-20.0.page" in warnings[0].getMessage()
    assert "lost" in warnings[0].getMessage()
    writer_without_delay(folder).write(usage_store, TODAY + 2 * DAY)
    assert file_names(folder) == []


def test_a_damaged_counter_affects_no_other(
    open_worker: Callable[..., WorkerCounters],
    folder: Path,
    usage_store: MemoryUsageStore,
    caplog: pytest.LogCaptureFixture,
) -> None:
    worker = open_worker()
    for account in (1, 2):
        worker.spend(account, "/a", 5, TODAY)
        worker.spend(account, "/b", 6, TODAY)
    mapped = worker._file_set.files["2026-11-20"][0]
    mapped.counters[mapped._first + mapped._per_account + mapped.slots] ^= 0xFFFF0000
    worker.close()
    again = open_worker()
    again.spend(1, "/a", 100, TODAY)
    assert (again.spent(1, TODAY), again.spent(2, TODAY)) == (111, 11)
    assert file_names(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]
    writer_without_delay(folder).write(usage_store, TODAY)
    assert usage_store.calls() == {
        (TODAY, 1, "/a"): 100,
        (TODAY, 1, "/b"): 6,
        (TODAY, 2, "/a"): 5,
        (TODAY, 2, "/b"): 6,
    }
    assert len(caplog.records) == 1


def test_a_counter_that_is_damaged_while_in_use_is_found_when_it_is_written(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    worker.spend(1, "/a", 5, TODAY)
    usage_writer.write(usage_store, TODAY)
    worker.spend(1, "/b", 6, TODAY)
    mapped = worker._file_set.files["2026-11-20"][0]
    mapped.counters[mapped._first + mapped._per_account + mapped.slots] = 0x1234567812345678
    usage_writer.write(usage_store, TODAY)
    worker.spend(1, "/a", 100, TODAY)
    usage_writer.write(usage_store, TODAY)
    assert worker.spent(1, TODAY) == 111
    assert file_names(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]
    assert usage_store.calls() == {(TODAY, 1, "/a"): 105, (TODAY, 1, "/b"): 6}


def test_the_remaining_part_of_a_truncated_file_is_kept(
    open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 5, TODAY)
    worker.spend(1000, "/a", 6, TODAY)
    os.truncate(folder / "2026-11-20.0.page", 4096 + 100 * 4 * 4 * 8)
    worker.close()
    again = open_worker()
    again.spend(1000, "/a", 70, TODAY)
    assert (again.spent(1, TODAY), again.spent(1000, TODAY)) == (5, 70)
    writer_without_delay(folder).write(usage_store, TODAY)
    assert usage_store.calls() == {(TODAY, 1, "/a"): 5, (TODAY, 1000, "/a"): 70}


def test_a_mapped_file_that_was_truncated_is_replaced_when_it_must_grow(
    open_worker: Callable[..., WorkerCounters], folder: Path
) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 5, TODAY)
    os.truncate(folder / "2026-11-20.0.page", 4096 + 100 * 4 * 4 * 8)
    worker.spend(3000, "/a", 70, TODAY)
    assert (worker.spent(1, TODAY), worker.spent(3000, TODAY)) == (5, 70)
    assert file_names(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]


def test_damaged_files_of_requests_and_keys_start_again_at_zero(
    open_worker: Callable[..., WorkerCounters], folder: Path
) -> None:
    worker = open_worker()
    worker.admit(1)
    worker.use_key(1, 1_790_000_000)
    worker.close()
    for name in ("admitted.0.page", "keys.0.page"):
        (folder / name).write_bytes(b"?" * 9000)
    again = open_worker()
    again.admit(1)
    again.use_key(1, 1_790_000_001)
    assert again.admitted(1) == 1
    assert writer_without_delay(folder).last_used() == {1: 1_790_000_001}


def test_a_full_disk_raises_an_error_and_loses_nothing(
    open_worker: Callable[..., WorkerCounters], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = open_worker()
    worker.spend(1, "/a", 1, TODAY)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(StoreBroken, match="No space left"):
            worker.spend(1, "/a", 1, TOMORROW)
        with pytest.raises(StoreBroken, match="No space left"):
            worker.spend(2000, "/a", 1, TODAY)
        worker.spend(1, "/a", 1, TODAY)
    worker.spend(1, "/a", 1, TOMORROW)
    assert (worker.spent(1, TODAY), worker.spent(1, TOMORROW)) == (2, 1)
    assert list(folder.glob(".*")) == []


def test_a_directory_that_cannot_be_created_raises_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreBroken, match="cannot be opened"):
        WorkerCounters(tmp_path / "file" / "ledger", ENDPOINTS, 1)


def test_a_worker_that_loses_the_race_to_create_a_file_uses_the_next_generation(
    open_worker: Callable[..., WorkerCounters], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = open_worker()

    def late(path: Path, layout: CounterFileLayout) -> bool:
        if layout.generation == 0:
            create_counter_file(path, CounterFileLayout(layout.stem, 0, 4, ("/z",)))
        return counter_file.create_counter_file(path, layout)

    monkeypatch.setattr(file_set, "create_counter_file", late)
    worker.spend(1, "/a", 1, TODAY)
    assert file_names(folder) == ["2026-11-20.0.page", "2026-11-20.1.page"]
    assert worker.spent(1, TODAY) == 1


SPENDS = st.tuples(
    st.integers(0, 2), st.sampled_from([1, 2, 1023, 1024, 2500]), st.sampled_from(ENDPOINTS), st.integers(1, 9)
)


class AnyOrder(RuleBasedStateMachine):
    """Workers that count, crash and restart, and a usage writer that fails at times, compared with dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(os.environ["LEDGER_TEST"]) / str(random.SystemRandom().getrandbits(64))
        self.workers: list[WorkerCounters] = [self.worker(number) for number in range(3)]
        self.usage_writer, self.usage_store = writer_without_delay(self.folder), MemoryUsageStore()
        self.today, self.admitted = TODAY, Counter[int]()
        self.model: Counter[tuple[date, int, str]] = Counter()

    def worker(self, number: int) -> WorkerCounters:
        return WorkerCounters(self.folder, ENDPOINTS[: number + 1], number + 1)

    @rule(spend=SPENDS)
    def spend(self, spend: tuple[int, int, str, int]) -> None:
        number, account, endpoint, calls = spend
        self.workers[number].spend(account, endpoint, calls, self.today)
        self.workers[number].admit(account)
        self.model[self.today, account, endpoint] += calls
        self.admitted[account] += 1

    @rule(number=st.integers(0, 2))
    def crash(self, number: int) -> None:
        self.workers[number].close()
        self.workers[number] = self.worker(number)

    @rule(broken=st.booleans())
    def write(self, broken: bool) -> None:  # noqa: FBT001  drawn by name
        self.usage_store.broken = broken
        try:
            self.usage_writer.write(self.usage_store, self.today)
        except StoreBroken:
            return
        assert self.usage_store.calls() == self.model

    @rule()
    def replace_usage_writer(self) -> None:
        self.usage_writer = writer_without_delay(self.folder)

    @precondition(lambda self: self.today < TODAY + 4 * DAY)
    @rule()
    def midnight(self) -> None:
        self.today += DAY

    @invariant()
    def every_worker_sees_all_calls(self) -> None:
        for account in (1, 2500):
            for day in (self.today, self.today - DAY):
                spent = sum(self.model[day, account, endpoint] for endpoint in ENDPOINTS)
                assert [worker.spent(account, day) for worker in self.workers] == [spent] * 3
            assert {worker.admitted(account) for worker in self.workers} == {self.admitted[account]}

    def teardown(self) -> None:
        for worker in self.workers:
            worker.close()


AnyOrder.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@pytest.mark.long
def test_calls_add_up_after_any_order_of_counting_writing_crashing_and_midnight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_TEST", str(tmp_path))
    AnyOrder.TestCase("runTest").runTest()


CHILD = """
import mmap, sys, threading
from datetime import date
from pathlib import Path
from cambist.storage.shared.usage.worker_counters import WorkerCounters

folder, report, first, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
worker = WorkerCounters(Path(folder), [f"/{number}" for number in range(12)], 8)
with open(report, "r+b") as file:
    done = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
days = [date(2026, 11, 20), date(2026, 11, 21)]

def work(thread):
    for number in range(calls):
        worker.spend(1 + number % 3 * 700, f"/{number % 12}", 1, days[number * 2 // calls])
        worker.admit(1)
        done[thread] = number + 1

threads = [threading.Thread(target=work, args=(first + number,)) for number in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


class Children:
    """Processes with two threads each that count calls, and report after each call how many there were."""

    def __init__(self, folder: Path, report: Path) -> None:
        self._folder, self._report = folder, report
        report.write_bytes(bytes(64 * 8))
        with report.open("r+b") as file:
            self.done = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, calls: int) -> subprocess.Popen[bytes]:
        first = 2 * len(self.started)
        arguments = [sys.executable, "-c", CHILD, str(self._folder), str(self._report), str(first), str(calls)]
        self.started.append(subprocess.Popen(arguments))
        return self.started[-1]

    def end(self) -> None:
        for child in self.started:
            child.kill()
            child.wait()


@pytest.fixture
def children(folder: Path, tmp_path: Path) -> Iterator[Children]:
    children = Children(folder, tmp_path / "report")
    yield children
    children.end()


def both_days(worker: WorkerCounters) -> int:
    return sum(worker.spent(account, day) for account in (1, 701, 1401) for day in (TODAY, TOMORROW))


@pytest.mark.long(every=3)
@pytest.mark.parametrize("due", [1, 777, 4444, 13_131])
def test_of_four_processes_a_killed_one_loses_at_most_its_last_call(
    children: Children,
    open_worker: Callable[..., WorkerCounters],
    folder: Path,
    usage_store: MemoryUsageStore,
    due: int,
) -> None:
    worker, usage_writer = open_worker(), writer_without_delay(folder)
    victim, *others = (children.start(20_000) for _ in range(4))
    while children.done[0] < due:
        usage_writer.write(usage_store, TOMORROW)
    victim.kill()
    victim.wait()
    successor = children.start(5_000)
    assert [child.wait(60) for child in (*others, successor)] == [0] * 4
    reported = sum(children.done)
    assert list(children.done[2:10]) == [20_000] * 6 + [5_000] * 2
    assert 0 <= both_days(worker) - reported <= 2
    assert 0 <= worker.admitted(1) - reported <= 2
    usage_writer.write(usage_store, TOMORROW)
    assert 0 <= sum(usage_store.calls().values()) - reported <= 2
    fresh = MemoryUsageStore()
    writer_without_delay(folder).write(fresh, TOMORROW)
    assert fresh.calls() == usage_store.calls()
    assert len(list(folder.glob("column-*"))) <= 9


def test_counts_survive_the_end_of_all_processes(
    children: Children, open_worker: Callable[..., WorkerCounters], folder: Path, usage_store: MemoryUsageStore
) -> None:
    for _ in range(4):
        children.start(1_000_000)
    while min(children.done[:8]) < 2000:
        time.sleep(0.01)
    children.end()
    reported = sum(children.done)
    worker = open_worker()
    assert 0 <= both_days(worker) - reported <= 8
    writer_without_delay(folder).write(usage_store, TOMORROW)
    assert 0 <= sum(usage_store.calls().values()) - reported <= 8
    worker.spend(1, "/0", 1, TODAY)
    assert [path.name for path in folder.glob("column-0.lock")] == ["column-0.lock"]
    assert len(list(folder.glob("column-*"))) == 8


# Reserved space


def test_with_reserved_space_workers_can_count_on_a_full_disk(
    open_worker: Callable[..., WorkerCounters], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need = RequiredSpace(ENDPOINTS, 4, 3000, 5000)
    writer_without_delay(folder).reserve_space(need, YESTERDAY)
    before = open_worker()
    before.spend(3000, "/c", 1, YESTERDAY)
    before.admit(3000)
    before.use_key(5000, 1_790_000_000)
    writer_without_delay(folder).reserve_space(need, TODAY)

    allocate = os.posix_fallocate

    def full(file: int = -1, start: int = 0, length: int = 0, **__: object) -> None:
        blocks = 0 if file < 0 else os.fstat(file).st_blocks
        if file < 0 or allocate(file, start, length) or os.fstat(file).st_blocks > blocks:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    monkeypatch.setattr(file_set, "create_counter_file", lambda *_: full())
    opened = os.open
    monkeypatch.setattr(os, "open", lambda path, flags, *mode: opened(path, flags & ~os.O_CREAT, *mode))
    worker = open_worker()
    for account, day in itertools.product((3, 3000), (TODAY, TOMORROW)):
        worker.spend(account, "/c", 7, day)
        assert worker.spent(account, day) == 7
    worker.admit(3000)
    worker.use_key(5000, 1_790_000_001)
    assert worker.admitted(3000) == 2
    with pytest.raises(StoreBroken, match="No space for the usage counters of account 2500: No space left on device"):
        worker.spend(2500, "/c", 1, TODAY)  # it has never called: the meter counts it in memory
    assert worker.spent(2500, TODAY) == 0


def test_space_that_is_reserved_is_not_checked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage_writer, asked = writer_without_delay(folder), []
    need = RequiredSpace(ENDPOINTS, 4, 3, 5)
    usage_writer.reserve_space(need, TODAY)
    file_for = file_set.CounterFileSet.file_for
    monkeypatch.setattr(
        file_set.CounterFileSet, "file_for", lambda one, stem, *more: asked.append(stem) or file_for(one, stem, *more)
    )
    usage_writer.reserve_space(need, TODAY)
    assert asked == []
    usage_writer.reserve_space(need, TOMORROW)
    assert asked == ["keys", "admitted", "2026-11-21", "2026-11-22"]


def test_the_error_without_disk_space_names_the_directory_and_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage_writer = writer_without_delay(folder)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    for _ in range(2):
        with pytest.raises(StoreBroken) as broken:
            usage_writer.reserve_space(RequiredSpace(ENDPOINTS, 4, 3, 5), TODAY)
        assert str(broken.value) == (
            f"The usage counters in {folder} cannot be written: No space left on device; free some space on its disk"
        )

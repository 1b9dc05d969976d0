from __future__ import annotations

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
from cambist.accounts.usage_counters import CounterTotal, DayCounters, UsageCounters, UsageRow, UsageStore
from cambist.errors import StoreBroken
from cambist.storage.shared.usage import counter_file, file_set
from cambist.storage.shared.usage.counter_file import create_counter_file
from cambist.storage.shared.usage.layout import CounterFileLayout
from cambist.storage.shared.usage.space import Need
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.sql import SqlStore

TODAY = date(2026, 11, 20)
DAY = timedelta(days=1)
YESTERDAY, TOMORROW = TODAY - DAY, TODAY + DAY
ENDPOINTS = ("/a", "/b", "/c")


class MemoryBook:
    """A book that keeps totals as the protocol says, and how often it was given any."""

    def __init__(self) -> None:
        self._totals: dict[tuple[date, int, int, str], int] = {}
        self.folds: list[int] = []
        self.broken = False

    def fold(self, totals: Iterable[CounterTotal]) -> None:
        given = list(totals)
        if self.broken:
            raise StoreBroken("The database is locked")
        for total in given:
            key = (total.day, total.page, total.account, total.endpoint)
            self._totals[key] = max(total.calls, self._totals.get(key, 0))
        self.folds.append(len(given))

    def by_day(self, since: date, without: Collection[DayCounters] = ()) -> Mapping[int, Mapping[date, int]]:
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
def make(folder: Path) -> Iterator[Callable[..., WorkerCounters]]:
    """Make workers' ledgers that are closed in the end."""
    made: list[WorkerCounters] = []

    def make(endpoints: Iterable[str] = ENDPOINTS, columns: int = 4) -> WorkerCounters:
        made.append(WorkerCounters(folder, endpoints, columns))
        return made[-1]

    yield make
    for ledger in made:
        ledger.close()


@pytest.fixture
def book() -> MemoryBook:
    return MemoryBook()


def at_once(folder: Path) -> UsageWriter:
    """Make a keeper that removes pages as soon as it may."""
    return UsageWriter(folder, patience=0)


def pages(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".page" in path.name)


def test_a_worker_is_a_ledger_and_the_database_is_a_book(make: Callable[..., WorkerCounters], tmp_path: Path) -> None:
    ledger: UsageCounters = make()
    book: UsageStore = SqlStore(f"sqlite:///{tmp_path / 'a.db'}").usage
    assert ledger.spent(1, TODAY) == 0
    assert book


def test_an_unused_ledger_makes_no_pages(make: Callable[..., WorkerCounters], folder: Path) -> None:
    ledger = make()
    assert (ledger.spent(1, TODAY), ledger.admitted(1)) == (0, 0)
    assert pages(folder) == []


def test_calls_are_counted_by_account_and_day(make: Callable[..., WorkerCounters]) -> None:
    ledger = make()
    ledger.spend(1, "/a", 3, TODAY)
    ledger.spend(1, "/b", 4, TODAY)
    ledger.spend(2, "/a", 50, TODAY)
    ledger.spend(1, "/a", 600, TOMORROW)
    assert [ledger.spent(1, TODAY), ledger.spent(2, TODAY), ledger.spent(1, TOMORROW)] == [7, 50, 600]
    assert ledger.spent(1, YESTERDAY) == 0


def test_every_worker_sees_what_the_others_spent(make: Callable[..., WorkerCounters]) -> None:
    first, second = make(), make()
    first.spend(1, "/a", 3, TODAY)
    second.spend(1, "/a", 4, TODAY)
    first.spend(1, "/a", 5, TODAY)
    assert first.spent(1, TODAY) == second.spent(1, TODAY) == 12


def test_accounts_below_nothing_are_refused(make: Callable[..., WorkerCounters]) -> None:
    with pytest.raises(ValueError, match="-1"):
        make().spend(-1, "/a", 1, TODAY)


def test_admitted_requests_are_counted_over_all_workers_and_days(make: Callable[..., WorkerCounters]) -> None:
    first, second = make(), make()
    for _ in range(3):
        first.admit(1)
        second.admit(1)
    second.admit(2000)
    assert (first.admitted(1), first.admitted(2000), second.admitted(3)) == (6, 1, 0)


def test_a_key_is_used_last_when_the_latest_worker_says(make: Callable[..., WorkerCounters], folder: Path) -> None:
    first, second = make(), make()
    first.use_key(7, 1_790_000_005)
    second.use_key(7, 1_790_000_003)
    second.use_key(3000, 1_790_000_000)
    keeper = at_once(folder)
    assert keeper.last_used() == {7: 1_790_000_005, 3000: 1_790_000_000}
    second.use_key(7, 1_790_000_009)
    assert keeper.last_used()[7] == 1_790_000_009


def test_the_count_goes_on_after_a_restart(make: Callable[..., WorkerCounters], folder: Path) -> None:
    for _ in range(3):
        ledger = make()
        ledger.spend(1, "/a", 2, TODAY)
        ledger.admit(1)
        ledger.close()
    assert (make().spent(1, TODAY), make().admitted(1)) == (6, 3)
    assert [path.name for path in folder.glob("column-*")] == ["column-0.lock"]


def test_an_account_that_came_late_is_seen_by_the_others(make: Callable[..., WorkerCounters]) -> None:
    first, second = make(), make()
    first.spend(1, "/a", 1, TODAY)
    assert second.spent(5000, TODAY) == 0
    first.spend(5000, "/a", 2, TODAY)
    assert second.spent(5000, TODAY) == 2
    second.spend(5000, "/a", 3, TODAY)
    assert first.spent(5000, TODAY) == 5


def test_more_threads_than_columns_get_a_wider_page(make: Callable[..., WorkerCounters], folder: Path) -> None:
    ledger, barrier = make(columns=2), threading.Barrier(7)

    def work() -> None:
        ledger.spend(1, "/a", 1, TODAY)
        ledger.admit(1)
        barrier.wait()
        for _ in range(500):
            ledger.spend(1, "/a", 1, TODAY)
            ledger.admit(1)
        barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ledger.spent(1, TODAY), ledger.admitted(1)) == (7 * 501, 7 * 501)
    assert len(list(folder.glob("column-*"))) == 7


def test_a_thread_that_ended_leaves_its_column_to_the_next(make: Callable[..., WorkerCounters], folder: Path) -> None:
    ledger = make()
    for _ in range(10):
        thread = threading.Thread(target=ledger.spend, args=(1, "/a", 1, TODAY))
        thread.start()
        thread.join()
    assert ledger.spent(1, TODAY) == 10
    assert len(list(folder.glob("column-*"))) == 1


def test_a_worker_with_other_endpoints_starts_the_next_generation_for_all(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    old = make(("/a", "/b"))
    old.spend(1, "/a", 1, TODAY)
    new = make(("/b", "/new"))
    new.spend(1, "/new", 10, TODAY)
    old.spend(1, "/a", 100, TODAY)
    new.spend(1, "/b", 1000, TODAY)
    assert old.spent(1, TODAY) == new.spent(1, TODAY) == 1111
    assert pages(folder) == ["2026-11-20.0.page", "2026-11-20.1.page"]
    at_once(folder).fold(book, TODAY)
    assert book.calls() == {(TODAY, 1, "/a"): 101, (TODAY, 1, "/new"): 10, (TODAY, 1, "/b"): 1000}


def test_an_endpoint_that_nobody_announced_is_counted(make: Callable[..., WorkerCounters]) -> None:
    ledger = make(())
    ledger.spend(1, "/late", 1, TODAY)
    ledger.spend(1, "/later", 2, TODAY)
    assert ledger.spent(1, TODAY) == 3


def test_fold_gives_each_total_once(make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook) -> None:
    ledger, keeper = make(), at_once(folder)
    assert keeper.fold(book, TODAY) == 0
    ledger.spend(1, "/a", 1, TODAY)
    ledger.spend(1, "/b", 2, TODAY)
    ledger.spend(2000, "/b", 3, TODAY)
    assert [keeper.fold(book, TODAY), keeper.fold(book, TODAY)] == [3, 0]
    ledger.spend(1, "/b", 5, TODAY)
    assert keeper.fold(book, TODAY) == 1
    assert book.calls() == {(TODAY, 1, "/a"): 1, (TODAY, 1, "/b"): 7, (TODAY, 2000, "/b"): 3}


def test_another_keeper_changes_nothing(make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook) -> None:
    make().spend(1, "/a", 1, TODAY)
    for _ in range(3):
        assert at_once(folder).fold(book, TODAY) == 1
    assert book.calls() == {(TODAY, 1, "/a"): 1}


def test_a_fold_that_failed_is_made_up_for(make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook) -> None:
    ledger, keeper = make(), at_once(folder)
    ledger.spend(1, "/a", 1, YESTERDAY - DAY)
    book.broken = True
    for _ in range(2):
        with pytest.raises(StoreBroken):
            keeper.fold(book, TODAY)
    assert pages(folder) == ["2026-11-18.0.page"]
    book.broken = False
    assert [keeper.fold(book, TODAY), keeper.fold(book, TODAY)] == [1, 0]
    assert book.calls() == {(YESTERDAY - DAY, 1, "/a"): 1}
    assert pages(folder) == []


def test_a_locked_database_is_caught_up_with(
    make: Callable[..., WorkerCounters], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqlStore(f"sqlite:///{tmp_path / 'usage.db'}")
    store.migrate()
    account = store.accounts.create(Account(0, "ann", "unlimited")).number
    monkeypatch.setattr("cambist.storage.sql.engine._PRAGMAS", ("busy_timeout = 1",))
    ledger, keeper = make(), at_once(folder)
    ledger.spend(account, "/a", 1, TODAY)
    other = sqlite3.connect(tmp_path / "usage.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBroken):
        keeper.fold(store.usage, TODAY)
    ledger.spend(account, "/a", 1, TODAY)
    other.close()
    assert keeper.fold(store.usage, TODAY) == 1
    assert store.usage.by_day(TODAY) == {account: {TODAY: 2}}
    store.close()


def test_yesterday_is_folded_and_stays_and_goes_the_day_after(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    ledger, keeper = make(), at_once(folder)
    ledger.spend(1, "/a", 1, TODAY)
    keeper.fold(book, TODAY)
    ledger.spend(1, "/a", 2, TODAY)
    ledger.spend(1, "/a", 10, TOMORROW)
    assert keeper.fold(book, TOMORROW) == 2
    assert (ledger.spent(1, TODAY), ledger.spent(1, TOMORROW)) == (3, 10)
    assert keeper.fold(book, TOMORROW + DAY) == 0
    assert (ledger.spent(1, TODAY), ledger.spent(1, TOMORROW)) == (3, 10)
    assert pages(folder) == ["2026-11-21.0.page"]
    assert book.calls() == {(TODAY, 1, "/a"): 3, (TOMORROW, 1, "/a"): 10}


def test_a_page_made_anew_adds_to_what_the_lost_one_had_counted(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    for calls in (300, 250):
        ledger = make()
        ledger.spend(1, "/a", calls, TODAY)
        at_once(folder).fold(book, TODAY)
        ledger.close()
        shutil.rmtree(folder)
    assert book.calls() == {(TODAY, 1, "/a"): 550}


def test_a_page_that_is_behind_the_book_is_given_up_and_counting_goes_on_beside_it(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = make()
    ledger.spend(1, "/a", 200, TODAY)
    ledger.close()
    older = shutil.copytree(folder, folder.with_name("copy"))
    ledger = make()
    ledger.spend(1, "/a", 100, TODAY)
    at_once(folder).fold(book, TODAY)
    ledger.close()
    shutil.rmtree(folder)
    shutil.move(older, folder)
    at_once(folder).recover(book, TODAY)
    assert pages(folder) == []
    assert "2026-11-20.0.page is older than the database" in caplog.text
    make().spend(1, "/a", 250, TODAY)
    at_once(folder).fold(book, TODAY)
    assert book.calls() == {(TODAY, 1, "/a"): 550}


def test_a_page_that_is_ahead_of_the_book_is_kept(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    ledger = make()
    ledger.spend(1, "/a", 200, TODAY)
    at_once(folder).fold(book, TODAY)
    ledger.spend(1, "/a", 100, TODAY)
    assert at_once(folder).recover(book, TODAY) == 1
    assert pages(folder) == ["2026-11-20.0.page"]
    assert book.calls() == {(TODAY, 1, "/a"): 300}


def test_a_page_of_before_there_were_incarnations_is_still_known_by_its_generation(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    folder.mkdir()
    for generation in (0, 1):
        create_counter_file(folder, CounterFileLayout("2026-11-20", generation, 4, ENDPOINTS))
    make().spend(1, "/a", 5, TODAY)
    at_once(folder).fold(book, TODAY)
    assert [total.page for total in book.totals(TODAY)] == [1]


def test_a_clock_that_jumps_ahead_and_back_removes_nothing_and_loses_nothing(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    seconds = [0.0]
    ledger, keeper = make(), UsageWriter(folder, patience=120, clock=lambda: seconds[0])
    ledger.spend(1, "/a", 300, TODAY)
    for _ in range(100):
        seconds[0] += 1
        keeper.fold(book, TODAY + 3 * DAY)
    keeper.fold(book, TODAY)
    seconds[0] += 100
    keeper.fold(book, TODAY + 3 * DAY)
    assert pages(folder) == ["2026-11-20.0.page"]
    ledger.spend(1, "/a", 250, TODAY)
    keeper.fold(book, TODAY)
    assert (ledger.spent(1, TODAY), book.calls()) == (550, {(TODAY, 1, "/a"): 550})


def test_a_clock_that_stays_ahead_for_long_and_is_set_back_loses_nothing(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    busy, idle, keeper = make(), make(), at_once(folder)
    busy.spend(1, "/a", 300, TODAY)
    idle.refresh()
    keeper.fold(book, TODAY + 3 * DAY)
    assert pages(folder) == []
    assert [ledger.spent(1, TODAY) for ledger in (busy, idle)] == [300, 300]
    busy.spend(1, "/a", 250, TODAY)
    keeper.fold(book, TODAY)
    assert [ledger.spent(1, TODAY) for ledger in (busy, idle)] == [550, 550]
    assert book.calls() == {(TODAY, 1, "/a"): 550}


def test_a_page_that_was_replaced_by_another_of_its_name_is_noticed(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    late, busy, keeper = make(), make(), at_once(folder)
    late.spend(1, "/a", 1, TODAY)
    keeper.fold(book, TODAY + 3 * DAY)
    busy.spend(1, "/a", 10, TODAY)
    late.spend(1, "/a", 100, TODAY)
    keeper.fold(book, TODAY)
    assert late.spent(1, TODAY) == 111
    assert book.calls() == {(TODAY, 1, "/a"): 111}


def test_a_fold_reads_only_the_accounts_that_were_active(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, keeper, read = make(), at_once(folder), []
    for account in range(1, 1001):
        ledger.spend(account, "/a", 1, TODAY)
    keeper.fold(book, TODAY)
    checked = counter_file.CounterFile.checked
    monkeypatch.setattr(
        counter_file.CounterFile, "checked", lambda one, account: read.append(account) or checked(one, account)
    )
    keeper.fold(book, TODAY)
    assert read == []
    ledger.spend(7, "/b", 1, TODAY)
    keeper.fold(book, TODAY)
    assert read == [7]
    keeper.fold(book, TOMORROW)
    assert read[1:] == list(range(1, 1001))
    keeper.fold(book, TOMORROW)
    ledger.spend(8, "/b", 1, TODAY)
    keeper.fold(book, TOMORROW)
    assert read[1001:] == [8]


def test_the_accounts_that_the_others_let_in_are_told_once(make: Callable[..., WorkerCounters]) -> None:
    first, second = make(), make()
    for account in (3, 3, 5000):
        first.admit(account)
    assert second.last_admitted(3) == 0
    assert second.newly_admitted() == {3: 0, 5000: 0}
    assert second.newly_admitted() == {}
    assert second.last_admitted(3) == 2
    first.admit(3)
    assert second.newly_admitted() == {3: 2}
    assert make().newly_admitted() == {}


def test_a_row_whose_total_was_never_written_is_folded_in_the_end(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    ledger, keeper = make(), at_once(folder)
    ledger.spend(1, "/a", 1, TODAY)
    keeper.fold(book, TODAY)
    mapped = ledger._file_set.pages["2026-11-20"][0]
    before = mapped.cells[mapped._first + mapped._of_account]
    ledger.spend(1, "/a", 1, TODAY)
    mapped.cells[mapped._first + mapped._of_account] = before
    assert keeper.fold(book, TOMORROW) == 1
    assert book.calls() == {(TODAY, 1, "/a"): 2}


def test_whoever_takes_over_a_column_sets_right_what_was_half_written_in_it(
    make: Callable[..., WorkerCounters],
) -> None:
    killed = make()
    for account, endpoint in ((1, "/a"), (1, "/b"), (2, "/b")):
        killed.spend(account, endpoint, 5, TODAY)
    mapped = killed._file_set.pages["2026-11-20"][0]
    at = [mapped._first + account * mapped._of_account for account in (1, 2)]
    totals = [mapped.cells[place] for place in at]
    killed.spend(1, "/b", 7, TODAY)
    mapped.cells[at[0]] = totals[0]  # as if it had been killed between row and total
    killed.close()
    successor = make()
    successor.spend(3, "/a", 1, TODAY)
    assert [successor.spent(account, TODAY) for account in (1, 2, 3)] == [17, 5, 1]
    assert mapped.row_totals(1) == [17, 5, 12, 0]


def test_a_column_that_is_another_s_is_not_touched(make: Callable[..., WorkerCounters]) -> None:
    writing, other = make(), make()
    writing.spend(1, "/a", 5, TODAY)
    mapped = writing._file_set.pages["2026-11-20"][0]
    at = mapped._first + mapped._of_account
    between = mapped.cells[at]
    writing.spend(1, "/a", 5, TODAY)
    mapped.cells[at] = between
    other.spend(2, "/a", 1, TODAY)
    assert other.spent(1, TODAY) == 5


def test_what_a_killed_creation_left_is_swept_up(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    make().spend(1, "/a", 1, TODAY)
    for name in (".2026-11-10.0.page.abc", ".2026-11-20.0.page.abc"):
        (folder / name).write_bytes(b"")
    at_once(folder).fold(book, TODAY)
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
def test_a_page_of_which_nothing_can_be_read_is_set_aside_with_one_warning(
    make: Callable[..., WorkerCounters],
    folder: Path,
    book: MemoryBook,
    caplog: pytest.LogCaptureFixture,
    damage: str,
) -> None:
    ledger = make()
    ledger.spend(1, "/a", 5, TODAY)
    at_once(folder).fold(book, TODAY)
    ledger.close()
    del ledger
    DAMAGES[damage](folder / "2026-11-20.0.page")
    again, other = make(), make()
    again.spend(1, "/a", 2, TODAY)
    other.spend(1, "/a", 1, TODAY)
    assert other.spent(1, TODAY) == 3
    assert pages(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]
    at_once(folder).fold(book, TODAY)
    assert book.calls() == {(TODAY, 1, "/a"): 8}
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "2026-11-20.0.page" in warnings[0].getMessage()
    assert "lost" in warnings[0].getMessage()
    at_once(folder).fold(book, TODAY + 2 * DAY)
    assert pages(folder) == []


def test_a_broken_cell_costs_no_other(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = make()
    for account in (1, 2):
        ledger.spend(account, "/a", 5, TODAY)
        ledger.spend(account, "/b", 6, TODAY)
    mapped = ledger._file_set.pages["2026-11-20"][0]
    mapped.cells[mapped._first + mapped._of_account + mapped.columns] ^= 0xFFFF0000
    ledger.close()
    again = make()
    again.spend(1, "/a", 100, TODAY)
    assert (again.spent(1, TODAY), again.spent(2, TODAY)) == (111, 11)
    assert pages(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]
    at_once(folder).fold(book, TODAY)
    assert book.calls() == {
        (TODAY, 1, "/a"): 100,
        (TODAY, 1, "/b"): 6,
        (TODAY, 2, "/a"): 5,
        (TODAY, 2, "/b"): 6,
    }
    assert len(caplog.records) == 1


def test_a_cell_that_breaks_under_way_is_found_by_the_fold_and_left_by_the_workers(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    ledger, keeper = make(), at_once(folder)
    ledger.spend(1, "/a", 5, TODAY)
    keeper.fold(book, TODAY)
    ledger.spend(1, "/b", 6, TODAY)
    mapped = ledger._file_set.pages["2026-11-20"][0]
    mapped.cells[mapped._first + mapped._of_account + mapped.columns] = 0x1234567812345678
    keeper.fold(book, TODAY)
    ledger.spend(1, "/a", 100, TODAY)
    keeper.fold(book, TODAY)
    assert ledger.spent(1, TODAY) == 111
    assert pages(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]
    assert book.calls() == {(TODAY, 1, "/a"): 105, (TODAY, 1, "/b"): 6}


def test_of_a_page_that_is_cut_off_the_beginning_is_kept(
    make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    ledger = make()
    ledger.spend(1, "/a", 5, TODAY)
    ledger.spend(1000, "/a", 6, TODAY)
    os.truncate(folder / "2026-11-20.0.page", 4096 + 100 * 4 * 4 * 8)
    ledger.close()
    again = make()
    again.spend(1000, "/a", 70, TODAY)
    assert (again.spent(1, TODAY), again.spent(1000, TODAY)) == (5, 70)
    at_once(folder).fold(book, TODAY)
    assert book.calls() == {(TODAY, 1, "/a"): 5, (TODAY, 1000, "/a"): 70}


def test_a_page_that_was_cut_off_while_it_is_mapped_is_left_when_it_must_grow(
    make: Callable[..., WorkerCounters], folder: Path
) -> None:
    ledger = make()
    ledger.spend(1, "/a", 5, TODAY)
    os.truncate(folder / "2026-11-20.0.page", 4096 + 100 * 4 * 4 * 8)
    ledger.spend(3000, "/a", 70, TODAY)
    assert (ledger.spent(1, TODAY), ledger.spent(3000, TODAY)) == (5, 70)
    assert pages(folder) == ["2026-11-20.0.page.damaged", "2026-11-20.1.page"]


def test_damaged_counters_start_anew(make: Callable[..., WorkerCounters], folder: Path) -> None:
    ledger = make()
    ledger.admit(1)
    ledger.use_key(1, 1_790_000_000)
    ledger.close()
    for name in ("admitted.0.page", "keys.0.page"):
        (folder / name).write_bytes(b"?" * 9000)
    again = make()
    again.admit(1)
    again.use_key(1, 1_790_000_001)
    assert again.admitted(1) == 1
    assert at_once(folder).last_used() == {1: 1_790_000_001}


def test_a_full_disk_is_said_and_loses_nothing(
    make: Callable[..., WorkerCounters], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = make()
    ledger.spend(1, "/a", 1, TODAY)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(StoreBroken, match="No space left"):
            ledger.spend(1, "/a", 1, TOMORROW)
        with pytest.raises(StoreBroken, match="No space left"):
            ledger.spend(2000, "/a", 1, TODAY)
        ledger.spend(1, "/a", 1, TODAY)
    ledger.spend(1, "/a", 1, TOMORROW)
    assert (ledger.spent(1, TODAY), ledger.spent(1, TOMORROW)) == (2, 1)
    assert list(folder.glob(".*")) == []


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreBroken, match="cannot be opened"):
        WorkerCounters(tmp_path / "file" / "ledger", ENDPOINTS, 1)


def test_who_comes_second_to_create_takes_the_other_page(
    make: Callable[..., WorkerCounters], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = make()

    def late(path: Path, layout: CounterFileLayout) -> bool:
        if layout.generation == 0:
            create_counter_file(path, CounterFileLayout(layout.stem, 0, 4, ("/z",)))
        return counter_file.create_counter_file(path, layout)

    monkeypatch.setattr(file_set, "create_counter_file", late)
    ledger.spend(1, "/a", 1, TODAY)
    assert pages(folder) == ["2026-11-20.0.page", "2026-11-20.1.page"]
    assert ledger.spent(1, TODAY) == 1


SPENDS = st.tuples(
    st.integers(0, 2), st.sampled_from([1, 2, 1023, 1024, 2500]), st.sampled_from(ENDPOINTS), st.integers(1, 9)
)


class AnyOrder(RuleBasedStateMachine):
    """Workers that spend, die and come back, keepers that fold or fail to, days that pass: against plain dicts."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(os.environ["LEDGER_TEST"]) / str(random.SystemRandom().getrandbits(64))
        self.workers: list[WorkerCounters] = [self.worker(number) for number in range(3)]
        self.keeper, self.book = at_once(self.folder), MemoryBook()
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
    def fold(self, broken: bool) -> None:  # noqa: FBT001  drawn by name
        self.book.broken = broken
        try:
            self.keeper.fold(self.book, self.today)
        except StoreBroken:
            return
        assert self.book.calls() == self.model

    @rule()
    def replace_keeper(self) -> None:
        self.keeper = at_once(self.folder)

    @precondition(lambda self: self.today < TODAY + 4 * DAY)
    @rule()
    def midnight(self) -> None:
        self.today += DAY

    @invariant()
    def every_worker_knows_all(self) -> None:
        for account in (1, 2500):
            for day in (self.today, self.today - DAY):
                spent = sum(self.model[day, account, endpoint] for endpoint in ENDPOINTS)
                assert [ledger.spent(account, day) for ledger in self.workers] == [spent] * 3
            assert {ledger.admitted(account) for ledger in self.workers} == {self.admitted[account]}

    def teardown(self) -> None:
        for ledger in self.workers:
            ledger.close()


AnyOrder.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_any_order_of_spends_folds_crashes_and_days_adds_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_TEST", str(tmp_path))
    AnyOrder.TestCase("runTest").runTest()


CHILD = """
import mmap, sys, threading
from datetime import date
from pathlib import Path
from cambist.storage.shared.usage.worker_counters import WorkerCounters

folder, report, first, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ledger = WorkerCounters(Path(folder), [f"/{number}" for number in range(12)], 8)
with open(report, "r+b") as file:
    done = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
days = [date(2026, 11, 20), date(2026, 11, 21)]

def work(thread):
    for number in range(calls):
        ledger.spend(1 + number % 3 * 700, f"/{number % 12}", 1, days[number * 2 // calls])
        ledger.admit(1)
        done[thread] = number + 1

threads = [threading.Thread(target=work, args=(first + number,)) for number in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


class Children:
    """Processes of two threads each that count, and report after each call how many they have made."""

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


def both_days(ledger: WorkerCounters) -> int:
    return sum(ledger.spent(account, day) for account in (1, 701, 1401) for day in (TODAY, TOMORROW))


@pytest.mark.parametrize("due", [1, 777, 4444, 13_131])
def test_four_processes_of_two_threads_lose_nothing_though_one_is_killed(
    children: Children, make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook, due: int
) -> None:
    ledger, keeper = make(), at_once(folder)
    victim, *others = (children.start(20_000) for _ in range(4))
    while children.done[0] < due:
        keeper.fold(book, TOMORROW)
    victim.kill()
    victim.wait()
    heir = children.start(5_000)
    assert [child.wait(60) for child in (*others, heir)] == [0] * 4
    reported = sum(children.done)
    assert list(children.done[2:10]) == [20_000] * 6 + [5_000] * 2
    assert 0 <= both_days(ledger) - reported <= 2
    assert 0 <= ledger.admitted(1) - reported <= 2
    keeper.fold(book, TOMORROW)
    assert 0 <= sum(book.calls().values()) - reported <= 2
    fresh = MemoryBook()
    at_once(folder).fold(fresh, TOMORROW)
    assert fresh.calls() == book.calls()
    assert len(list(folder.glob("column-*"))) <= 9


def test_what_was_counted_survives_the_end_of_every_process(
    children: Children, make: Callable[..., WorkerCounters], folder: Path, book: MemoryBook
) -> None:
    for _ in range(4):
        children.start(1_000_000)
    while min(children.done[:8]) < 2000:
        time.sleep(0.01)
    children.end()
    reported = sum(children.done)
    ledger = make()
    assert 0 <= both_days(ledger) - reported <= 8
    at_once(folder).fold(book, TOMORROW)
    assert 0 <= sum(book.calls().values()) - reported <= 8
    ledger.spend(1, "/0", 1, TODAY)
    assert [path.name for path in folder.glob("column-0.lock")] == ["column-0.lock"]
    assert len(list(folder.glob("column-*"))) == 8


# Room


def test_room_is_made_for_today_and_tomorrow_so_that_a_full_disk_is_not_noticed(
    make: Callable[..., WorkerCounters], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once(folder).make_room(Need(ENDPOINTS, 4, 3000, 5000), TODAY)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    monkeypatch.setattr(file_set, "create_counter_file", full)
    opened = os.open
    monkeypatch.setattr(os, "open", lambda path, flags, *mode: opened(path, flags & ~os.O_CREAT, *mode))
    ledger = make()
    for day in (TODAY, TOMORROW):
        ledger.spend(3000, "/c", 7, day)
    ledger.admit(3000)
    ledger.use_key(5000, 1_790_000_000)
    assert [ledger.spent(3000, TODAY), ledger.spent(3000, TOMORROW), ledger.admitted(3000)] == [7, 7, 1]


def test_room_that_is_there_is_not_looked_at_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, asked = at_once(folder), []
    need = Need(ENDPOINTS, 4, 3, 5)
    keeper.make_room(need, TODAY)
    fitting = file_set.CounterFileSet.fitting
    monkeypatch.setattr(
        file_set.CounterFileSet, "fitting", lambda one, stem, *more: asked.append(stem) or fitting(one, stem, *more)
    )
    keeper.make_room(need, TODAY)
    assert asked == []
    keeper.make_room(need, TOMORROW)
    assert asked == ["keys", "admitted", "2026-11-21", "2026-11-22"]


def test_without_room_the_folder_and_the_remedy_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = at_once(folder)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    for _ in range(2):
        with pytest.raises(StoreBroken) as broken:
            keeper.make_room(Need(ENDPOINTS, 4, 3, 5), TODAY)
        assert str(broken.value) == (
            f"The ledger {folder} cannot be written: No space left on device; free some space on its disk"
        )

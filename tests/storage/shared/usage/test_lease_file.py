"""The file of quota leases, between the threads of workers and the link."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Self

import pytest

from cambist.accounts.node_leases import HeldLease, PendingRequest
from cambist.errors import StoreBroken
from cambist.storage.shared.usage import lease_file
from cambist.storage.shared.usage.lease_file import MOST_REQUESTS, REQUEST_SLOTS, STEP, LeaseFile
from cambist.storage.shared.usage.lease_writer import LeaseWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.shared.usage.writer_slot import MAX_SLOTS

ANN, BOB, FAR = 1, 2, 5 * STEP
NOVEMBER, DECEMBER, JANUARY = date(2026, 11, 1), date(2026, 12, 1), date(2027, 1, 1)
TODAY = date(2026, 11, 20)
LEASE = HeldLease(free=700, granted=100, quota=800, chunk=100)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "leases"


@pytest.fixture
def writer(path: Path) -> LeaseWriter:
    return LeaseWriter(path, lambda _slot: None)


@pytest.fixture
def open_leases(path: Path) -> Callable[[int], LeaseFile]:
    """Open the file as a worker whose only thread has a slot."""
    return lambda slot: LeaseFile(path, lambda: slot)


def test_a_lease_is_read_as_it_was_written(writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]) -> None:
    leases = open_leases(0)
    assert leases.lease(ANN, NOVEMBER) is None
    writer.write(ANN, NOVEMBER, LEASE)
    assert leases.lease(ANN, NOVEMBER) == writer.lease(ANN, NOVEMBER) == LEASE
    assert leases.lease(BOB, NOVEMBER) is None
    assert leases.lease(ANN, DECEMBER) is None


def test_two_periods_are_kept_and_the_third_replaces_the_first(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]
) -> None:
    leases = open_leases(0)
    for period, granted in ((NOVEMBER, 1), (DECEMBER, 2), (JANUARY, 3)):
        writer.write(ANN, period, LEASE._replace(granted=granted))
    assert leases.lease(ANN, NOVEMBER) is None
    assert leases.lease(ANN, DECEMBER) == LEASE._replace(granted=2)
    assert leases.lease(ANN, JANUARY) == LEASE._replace(granted=3)


def test_a_file_that_grows_is_mapped_again(writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]) -> None:
    leases = open_leases(0)
    writer.write(ANN, NOVEMBER, LEASE)
    assert leases.lease(FAR, NOVEMBER) is None
    writer.write(FAR, NOVEMBER, LEASE._replace(granted=7))
    assert leases.lease(FAR, NOVEMBER) == LEASE._replace(granted=7)
    assert leases.lease(ANN, NOVEMBER) == LEASE


def test_leases_are_removed(writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]) -> None:
    for account in (ANN, FAR):
        writer.write(account, NOVEMBER, LEASE)
    writer.clear()
    assert [open_leases(0).lease(account, NOVEMBER) for account in (ANN, FAR)] == [None, None]


def test_threads_see_what_the_others_have_reserved(open_leases: Callable[[int], LeaseFile]) -> None:
    one, other = open_leases(0), open_leases(40)
    assert one.reserve(ANN, 3) == 0
    assert other.reserve(ANN, 4) == 3
    assert other.reserve(BOB, 2**40) == 0
    assert one.reserve(ANN, 5) == 0
    one.release()
    assert other.reserve(ANN, 1) == 0


def test_a_claimed_slot_has_no_reservation_of_its_last_owner(open_leases: Callable[[int], LeaseFile]) -> None:
    killed, other = open_leases(0), open_leases(1)
    killed.reserve(ANN, 3)
    open_leases(0).reserve(BOB, 1)
    assert other.reserve(ANN, 1) == 0


def test_a_reservation_of_a_killed_process_is_cleared_after_it_is_repaired(
    path: Path, open_leases: Callable[[int], LeaseFile]
) -> None:
    repaired: list[int] = []
    writer = LeaseWriter(path, repaired.append)
    counters = WorkerCounters(path.parent, ["/a"], 4)
    alive = LeaseFile(path, counters.slot)
    alive.reserve(ANN, 3)
    open_leases(2).reserve(ANN, 5)
    (path.parent / "column-2.lock").touch()
    writer.clear_abandoned()
    assert repaired == [2]
    assert open_leases(3).reserve(ANN, 1) == 3
    counters.close()
    writer.clear_abandoned()
    assert repaired == [2, 0]


def test_requests_are_returned_once(writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]) -> None:
    one, other = open_leases(0), open_leases(3)
    assert writer.requests() == []
    one.request(ANN, 1, 100)
    other.request(BOB, 50, 0)
    assert writer.requests() == [PendingRequest(ANN, 1, 100), PendingRequest(BOB, 50, 0)]
    assert writer.requests() == []
    one.request(ANN, 1, 100)
    assert writer.requests() == [PendingRequest(ANN, 1, 100)]


def test_a_thread_may_ask_for_many_accounts_before_the_link_looks(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]
) -> None:
    one, other = open_leases(0), open_leases(3)
    for number in range(1, MOST_REQUESTS + 1):
        one.request(number, number, 0)
    other.request(BOB, 50, 7)
    everything = [PendingRequest(number, number, 0) for number in range(1, MOST_REQUESTS + 1)]
    assert writer.requests() == [*everything, PendingRequest(BOB, 50, 7)]
    for number in range(1, MOST_REQUESTS + 4):
        one.request(number, 1, 0)
    found = [request.account for request in writer.requests()]
    assert found == list(range(4, MOST_REQUESTS + 4)), "of too many, the last ones"
    assert writer.requests() == []


@pytest.mark.parametrize("slot", [REQUEST_SLOTS - 1, REQUEST_SLOTS, MAX_SLOTS - 1])
def test_the_requests_of_all_slots_are_beside_the_leases(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile], slot: int
) -> None:
    writer.write(0, NOVEMBER, LEASE)
    leases = open_leases(slot)
    for number in range(1, MOST_REQUESTS + 1):
        leases.request(number, 1, 0)
    assert len(writer.requests()) == MOST_REQUESTS
    assert writer.lease(0, NOVEMBER) == LEASE


def test_what_an_older_release_left_in_the_file_is_no_request(
    path: Path, open_leases: Callable[[int], LeaseFile]
) -> None:
    words = open_leases(0).words
    for word in range(lease_file.REQUESTS, lease_file.LEASES):
        words[word] = ANN << lease_file.CALLS_BITS | 7
    started, leases = LeaseWriter(path, lambda _slot: None), open_leases(5)
    leases.request(BOB, 2, 0)
    assert started.requests() == [PendingRequest(BOB, 2, 0)]


def test_a_link_that_starts_leaves_out_what_was_asked_for_before(
    path: Path, open_leases: Callable[[int], LeaseFile]
) -> None:
    leases = open_leases(0)
    leases.request(ANN, 1, 0)
    started = LeaseWriter(path, lambda _slot: None)
    assert started.requests() == []
    leases.request(ANN, 1, 0)
    assert started.requests() == [PendingRequest(ANN, 1, 0)]


def test_a_request_that_is_not_waited_for_is_over_when_its_lease_has_changed(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]
) -> None:
    leases = open_leases(0)
    writer.write_keeper(is_reachable=True)
    first, more = (leases.awaited(PendingRequest(account, 1, 0), NOVEMBER) for account in (ANN, BOB))
    assert (first(), more()) == (False, False)
    writer.write(ANN, NOVEMBER, LEASE)
    assert (first(), more()) == (True, False)
    more = leases.awaited(PendingRequest(ANN, 1, 100), NOVEMBER)
    assert not more()
    writer.write(ANN, NOVEMBER, LEASE._replace(free=0))
    assert more(), "also when it is known now that nothing is free"


def test_what_the_link_has_not_heard_is_asked_for_again_but_not_for_ever(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    leases, elapsed = open_leases(0), [100.0]
    monkeypatch.setattr(lease_file, "monotonic", lambda: elapsed[0])
    writer.write_keeper(is_reachable=True)
    is_over = leases.awaited(PendingRequest(ANN, 1, 0), NOVEMBER)
    for elapsed[0], asked in ((100.04, 0), (100.06, 1), (100.08, 0), (100.12, 1)):
        assert not is_over()
        assert writer.requests() == [PendingRequest(ANN, 1, 0)] * asked
    elapsed[0] = 101.0
    assert is_over()
    elapsed[0] = 100.2
    writer.write_keeper(is_reachable=False)
    assert is_over(), "no grant can come"


def test_a_request_wakes_the_link(writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]) -> None:
    leases = open_leases(0)
    waiting = threading.Thread(target=writer.wait, args=(60,))
    waiting.start()
    leases.request(ANN, 1, 0)
    waiting.join(30)
    assert not waiting.is_alive()


def test_a_grant_wakes_who_waits_for_it(writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]) -> None:
    writer.write_keeper(is_reachable=True)
    grants = open_leases(0).grants()
    next(grants)
    writer.announce()
    next(grants)
    assert sum(1 for _ in open_leases(0).grants()) > 1  # and it ends


def test_threads_know_what_the_link_and_its_keeper_reach(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile]
) -> None:
    leases = open_leases(0)
    assert (leases.is_reachable, leases.share) == (True, 1)
    writer.write_keeper(is_reachable=False)
    writer.write_link(is_linked=True, nodes=3)
    assert (leases.is_reachable, leases.share) == (False, 1)
    writer.write_keeper(is_reachable=True)
    writer.write_link(is_linked=False, nodes=3)
    assert (leases.is_reachable, leases.share) == (True, 3)


def test_who_is_silent_reaches_nothing(
    writer: LeaseWriter, open_leases: Callable[[int], LeaseFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    leases = open_leases(0)
    writer.write_keeper(is_reachable=True)
    writer.write_link(is_linked=True, nodes=3)
    later = time.monotonic_ns() + 4_000_000_000
    monkeypatch.setattr("cambist.storage.shared.usage.lease_file.monotonic_ns", lambda: later)
    assert (leases.is_reachable, leases.share) == (False, 3)
    monkeypatch.setattr("cambist.storage.shared.usage.lease_writer.monotonic_ns", lambda: later)
    writer.write_link(is_linked=True, nodes=3)
    assert (leases.is_reachable, leases.share) == (False, 1)  # a database that does not answer divides no rate


def test_a_file_of_another_version_is_refused(path: Path, writer: LeaseWriter) -> None:
    assert writer.lease(ANN, NOVEMBER) is None
    with path.open("r+b") as file:
        file.write(b"CMBLSE99")
    with pytest.raises(StoreBroken, match="of another version"):
        LeaseFile(path, lambda: 0)


WORKER = """
import sys, threading, random
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from cambist.accounts.account import Account, StoredKey
from cambist.accounts.node_meter import NodeMeter
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.errors import QuotaSpent, QuotaUnknown
from cambist.storage.shared.usage.lease_file import LeaseFile
from cambist.storage.shared.usage.worker_counters import WorkerCounters

folder, quota, seed = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
now = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
plan = Plan(name="p", calls_a_month=quota, tags=())
ann = Principal.build(StoredKey(1, Account(1, "ann", "p")), {"p": plan})
counters = WorkerCounters(folder, ["/a"], 16)
leases = LeaseFile(folder / "leases", counters.slot)
meter = NodeMeter(counters, {}, leases, lambda *_: {})

def ask(thread):
    choices = random.Random(f"{seed} {thread}")
    cost = 1
    while True:
        cost = choices.choice([1, 1, 2, 5])
        try:
            meter.check_quota(ann, cost, now)
        except QuotaUnknown:
            continue
        except QuotaSpent:
            if cost > 1:
                continue
            return
        meter.spend(ann, "/a", cost, now)

threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

QUOTA, PROCESSES, KILLS = 20_000, 3, 6


class Bank:
    """Plays the link: it grants a quota in small chunks."""

    def __init__(self, folder: Path) -> None:
        self._counters = WorkerCounters(folder, ["/a"], 16)
        self._writer = LeaseWriter(folder / "leases", self._counters.repair)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._ended.is_set():
            self._writer.write_keeper(is_reachable=True)
            self._writer.wait(0.05)
            self._writer.clear_abandoned()
            for request in self._writer.requests():
                held = self._writer.lease(ANN, NOVEMBER) or HeldLease(QUOTA, 0, QUOTA, 0)
                if request.granted == held.granted:
                    more = min(held.free, max(request.calls, 40))
                    lease = HeldLease(held.free - more, held.granted + more, QUOTA, more)
                    self._writer.write(ANN, NOVEMBER, lease)
            self._writer.announce()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._counters.close()

    def spent(self) -> int:
        return self._counters.spent(ANN, TODAY)


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[Callable[[object], subprocess.Popen[bytes]]]:
    """Start a process with three threads that ask until the quota is spent."""
    started: list[subprocess.Popen[bytes]] = []

    def start(seed: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", WORKER, str(tmp_path), str(QUOTA), str(seed)]
        started.append(subprocess.Popen(command))
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


@pytest.mark.long(every=2)
@pytest.mark.parametrize("seed", range(2))
def test_processes_that_are_killed_spend_the_quota_and_nothing_beyond_it(
    tmp_path: Path, writer: LeaseWriter, start_worker: Callable[[object], subprocess.Popen[bytes]], seed: int
) -> None:
    choices = random.Random(seed)  # noqa: S311  a seeded test
    with Bank(tmp_path) as bank:
        processes = [start_worker(f"{seed} {number}") for number in range(PROCESSES)]
        for kill in range(KILLS):
            goal = bank.spent() + choices.randint(1, QUOTA // (KILLS * 2))
            until = time.monotonic() + 60
            while bank.spent() < goal and time.monotonic() < until:
                time.sleep(choices.random() / 200)
            place = choices.randrange(PROCESSES)
            os.kill(processes[place].pid, signal.SIGKILL)
            processes[place].wait()
            assert bank.spent() <= QUOTA
            processes[place] = start_worker(f"{seed} {PROCESSES + kill}")
        assert [process.wait(120) for process in processes] == [0] * PROCESSES
        lease = writer.lease(ANN, NOVEMBER)
        assert lease is not None
        assert (lease.granted, lease.free) == (QUOTA, 0)
        # Opened anew, so that what killed processes have half counted is repaired.
        counters = WorkerCounters(tmp_path, ["/a"], 16)
        for slot in range(PROCESSES * 3 + 1):
            counters.repair(slot)
        assert counters.spent(ANN, TODAY) == QUOTA
        counters.close()

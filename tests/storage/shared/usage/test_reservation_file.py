"""The reservations that processes share: seen by all, cleared when their process is killed, never overspent."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.meter import Meter
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.errors import QuotaSpent, StoreBroken, StoreBusy
from cambist.storage.shared.usage import reservation_file
from cambist.storage.shared.usage.reservation_file import ReservationFile
from cambist.storage.shared.usage.worker_counters import WorkerCounters

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger" / "reservations"


def shop(quota: int) -> Principal:
    return Principal.build(StoredKey(1, Account(1, "shop", "p")), {"p": Plan(name="p", calls_a_month=quota, tags=())})


def test_all_see_what_each_has_reserved(path: Path) -> None:
    one, other = ReservationFile(path), ReservationFile(path)
    assert not one.has_any()
    one.add(7, 5)
    other.add(7, 3)
    other.add(2**30, 1)
    assert one.has_any()
    assert other.has_any()
    assert (one.total(7), other.total(7), one.total(2**30), one.total(8)) == (8, 8, 1, 0)
    one.remove(7, 4)
    assert other.total(7) == 4
    one.remove(7, 1)
    other.remove(7, 3)
    assert one.has_any()
    other.remove(2**30, 1)
    assert not one.has_any()
    assert not other.has_any()


def test_what_a_living_process_has_reserved_is_not_abandoned(path: Path) -> None:
    one, other = ReservationFile(path), ReservationFile(path)
    one.add(7, 5)
    other.clear_abandoned()
    assert other.total(7) == 5
    one.close()
    assert other.total(7) == 0


KILLED = """
import sys, time
from pathlib import Path
from cambist.storage.shared.usage.reservation_file import ReservationFile
reservations = ReservationFile(Path(sys.argv[1]))
reservations.add(1, 6)
print("reserved", flush=True)
time.sleep(60)
"""


@pytest.fixture
def victim(path: Path) -> subprocess.Popen[bytes]:
    victim = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE)
    assert victim.stdout is not None
    assert victim.stdout.readline() == b"reserved\n"
    return victim


def kill(victim: subprocess.Popen[bytes]) -> None:
    with victim:
        victim.send_signal(signal.SIGKILL)


def test_a_killed_process_leaves_no_reservation(path: Path, victim: subprocess.Popen[bytes]) -> None:
    meter = Meter(WorkerCounters(path.parent, ["/a"], 4), {}, reservations=ReservationFile(path))
    with pytest.raises(QuotaSpent, match=r"\[4\] remain"):
        meter.reserve(shop(10), 5, NOW.timestamp())
    kill(victim)
    with meter.reserve(shop(10), 10, NOW.timestamp()):
        pass


def test_what_a_killed_process_has_reserved_is_cleared_by_the_tick_and_by_the_next_process(
    path: Path, victim: subprocess.Popen[bytes]
) -> None:
    reservations = ReservationFile(path)
    kill(victim)
    assert reservations.total(1) == 6
    Meter(WorkerCounters(path.parent, ["/a"], 4), {}, reservations=reservations).tick({}.get, NOW.timestamp())
    assert not reservations.has_any()


def test_a_process_that_starts_clears_what_is_abandoned(path: Path, victim: subprocess.Popen[bytes]) -> None:
    kill(victim)
    assert not ReservationFile(path).has_any()


def test_more_accounts_at_once_than_there_is_room_for_are_asked_to_wait(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reservation_file, "ACCOUNTS", 3)
    reservations = ReservationFile(path)
    for account in range(3):
        reservations.add(account, 1)
    with pytest.raises(StoreBusy):
        reservations.add(3, 1)
    reservations.remove(1, 1)
    reservations.add(3, 1)
    assert [reservations.total(account) for account in range(4)] == [1, 0, 1, 1]


@pytest.mark.parametrize("content", [b"", b"x" * 100, bytes(reservation_file._WORDS * 8)])
def test_a_damaged_file_is_refused(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreBroken):
        ReservationFile(path)


WORKER = """
import random, sys, threading
from datetime import UTC, datetime
from pathlib import Path
from cambist.accounts.account import Account, StoredKey
from cambist.accounts.meter import Meter
from cambist.accounts.would_block import WouldBlock
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.errors import QuotaSpent
from cambist.storage.shared.usage.reservation_file import ReservationFile
from cambist.storage.shared.usage.worker_counters import WorkerCounters

path, quota, seed = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
now = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
shop = Principal.build(StoredKey(1, Account(1, "shop", "p")), {"p": Plan(name="p", calls_a_month=quota, tags=())})
counters = WorkerCounters(path.parent, ["/a"], 16)
meter = Meter(counters, {}, reservations=ReservationFile(path))
sys.stdin.readline()

def ask(thread):
    choices = random.Random(f"{seed} {thread}")
    while True:
        cost, at_once = choices.choice([2, 3, 10, 2]), choices.random() < 0.3
        try:
            if at_once:
                meter.admit(shop, "/a", cost, now)
            else:
                with meter.reserve(shop, cost, now) as reservation:
                    settle = reservation.hand_over("/a")
                settle(choices.random() < 0.8)
        except WouldBlock:
            continue
        except QuotaSpent:
            if cost > 2:
                continue
            return

threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("seed", range(4))
def test_processes_that_reserve_at_once_never_overspend(path: Path, seed: int) -> None:
    quota = 2000 + seed
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(path), str(quota), f"{seed}.{number}"], stdin=subprocess.PIPE
        )
        for number in range(2)
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(b"go\n")
        worker.stdin.flush()
    for worker in workers:
        with worker:
            assert worker.wait(60) == 0
    spent = WorkerCounters(path.parent, ["/a"], 16).spent(1, NOW.date())
    assert quota - 1 <= spent <= quota
    assert not ReservationFile(path).has_any()


def test_deciding_excludes_other_processes_and_threads(path: Path) -> None:
    one, other, entered = ReservationFile(path), ReservationFile(path), threading.Event()

    def decide() -> None:
        with other.deciding():
            entered.set()

    with one.deciding():
        thread = threading.Thread(target=decide)
        thread.start()
        assert not entered.wait(0.05)
    assert entered.wait(10)
    thread.join()

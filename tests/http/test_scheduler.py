"""Fair shares of threads: by kind of work, by owner, and how many may wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from cambist.http import scheduler as scheduler_module
from cambist.http.scheduler import FairScheduler, Job, Kind, TooManyWaiting, Work


class Runs:
    """Starts jobs that run until they are let go, and notes in which order they began."""

    def __init__(self, threads: int) -> None:
        self.scheduler = FairScheduler(threads)
        self.began: list[str] = []
        self._changed = threading.Condition()
        self._go_on: dict[str, threading.Event] = {}

    def submit(self, name: str, kind: Kind, owner: object = "ann") -> Job:
        self._go_on[name] = threading.Event()
        job = Job(Work(kind, owner), lambda: self._run(name))
        self.scheduler.submit(job)
        return job

    def _run(self, name: str) -> None:
        with self._changed:
            self.began.append(name)
            self._changed.notify_all()
        self._go_on[name].wait(20)

    def wait_for(self, count: int) -> list[str]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.began) >= count, 10), self.began
            return list(self.began)

    def let_go(self, *names: str) -> None:
        for name in names or tuple(self._go_on):
            self._go_on[name].set()


@pytest.fixture
def runs() -> Iterator[Runs]:
    runs = Runs(2)  # four threads: one is kept for each kind, and one is for whoever comes
    yield runs
    runs.let_go()
    runs.scheduler.close()


def test_each_kind_has_a_thread_whatever_the_others_do(runs: Runs) -> None:
    for number in range(10):
        runs.submit(f"table {number}", Kind.LONG, number)
    runs.wait_for(2)
    for number in range(10):
        runs.submit(f"call {number}", Kind.CALL, number)
    runs.wait_for(3)
    runs.submit("page", Kind.QUICK)
    assert runs.wait_for(4) == ["table 0", "table 1", "call 0", "page"]


def test_owners_take_turns(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_module, "MOST_LONG", 1)
    runs.submit("first", Kind.LONG, "zoe")
    runs.wait_for(1)
    for name in ("ann 0", "ann 1", "ann 2", "bob 0", "bob 1", "cat 0"):
        runs.submit(name, Kind.LONG, name[:3])
    runs.let_go()
    assert runs.wait_for(7) == ["first", "ann 0", "bob 0", "cat 0", "ann 1", "bob 1", "ann 2"]


def test_one_owner_does_not_take_the_last_thread_of_a_kind(runs: Runs) -> None:
    for number in range(5):
        runs.submit(f"ann {number}", Kind.CALL, "ann")
    runs.wait_for(1)
    runs.submit("bob", Kind.CALL, "bob")
    assert runs.wait_for(2) == ["ann 0", "bob"]


@pytest.mark.parametrize(("kind", "most"), list(scheduler_module.MOST_WAITING.items()))
def test_an_owner_has_so_many_waiting_and_no_more(runs: Runs, kind: Kind, most: int) -> None:
    runs.submit("runs", kind)
    runs.wait_for(1)
    for number in range(most):
        runs.submit(f"waits {number}", kind)
    with pytest.raises(TooManyWaiting, match=rf"\[{most}\] of this kind may wait") as refused:
        runs.submit("too many", kind)
    assert refused.value.is_own
    runs.submit("of another", kind, "bob")


def test_in_all_so_many_wait_and_no_more(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_module, "MOST_WAITING_IN_ALL", 3)
    runs.submit("a", Kind.CALL, "a")
    runs.submit("b", Kind.CALL, "b")
    runs.wait_for(2)
    jobs = [runs.submit(f"waits {owner}", Kind.CALL, owner) for owner in range(3)]
    with pytest.raises(TooManyWaiting, match="busy") as refused:
        runs.submit("too many", Kind.CALL, "c")
    assert not refused.value.is_own
    assert runs.scheduler.cancel(jobs[1])
    runs.submit("there is room again", Kind.CALL, "c")


def test_what_is_cancelled_does_not_run(runs: Runs) -> None:
    runs.submit("runs", Kind.LONG)
    runs.wait_for(1)
    cancelled, _kept = runs.submit("cancelled", Kind.LONG), runs.submit("kept", Kind.LONG)
    assert runs.scheduler.cancel(cancelled)
    assert not runs.scheduler.cancel(cancelled)
    runs.let_go()
    assert runs.wait_for(2) == ["runs", "kept"]
    assert not runs.scheduler.cancel(_kept)


def test_a_job_that_fails_costs_no_thread(runs: Runs, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise KeyError

    for _ in range(8):
        runs.scheduler.submit(Job(Work(Kind.QUICK, "ann"), fail))
    runs.submit("still runs", Kind.QUICK)
    assert runs.wait_for(1) == ["still runs"]
    assert caplog.text.count("A request failed") == 8

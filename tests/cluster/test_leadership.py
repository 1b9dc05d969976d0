"""When an ingest process holds itself for the leader, and when it may publish."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE

from cambist.cluster.leadership import TERM_SECONDS, LeaderElection, Term
from cambist.cluster.reach_mark import ReachMark
from cambist.errors import StoreBroken, StoreUnreachable
from cambist.status.leadership import LeaderState

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
GONE = StoreUnreachable("The database cannot be reached: gone")


class TermInMemory:
    """A term in memory, by a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.epoch = 0
        self.holder = ""
        self.expires = 0.0
        self.error: StoreBroken | None = None
        self.during: Callable[[], None] = lambda: None
        self.is_closed = False

    def _meet(self) -> None:
        self.during()
        if self.error is not None:
            raise self.error

    def take(self, _node: str, holder: str, seconds: float) -> int | None:
        self._meet()
        if self.holder not in ("", holder) and self.now < self.expires:
            return None
        if self.holder != holder:
            self.epoch, self.holder = self.epoch + 1, holder
        self.expires = self.now + seconds
        return self.epoch

    def renew(self, epoch: int, holder: str, seconds: float) -> bool:
        self._meet()
        if (epoch, holder) != (self.epoch, self.holder):
            return False
        self.expires = self.now + seconds
        return True

    def release(self, epoch: int, holder: str) -> None:
        self._meet()
        if (epoch, holder) == (self.epoch, self.holder):
            self.expires = self.now

    def current(self) -> LeaderState | None:
        return None

    def close(self) -> None:
        self.is_closed = True


class Machine:
    """A process that asks for the term, with a clock of its machine."""

    def __init__(self, term: TermInMemory, name: str) -> None:
        self.elapsed = 1000.0
        self.silence = 0.0
        self.election = LeaderElection(term, name, lambda: NOW, lambda: self.elapsed, silence=lambda: self.silence)

    def ask(self) -> None:
        asyncio.run(self.election._attempt())

    @property
    def epochs(self) -> tuple[int | None, int | None]:
        """The epoch in which it leads, and that in which it may publish."""
        term = self.election.term
        return term and term.epoch, self.election.publishing_epoch


@pytest.fixture
def term() -> TermInMemory:
    return TermInMemory()


@pytest.fixture
def berlin(term: TermInMemory) -> Machine:
    return Machine(term, "berlin")


@pytest.fixture
def paris(term: TermInMemory) -> Machine:
    return Machine(term, "paris")


@pytest.fixture
def later(term: TermInMemory, berlin: Machine, paris: Machine) -> Callable[[float], None]:
    """Let time pass everywhere."""

    def pass_time(seconds: float) -> None:
        term.now += seconds
        berlin.elapsed += seconds
        paris.elapsed += seconds

    return pass_time


Later = Callable[[float], None]


def test_before_it_has_asked_a_process_does_not_lead(berlin: Machine) -> None:
    assert berlin.epochs == (None, None)


def test_the_first_leads_and_publishes_and_the_second_stands_by(berlin: Machine, paris: Machine) -> None:
    berlin.ask()
    paris.ask()
    assert berlin.epochs == (1, 1)
    assert paris.epochs == (None, None)
    assert berlin.election.term == Term(1, NOW)


def test_a_leader_that_renews_its_term_goes_on(berlin: Machine, paris: Machine, later: Later) -> None:
    berlin.ask()
    first = berlin.election.term
    for _ in range(20):
        later(1)
        berlin.ask()
        paris.ask()
        assert berlin.epochs == (1, 1)
        assert paris.epochs == (None, None)
    assert berlin.election.term is first


def test_when_the_leader_is_silent_another_takes_over(berlin: Machine, paris: Machine, later: Later) -> None:
    berlin.ask()
    later(TERM_SECONDS - 0.1)
    paris.ask()
    assert paris.epochs == (None, None)
    later(0.2)
    paris.ask()
    assert paris.epochs == (2, 2)


def test_a_leader_that_was_paused_may_not_publish_and_stands_by_once_it_asks(
    berlin: Machine, paris: Machine, later: Later
) -> None:
    berlin.ask()
    later(30)
    assert berlin.epochs == (1, None)
    paris.ask()
    assert berlin.epochs == (1, None)
    berlin.ask()
    assert berlin.epochs == (None, None)
    assert paris.epochs == (2, 2)


def test_a_leader_that_was_paused_alone_goes_on_in_its_epoch_once_it_asks(berlin: Machine, later: Later) -> None:
    berlin.ask()
    later(30)
    berlin.ask()
    assert berlin.epochs == (1, 1)


def test_a_pause_during_the_request_counts_too(
    term: TermInMemory, berlin: Machine, paris: Machine, later: Later
) -> None:
    berlin.ask()

    def pause() -> None:
        term.during = lambda: None
        later(30)

    term.during = pause
    berlin.ask()
    assert berlin.epochs == (1, None)
    later(TERM_SECONDS)
    paris.ask()
    berlin.ask()
    assert berlin.epochs == (None, None)


@pytest.mark.parametrize("error", [GONE, StoreBroken("The database cannot be used: a lock")])
def test_while_the_database_is_gone_the_leader_goes_on_publishing_and_nobody_else_begins(
    term: TermInMemory, berlin: Machine, paris: Machine, later: Later, error: StoreBroken
) -> None:
    berlin.ask()
    term.error = error
    for _ in range(600):
        later(1)
        berlin.ask()
        paris.ask()
        assert berlin.epochs == (1, 1)
        assert paris.epochs == (None, None)
    term.error = None
    berlin.ask()
    paris.ask()
    assert berlin.epochs == (1, 1)
    assert paris.epochs == (None, None)


def test_a_leader_that_alone_was_cut_off_stands_by_when_it_is_back(
    term: TermInMemory, berlin: Machine, paris: Machine, later: Later
) -> None:
    berlin.ask()
    term.error = GONE
    later(3)
    berlin.ask()
    later(3)
    term.error = None
    paris.ask()
    assert paris.epochs == (2, 2)
    berlin.ask()
    assert berlin.epochs == (None, None)


def test_a_leader_that_is_paused_while_the_database_is_gone_may_not_publish(
    term: TermInMemory, berlin: Machine, later: Later
) -> None:
    berlin.ask()
    term.error = GONE
    later(10)
    berlin.ask()
    assert berlin.epochs == (1, 1)
    later(30)
    assert berlin.epochs == (1, None)


def test_a_failure_after_a_pause_says_nothing_about_the_database(
    term: TermInMemory, berlin: Machine, later: Later
) -> None:
    berlin.ask()

    def pause() -> None:
        later(30)

    term.during, term.error = pause, GONE
    berlin.ask()
    assert berlin.epochs == (1, None)


def test_an_outage_is_logged_once_at_each_end(
    term: TermInMemory, berlin: Machine, later: Later, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        berlin.ask()
        term.error = GONE
        for _ in range(3):
            later(1)
            berlin.ask()
            assert (berlin.election.is_cut_off, berlin.election.outages) == (True, 0)
        term.error = None
        for _ in range(2):
            berlin.ask()
            assert (berlin.election.is_cut_off, berlin.election.outages) == (False, 1)
    assert [record.getMessage() for record in caplog.records] == [
        "Ingest: the database does not say who leads, so that stays as it is: The database cannot be reached: gone",
        "Ingest: the database says again who leads",
    ]


def run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, PATIENCE))


def test_who_waits_for_the_term_or_its_loss_is_woken(berlin: Machine) -> None:
    async def scene() -> None:
        for _ in range(3):
            waiting = asyncio.create_task(berlin.election.gained())
            await asyncio.sleep(0.01)
            assert not waiting.done()
            await berlin.election._attempt()
            term = await waiting
            assert await berlin.election.gained() is term
            losing = asyncio.create_task(berlin.election.lost(term))
            await asyncio.sleep(0.01)
            assert not losing.done()
            berlin.election.lose(term)
            await losing
            berlin.election.lose(term)

    run(scene())


def test_the_term_is_renewed_more_often_than_it_expires(term: TermInMemory, paris: Machine) -> None:
    async def scene() -> None:
        loop, attempts, is_enough = asyncio.get_running_loop(), list(range(10)), asyncio.Event()

        def count() -> None:
            attempts.pop()
            if not attempts:
                term.during = lambda: None
                loop.call_soon_threadsafe(is_enough.set)

        term.during = count
        election = LeaderElection(term, "oslo", lambda: NOW, lambda: term.now, term_seconds=0.05)
        task = asyncio.create_task(election.run())
        await is_enough.wait()
        task.cancel()
        assert election.term == Term(1, NOW)

    run(scene())
    paris.ask()
    assert paris.epochs == (None, None)


def test_a_process_that_ends_lets_another_lead_at_once(term: TermInMemory, berlin: Machine, paris: Machine) -> None:
    berlin.ask()
    asyncio.run(berlin.election.close())
    assert berlin.epochs == (None, None)
    assert term.is_closed
    paris.ask()
    assert paris.epochs == (2, 2)


def test_a_process_ends_also_without_its_database(term: TermInMemory, berlin: Machine) -> None:
    berlin.ask()
    term.error = GONE
    asyncio.run(berlin.election.close())
    assert term.is_closed


@pytest.fixture(autouse=True)
def _ended(berlin: Machine, paris: Machine) -> Iterator[None]:
    yield
    for machine in (berlin, paris):
        machine.election._thread.shutdown()


def test_a_leader_that_does_not_reach_the_others_leaves_it_to_them(
    berlin: Machine, paris: Machine, later: Later
) -> None:
    berlin.ask()
    paris.ask()
    berlin.silence = 1.9
    berlin.ask()
    assert berlin.epochs == (1, 1)
    berlin.silence = 2.0
    berlin.ask()
    assert berlin.epochs == (None, None)
    paris.ask()
    assert paris.epochs == (2, 2)
    for _ in range(30):
        later(1)
        paris.ask()
        berlin.ask()
        assert (berlin.epochs, paris.epochs) == ((None, None), (2, 2))


def test_if_nobody_takes_the_term_it_leads_again_and_offers_it_after_a_minute(
    berlin: Machine, paris: Machine, later: Later
) -> None:
    berlin.silence = paris.silence = 100.0
    berlin.ask()
    assert berlin.epochs == (1, 1)
    led = []
    for _ in range(80):
        later(1)
        berlin.ask()
        led.append(berlin.election.term is not None)
    assert led.count(False) == 12, "six seconds, twice"
    assert led[7:59] == [True] * 52
    paris.silence = 0.0
    for _ in range(61):
        later(1)
        berlin.ask()
        paris.ask()
    assert paris.election.term is not None
    assert berlin.election.term is None


def test_a_process_that_reaches_the_others_again_asks_at_once(berlin: Machine, later: Later) -> None:
    berlin.ask()
    berlin.silence = 5.0
    berlin.ask()
    assert berlin.election.term is None
    later(1)
    berlin.silence = 0.0
    berlin.ask()
    assert berlin.election.term is not None


def test_a_term_that_cannot_be_given_up_stays(berlin: Machine, term: TermInMemory) -> None:
    berlin.ask()
    berlin.silence, term.error = 5.0, GONE
    berlin.ask()
    assert berlin.epochs == (1, 1)
    assert berlin.election.is_cut_off


def test_the_mark_of_the_link_says_for_how_long_the_others_were_not_reached(tmp_path: Path) -> None:
    now = [100.0]
    mark = ReachMark(tmp_path / "reached", lambda: now[0])
    now[0] = 108.0
    assert mark.silence(10.0) == 0.0
    now[0] = 113.0
    assert mark.silence(10.0) == 3.0, "it never was there"
    ReachMark(tmp_path / "reached", lambda: now[0]).record()
    now[0] = 115.5
    assert mark.silence(10.0) == 2.5
    restarted = [1.0]
    later = ReachMark(tmp_path / "reached", lambda: restarted[0])
    restarted[0] = 14.0
    assert later.silence(10.0) == 3.0, "the mark is of an earlier start of the machine"
    (tmp_path / "reached").write_bytes(b"half")
    assert mark.silence(10.0) == 5.5
    ReachMark(tmp_path / "no folder" / "reached", lambda: now[0]).record()

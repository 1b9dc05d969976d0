"""The threads that read the database: a slow one holds up few requests, and none for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import StoreBroken, StoreBusy

PATIENT = 60.0


@pytest.fixture
def answer() -> Iterator[Event]:
    """Lets a blocked database answer; it does at the end of a test in any case."""
    event = Event()
    yield event
    event.set()


def thread_name() -> str:
    return threading.current_thread().name


def test_reads_are_made_in_threads_of_the_pool() -> None:
    pool = ReaderPool(waiting=1)
    assert pool.call(thread_name).startswith("reader")
    assert thread_name() == "MainThread"


def test_the_arguments_and_the_result_are_passed_on() -> None:
    assert ReaderPool(waiting=1).call(int, "11", base=2) == 3


def test_an_error_of_the_read_is_raised_and_frees_its_place() -> None:
    def broken() -> None:
        raise StoreBroken("locked")

    pool = ReaderPool(waiting=1)
    for _ in range(3):
        with pytest.raises(StoreBroken, match="locked"):
            pool.call(broken)


def test_a_read_that_takes_too_long_is_refused_with_a_time_to_try_again(answer: Event) -> None:
    pool = ReaderPool(waiting=1, within=0.02)
    for _ in range(2):  # the place is free again
        with pytest.raises(StoreBusy, match=r"did not answer within 0\.02 s") as refused:
            pool.call(answer.wait, PATIENT)
        assert refused.value.retry_after == 5


def test_a_read_that_nobody_waits_for_any_more_is_not_begun(answer: Event) -> None:
    begun: list[int] = []
    pool = ReaderPool(waiting=1, readers=1, within=0.02)
    with pytest.raises(StoreBusy):
        pool.call(answer.wait, PATIENT)
    with pytest.raises(StoreBusy):
        pool.call(begun.append, 1)
    answer.set()
    while True:
        try:
            pool.call(begun.append, 2)
            break
        except StoreBusy:  # the reader is not free yet
            continue
    assert 1 not in begun


def test_when_enough_requests_wait_the_next_one_is_refused_at_once(answer: Event) -> None:
    pool = ReaderPool(waiting=3, readers=1, within=PATIENT)
    with ThreadPoolExecutor(3) as requests:
        reads = [requests.submit(pool.call, answer.wait, PATIENT) for _ in range(3)]
        while pool._free._value:
            time.sleep(0.001)
        with pytest.raises(StoreBusy, match="Too many requests wait for the database") as refused:
            pool.call(thread_name)
        assert refused.value.retry_after == 5
        answer.set()
        assert [each.result() for each in reads] == [True, True, True]
    assert pool.call(thread_name).startswith("reader")

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest

from cambist.api.state.state_reloader import StateReloader
from cambist.errors import RateMatrixDamaged, StoreUnreachable
from cambist.storage.shared.change_notifier import Topic


class Board:
    """A board of two kinds of news."""

    def __init__(self) -> None:
        self.versions = {"book": 1, "image": 1}
        self.taken: list[str] = []

    def taker(self, topic: str) -> Callable[[], None]:
        return lambda: self.taken.append(topic)


@pytest.fixture
def book_file() -> Board:
    return Board()


@pytest.fixture
def reloader(book_file: Board) -> StateReloader[str]:
    return watching(book_file)


@pytest.fixture
def started() -> Iterator[list[StateReloader[str]]]:
    """What is put here is started and ended."""
    reloaders: list[StateReloader[str]] = []
    yield reloaders
    for one in reloaders:
        one.stop()
        one.join(2)
        assert not one.is_alive()


def watching(
    book_file: Board, each_second: Callable[[], None] = lambda: None, **take: Callable[[], None]
) -> StateReloader[str]:
    takes = {topic: book_file.taker(topic) for topic in book_file.versions} | take
    return StateReloader(book_file.versions.__getitem__, book_file.versions, takes, each_second)


def damaged() -> None:
    raise RateMatrixDamaged("not what was written")


def test_without_a_change_nothing_is_reloaded(book_file: Board, reloader: StateReloader[str]) -> None:
    reloader.poll()
    assert book_file.taken == []


def test_a_change_is_applied_once(book_file: Board, reloader: StateReloader[str]) -> None:
    book_file.versions["book"] += 1
    reloader.poll()
    reloader.poll()
    assert book_file.taken == ["book"]


def test_each_topic_is_reloaded_by_itself(book_file: Board, reloader: StateReloader[str]) -> None:
    book_file.versions["image"] += 1
    reloader.poll()
    book_file.versions["book"] += 1
    book_file.versions["image"] += 1
    reloader.poll()
    assert book_file.taken == ["image", "book", "image"]


def test_several_notifications_between_two_polls_are_one_change(book_file: Board, reloader: StateReloader[str]) -> None:
    book_file.versions["book"] += 5
    reloader.poll()
    assert book_file.taken == ["book"]


def test_a_version_that_went_back_is_a_change_too(book_file: Board, reloader: StateReloader[str]) -> None:
    book_file.versions["book"] = 0
    reloader.poll()
    assert book_file.taken == ["book"]


def test_a_change_during_a_reload_is_applied_at_the_next_poll(book_file: Board) -> None:
    def slow() -> None:
        book_file.taken.append("book")
        if len(book_file.taken) == 1:
            book_file.versions["book"] += 1

    reloader = watching(book_file, book=slow)
    book_file.versions["book"] += 1
    reloader.poll()
    reloader.poll()
    assert book_file.taken == ["book", "book"]


@pytest.mark.parametrize("error", [RateMatrixDamaged("cut off"), OSError("gone")])
def test_a_failed_reload_is_logged_and_does_not_stop_the_others(
    book_file: Board, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def fail() -> None:
        raise error

    reloader = watching(book_file, book=fail)
    book_file.versions |= {"book": 2, "image": 2}
    reloader.poll()
    assert book_file.taken == ["image"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_database_that_is_gone_is_logged_by_the_name_of_the_topic_and_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail() -> None:
        raise StoreUnreachable("The database cannot be reached: it is gone")

    reloader = StateReloader(lambda _: 2, {Topic.ACCOUNTS: 1}, {Topic.ACCOUNTS: fail}, lambda: None)
    reloader.poll()
    (record,) = caplog.records
    assert (record.levelno, record.exc_info) == (logging.WARNING, None)
    assert record.getMessage() == (
        "The new state cannot be applied, the last one stays: accounts: The database cannot be reached: it is gone"
    )


def test_an_error_that_nobody_thought_of_does_not_stop_the_rest_either(book_file: Board) -> None:
    def fail() -> None:
        raise RuntimeError("a database driver's own error")

    reloader = watching(book_file, book=fail)
    book_file.versions |= {"book": 2, "image": 2}
    reloader.poll()
    assert book_file.taken == ["image"]


def test_a_failed_reload_is_tried_again_at_the_next_notification(book_file: Board) -> None:
    takes = iter([damaged, book_file.taker("book")])

    def take_next() -> None:
        next(takes)()

    reloader = watching(book_file, book=take_next)
    book_file.versions["book"] += 1
    reloader.poll()
    book_file.versions["book"] += 1
    reloader.poll()
    assert book_file.taken == ["book"]


def test_a_failed_reload_is_not_tried_again_at_every_poll(book_file: Board, caplog: pytest.LogCaptureFixture) -> None:
    reloader = watching(book_file, book=damaged)
    book_file.versions["book"] += 1
    for _ in range(5):
        reloader.poll()
    assert len(caplog.records) == 1


def test_a_failed_reload_is_tried_again_without_another_notification(
    book_file: Board, started: list[StateReloader[str]]
) -> None:
    taken = threading.Event()
    takes = iter([damaged, taken.set])

    def take_next() -> None:
        next(takes)()

    started.append(watching(book_file, book=take_next))
    book_file.versions["book"] += 1
    started[0].start()
    assert taken.wait(5)


def test_what_changed_while_the_state_was_loaded_is_taken_at_the_first_look(book_file: Board) -> None:
    takes = {topic: book_file.taker(topic) for topic in book_file.versions}
    reloader = StateReloader(book_file.versions.__getitem__, {"book": 0, "image": 1}, takes, lambda: None)
    reloader.poll()
    reloader.poll()
    assert book_file.taken == ["book"]


def test_the_thread_looks_by_itself_well_within_a_second(book_file: Board, started: list[StateReloader[str]]) -> None:
    taken = threading.Event()
    started.append(watching(book_file, book=taken.set))
    started[0].start()
    book_file.versions["book"] += 1
    assert taken.wait(0.9)


def test_the_thread_calls_its_function_each_second(book_file: Board, started: list[StateReloader[str]]) -> None:
    called = threading.Event()
    started.append(watching(book_file, each_second=called.set))
    started[0].start()
    assert called.wait(5)


def test_a_second_that_fails_does_not_end_the_thread(
    book_file: Board, started: list[StateReloader[str]], caplog: pytest.LogCaptureFixture
) -> None:
    taken = threading.Event()

    def fails() -> None:
        book_file.versions["book"] += 1  # from here on there is news to take up
        raise RuntimeError("dictionary changed size during iteration")

    started.append(watching(book_file, each_second=fails, book=taken.set))
    started[0].start()
    assert taken.wait(5)
    assert started[0].is_alive()
    assert "dictionary changed size" in caplog.text


def test_the_thread_does_not_keep_the_process_alive(reloader: StateReloader[str]) -> None:
    assert reloader.daemon


def test_a_stopped_watch_looks_no_more(book_file: Board, reloader: StateReloader[str]) -> None:
    book_file.versions["book"] += 1
    reloader.stop()
    reloader.run()
    assert book_file.taken == []

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from cambist.api.state_reloader import StateReloader
from cambist.errors import RateMatrixDamaged


class Board:
    """A board of two kinds of news."""

    def __init__(self) -> None:
        self.versions = {"book": 1, "image": 1}
        self.taken: list[str] = []

    def taker(self, news: str) -> Callable[[], None]:
        return lambda: self.taken.append(news)


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def watch(board: Board) -> StateReloader[str]:
    return watching(board)


@pytest.fixture
def started() -> Iterator[list[StateReloader[str]]]:
    """What is put here is started and ended."""
    watches: list[StateReloader[str]] = []
    yield watches
    for one in watches:
        one.stop()
        one.join(2)
        assert not one.is_alive()


def watching(
    board: Board, each_second: Callable[[], None] = lambda: None, **take: Callable[[], None]
) -> StateReloader[str]:
    takes = {news: board.taker(news) for news in board.versions} | take
    return StateReloader(board.versions.__getitem__, board.versions, takes, each_second, os.getppid())


def damaged() -> None:
    raise RateMatrixDamaged("not what was written")


def test_without_news_nothing_is_taken(board: Board, watch: StateReloader[str]) -> None:
    watch.look()
    assert board.taken == []


def test_news_is_taken_once(board: Board, watch: StateReloader[str]) -> None:
    board.versions["book"] += 1
    watch.look()
    watch.look()
    assert board.taken == ["book"]


def test_each_kind_of_news_is_taken_for_itself(board: Board, watch: StateReloader[str]) -> None:
    board.versions["image"] += 1
    watch.look()
    board.versions["book"] += 1
    board.versions["image"] += 1
    watch.look()
    assert board.taken == ["image", "book", "image"]


def test_several_rings_between_two_looks_are_one_piece_of_news(board: Board, watch: StateReloader[str]) -> None:
    board.versions["book"] += 5
    watch.look()
    assert board.taken == ["book"]


def test_a_version_that_fell_is_news_too(board: Board, watch: StateReloader[str]) -> None:
    board.versions["book"] = 0
    watch.look()
    assert board.taken == ["book"]


def test_news_that_comes_while_it_is_taken_is_taken_at_the_next_look(board: Board) -> None:
    def slow() -> None:
        board.taken.append("book")
        if len(board.taken) == 1:
            board.versions["book"] += 1

    watch = watching(board, book=slow)
    board.versions["book"] += 1
    watch.look()
    watch.look()
    assert board.taken == ["book", "book"]


@pytest.mark.parametrize("error", [RateMatrixDamaged("cut off"), OSError("gone")])
def test_what_cannot_be_taken_up_is_logged_and_does_not_stop_the_rest(
    board: Board, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def fail() -> None:
        raise error

    watch = watching(board, book=fail)
    board.versions |= {"book": 2, "image": 2}
    watch.look()
    assert board.taken == ["image"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_an_error_that_nobody_thought_of_does_not_stop_the_rest_either(board: Board) -> None:
    def fail() -> None:
        raise RuntimeError("a database driver's own error")

    watch = watching(board, book=fail)
    board.versions |= {"book": 2, "image": 2}
    watch.look()
    assert board.taken == ["image"]


def test_what_could_not_be_taken_up_is_taken_at_the_next_ring(board: Board) -> None:
    takes = iter([damaged, board.taker("book")])

    def take_next() -> None:
        next(takes)()

    watch = watching(board, book=take_next)
    board.versions["book"] += 1
    watch.look()
    board.versions["book"] += 1
    watch.look()
    assert board.taken == ["book"]


def test_what_cannot_be_taken_up_is_not_tried_again_at_every_look(
    board: Board, caplog: pytest.LogCaptureFixture
) -> None:
    watch = watching(board, book=damaged)
    board.versions["book"] += 1
    for _ in range(5):
        watch.look()
    assert len(caplog.records) == 1


def test_what_could_not_be_taken_up_is_tried_again_without_a_further_ring(
    board: Board, started: list[StateReloader[str]]
) -> None:
    taken = threading.Event()
    takes = iter([damaged, taken.set])

    def take_next() -> None:
        next(takes)()

    started.append(watching(board, book=take_next))
    board.versions["book"] += 1
    started[0].start()
    assert taken.wait(5)


def test_what_changed_while_the_state_was_loaded_is_taken_at_the_first_look(board: Board) -> None:
    takes = {news: board.taker(news) for news in board.versions}
    watch = StateReloader(board.versions.__getitem__, {"book": 0, "image": 1}, takes, lambda: None, os.getppid())
    watch.look()
    watch.look()
    assert board.taken == ["book"]


def test_the_thread_looks_by_itself_well_within_a_second(board: Board, started: list[StateReloader[str]]) -> None:
    taken = threading.Event()
    started.append(watching(board, book=taken.set))
    started[0].start()
    board.versions["book"] += 1
    assert taken.wait(0.9)


def test_the_thread_calls_each_second_what_it_was_given(board: Board, started: list[StateReloader[str]]) -> None:
    called = threading.Event()
    started.append(watching(board, each_second=called.set))
    started[0].start()
    assert called.wait(5)


def test_a_second_that_fails_does_not_end_the_thread(
    board: Board, started: list[StateReloader[str]], caplog: pytest.LogCaptureFixture
) -> None:
    taken = threading.Event()

    def fails() -> None:
        board.versions["book"] += 1  # from here on there is news to take up
        raise RuntimeError("dictionary changed size during iteration")

    started.append(watching(board, each_second=fails, book=taken.set))
    started[0].start()
    assert taken.wait(5)
    assert started[0].is_alive()
    assert "dictionary changed size" in caplog.text


def test_the_thread_does_not_keep_the_process_alive(watch: StateReloader[str]) -> None:
    assert watch.daemon


def test_an_orphan_ends_itself(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    watch = watching(board)
    monkeypatch.setattr(os, "getppid", lambda: 1_000_000_007)
    monkeypatch.setattr(os, "kill", lambda *call: sent.append(call))
    watch.run()
    assert sent == [(os.getpid(), signal.SIGTERM)]


def test_a_stopped_watch_looks_no_more(board: Board, watch: StateReloader[str]) -> None:
    board.versions["book"] += 1
    watch.stop()
    watch.run()
    assert board.taken == []

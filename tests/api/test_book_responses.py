from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from cambist.accounts.account import DatetimeFormat
from cambist.api.book_responses import BookResponses, BookResponsesByKind
from cambist.api.response_cache import CachedResponse
from cambist.pricing.rate_book import RateBook

FIRST, SECOND, THIRD = (RateBook(version, datetime(2026, 11, 20, tzinfo=UTC), {}, ("USD",)) for version in (1, 2, 3))
START = 1_795_176_000.0
QUESTION = ("/fetch-one", "to=USD", "iso", date.min)
ANSWER = CachedResponse(b"{", ())
ISO, SPACED, UNIX = DatetimeFormat.ISO, DatetimeFormat.SPACED, DatetimeFormat.UNIX_MS


@pytest.fixture
def shelves() -> BookResponsesByKind:
    return BookResponsesByKind(FIRST, START)


def seen(shelf: BookResponses) -> RateBook:
    return shelf.state[0]


def test_every_kind_of_account_begins_with_the_newest_book(shelves):
    assert [seen(shelves.get(refresh, ISO)) for refresh in (0, 1, 60)] == [FIRST] * 3
    shelves.apply_book(SECOND, START + 1)
    assert seen(shelves.get(30, ISO)) is SECOND


def test_accounts_of_one_kind_share_a_shelf(shelves):
    assert shelves.get(60, ISO) is shelves.get(60, ISO)


def test_refreshes_and_formats_are_apart(shelves):
    kinds = [shelves.get(refresh, form) for refresh in (0, 60) for form in (ISO, SPACED, UNIX)]
    assert len({id(shelf) for shelf in kinds}) == 6
    assert len({id(shelf.state[1]) for shelf in kinds}) == 6
    kinds[0].state[1].keep(QUESTION, ANSWER)
    assert [shelf.state[1].get(QUESTION, START) is ANSWER for shelf in kinds] == [True] + [False] * 5


def test_who_sees_every_book_sees_a_new_one_at_once(shelves):
    shelf = shelves.get(0, ISO)
    for book in (SECOND, THIRD):
        shelves.apply_book(book, START)
        assert seen(shelf) is book


@pytest.mark.parametrize("refresh", [1, 30, 60, 0.5])
def test_others_see_it_when_it_is_due_and_not_before(shelves, refresh):
    shelf = shelves.get(refresh, ISO)
    shelves.apply_book(SECOND, START + refresh / 4)
    assert seen(shelf) is FIRST
    shelves.tick(START + refresh - 0.125)
    assert seen(shelf) is FIRST
    shelves.tick(START + refresh)
    assert seen(shelf) is SECOND


def test_a_book_that_comes_after_the_last_one_is_old_enough_is_seen_at_once(shelves):
    shelf = shelves.get(60, ISO)
    shelves.apply_book(SECOND, START + 61)
    assert seen(shelf) is SECOND


def test_no_two_books_are_seen_within_the_time_of_the_plan(shelves):
    shelf, changes, last = shelves.get(60, ISO), [], FIRST
    for second in range(600):
        shelves.apply_book(RateBook(second + 2, FIRST.as_of, {}, ("USD",)), START + second)
        if seen(shelf) is not last:
            changes.append(second)
            last = seen(shelf)
    assert changes == list(range(60, 600, 60))


def test_a_book_that_was_replaced_before_it_was_due_is_never_seen(shelves):
    shelf = shelves.get(60, ISO)
    shelves.apply_book(SECOND, START + 10)
    shelves.apply_book(THIRD, START + 20)
    shelves.tick(START + 60)
    assert seen(shelf) is THIRD


def test_without_a_new_book_the_old_one_stays_however_long(shelves):
    shelf = shelves.get(1, ISO)
    for second in range(100):
        shelves.tick(START + second)
        assert seen(shelf) is FIRST


def test_the_formats_of_one_refresh_see_the_same_book_at_the_same_moment(shelves):
    kinds = [shelves.get(60, form) for form in (ISO, SPACED, UNIX)]
    for second in range(0, 200, 7):
        shelves.apply_book(RateBook(second + 2, FIRST.as_of, {}, ("USD",)), START + second)
        assert len({seen(shelf).version for shelf in kinds}) == 1


def test_a_new_book_comes_with_no_answers(shelves):
    shelf = shelves.get(0, ISO)
    shelf.state[1].keep(QUESTION, ANSWER)
    shelves.apply_book(SECOND, START)
    assert shelf.state[0] is SECOND
    assert shelf.state[1].get(QUESTION, START) is None


def test_an_answer_made_of_an_old_book_never_stands_beside_a_new_one(shelves):
    shelf = shelves.get(0, ISO)
    book, answers = shelf.state
    shelves.apply_book(SECOND, START)
    answers.keep(QUESTION, ANSWER)
    assert book is FIRST
    assert shelf.state[1].get(QUESTION, START) is None
    shelves.apply_book(FIRST, START + 1)  # the same book again
    assert shelf.state[1].get(QUESTION, START) is None


def test_an_answer_of_one_kind_is_never_given_to_another_that_sees_another_book(shelves):
    fresh, slow = shelves.get(0, ISO), shelves.get(60, ISO)
    shelves.apply_book(SECOND, START + 1)
    slow.state[1].keep(QUESTION, ANSWER)
    assert fresh.state[1].get(QUESTION, START) is None


def test_a_tick_without_a_new_book_keeps_the_answers(shelves):
    kinds = [shelves.get(refresh, ISO) for refresh in (0, 60)]
    for shelf in kinds:
        shelf.state[1].keep(QUESTION, ANSWER)
    shelves.tick(START + 1)
    assert [shelf.state[1].get(QUESTION, START) for shelf in kinds] == [ANSWER, ANSWER]


def test_all_answers_may_be_dropped_while_the_books_stay(shelves):
    kinds = [shelves.get(refresh, ISO) for refresh in (0, 60)]
    for shelf in kinds:
        shelf.state[1].keep(QUESTION, ANSWER)
    shelves.forget()
    assert [shelf.state[1].get(QUESTION, START) for shelf in kinds] == [None, None]
    assert [seen(shelf) for shelf in kinds] == [FIRST, FIRST]


def test_state_is_replaced_whole(shelves):
    shelf = shelves.get(0, ISO)
    before = shelf.state
    shelves.apply_book(SECOND, START)
    assert before[0] is FIRST
    assert shelf.state is not before


def test_a_clock_that_is_set_back_does_not_withhold_a_book_for_longer_than_the_plan_says(shelves):
    shelf = shelves.get(60, ISO)
    back = START - 3600
    shelves.apply_book(SECOND, back)
    for second in range(62):
        shelves.tick(back + second)
    assert seen(shelf) is SECOND

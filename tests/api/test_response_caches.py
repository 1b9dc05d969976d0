from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principal
from cambist.api.state.response_cache import (
    BookResponses,
    CachedResponse,
    ResponseCaches,
)
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

FIRST, SECOND, THIRD = (
    RateBook.of(QuotedBook(version, datetime(2026, 11, 20, tzinfo=UTC), {}, ("USD",))) for version in (1, 2, 3)
)
START = 1_795_176_000.0
CACHE_KEY = ("/fetch-one", "to=USD", "iso", date.min)
ANSWER = CachedResponse(b"{", ())
PRINCIPAL = Principal.build(StoredKey(1, Account(1, "owner", "unlimited")), read_plans(default_plans(), "plans.toml"))
ISO, SPACED, UNIX = "iso", "spaced", "unix-ms"


@pytest.fixture
def caches() -> ResponseCaches:
    return ResponseCaches(FIRST, lambda: START)


def seen(live: BookResponses) -> RateBook:
    return live.state[0]


def test_every_kind_of_account_begins_with_the_newest_book(caches):
    assert [seen(caches.for_view((refresh, ISO))) for refresh in (0, 1, 60)] == [FIRST] * 3
    caches.apply_book(SECOND, START + 1)
    assert seen(caches.for_view((30, ISO))) is SECOND


def test_accounts_with_the_same_view_share_a_cache(caches):
    assert caches.for_view((60, ISO)) is caches.for_view((60, ISO))


def test_refreshes_and_formats_are_apart(caches):
    kinds = [caches.for_view((refresh, form)) for refresh in (0, 60) for form in (ISO, SPACED, UNIX)]
    assert len({id(live) for live in kinds}) == 6
    assert len({id(live.state[1]) for live in kinds}) == 6
    kinds[0].state[1].add(CACHE_KEY, ANSWER)
    assert [live.state[1].get(CACHE_KEY, START) is ANSWER for live in kinds] == [True] + [False] * 5


def test_who_sees_every_book_sees_a_new_one_at_once(caches):
    live = caches.for_view((0, ISO))
    for book in (SECOND, THIRD):
        caches.apply_book(book, START)
        assert seen(live) is book


@pytest.mark.parametrize("refresh", [1, 30, 60, 0.5])
def test_others_see_it_when_it_is_due_and_not_before(caches, refresh):
    live = caches.for_view((refresh, ISO))
    caches.apply_book(SECOND, START + refresh / 4)
    assert seen(live) is FIRST
    caches.tick(START + refresh - 0.125)
    assert seen(live) is FIRST
    caches.tick(START + refresh)
    assert seen(live) is SECOND


def test_a_book_that_comes_after_the_last_one_is_old_enough_is_seen_at_once(caches):
    live = caches.for_view((60, ISO))
    caches.apply_book(SECOND, START + 61)
    assert seen(live) is SECOND


def test_no_two_books_are_seen_within_the_time_of_the_plan(caches):
    live, changes, last = caches.for_view((60, ISO)), [], FIRST
    for second in range(600):
        caches.apply_book(RateBook.of(QuotedBook(second + 2, FIRST.as_of, {}, ("USD",))), START + second)
        if seen(live) is not last:
            changes.append(second)
            last = seen(live)
    assert changes == list(range(60, 600, 60))


def test_a_book_that_was_replaced_before_it_was_due_is_never_seen(caches):
    live = caches.for_view((60, ISO))
    caches.apply_book(SECOND, START + 10)
    caches.apply_book(THIRD, START + 20)
    caches.tick(START + 60)
    assert seen(live) is THIRD


def test_without_a_new_book_the_old_one_stays_however_long(caches):
    live = caches.for_view((1, ISO))
    for second in range(100):
        caches.tick(START + second)
        assert seen(live) is FIRST


def test_the_formats_of_one_refresh_see_the_same_book_at_the_same_moment(caches):
    kinds = [caches.for_view((60, form)) for form in (ISO, SPACED, UNIX)]
    for second in range(0, 200, 7):
        caches.apply_book(RateBook.of(QuotedBook(second + 2, FIRST.as_of, {}, ("USD",))), START + second)
        assert len({seen(live).version for live in kinds}) == 1


def test_a_new_book_comes_with_no_answers(caches):
    live = caches.for_view((0, ISO))
    live.state[1].add(CACHE_KEY, ANSWER)
    caches.apply_book(SECOND, START)
    assert live.state[0] is SECOND
    assert live.state[1].get(CACHE_KEY, START) is None


def test_an_answer_made_of_an_old_book_never_stands_beside_a_new_one(caches):
    live = caches.for_view((0, ISO))
    book, answers = live.state
    caches.apply_book(SECOND, START)
    answers.add(CACHE_KEY, ANSWER)
    assert book is FIRST
    assert live.state[1].get(CACHE_KEY, START) is None
    caches.apply_book(FIRST, START + 1)  # the same book again
    assert live.state[1].get(CACHE_KEY, START) is None


def test_an_answer_is_never_returned_to_an_account_that_sees_another_book(caches):
    fresh, slow = caches.for_view((0, ISO)), caches.for_view((60, ISO))
    caches.apply_book(SECOND, START + 1)
    slow.state[1].add(CACHE_KEY, ANSWER)
    assert fresh.state[1].get(CACHE_KEY, START) is None


def test_a_tick_without_a_new_book_keeps_the_answers(caches):
    kinds = [caches.for_view((refresh, ISO)) for refresh in (0, 60)]
    for live in kinds:
        live.state[1].add(CACHE_KEY, ANSWER)
    caches.tick(START + 1)
    assert [live.state[1].get(CACHE_KEY, START) for live in kinds] == [ANSWER, ANSWER]


def test_all_answers_may_be_dropped_while_the_books_stay(caches):
    kinds = [caches.for_view((refresh, ISO)) for refresh in (0, 60)]
    for live in kinds:
        live.state[1].add(CACHE_KEY, ANSWER)
    caches.clear()
    assert [live.state[1].get(CACHE_KEY, START) for live in kinds] == [None, None]
    assert [seen(live) for live in kinds] == [FIRST, FIRST]


def test_state_is_replaced_whole(caches):
    live = caches.for_view((0, ISO))
    before = live.state
    caches.apply_book(SECOND, START)
    assert before[0] is FIRST
    assert live.state is not before


def test_a_clock_that_is_set_back_does_not_withhold_a_book_for_longer_than_the_plan_says(caches):
    live = caches.for_view((60, ISO))
    back = START - 3600
    caches.apply_book(SECOND, back)
    for second in range(62):
        caches.tick(back + second)
    assert seen(live) is SECOND

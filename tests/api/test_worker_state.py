from __future__ import annotations

from array import array
from dataclasses import FrozenInstanceError, fields
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec import structs

from cambist.accounts.account import Account, DatetimeFormat, StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principals
from cambist.api.answer.request_context import RequestContext
from cambist.api.state.response_cache import CachedResponse
from cambist.api.state.worker_state import Choices, WorkerState
from cambist.errors import RateUnavailable
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
BOOK, NEW_BOOK = (RateBook.of(QuotedBook(version, NOON, {}, ("USD",))) for version in (1, 2))
CACHE_KEY, ANSWER = ("/fetch-one", "to=USD", "iso", date.min), CachedResponse(b"{", ())
KEY, OTHER = Digest(b"key"), Digest(b"other")
OWNER = StoredKey(1, Account(1, "owner", "unlimited"))
PLANS = read_plans(default_plans(), "plans.toml")


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON.timestamp()

    def __call__(self) -> float:
        return self.now


def a_matrix(revision: str) -> RateMatrix:
    cells = memoryview(array("d", [1.0]))
    return RateMatrix(revision, date(2026, 3, 6), date(2026, 3, 6), ("USD",), ((0,),), array("H", [0]), cells)


MATRIX, NEW_MATRIX = a_matrix("1"), a_matrix("2")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def worker_state(clock: Clock) -> WorkerState:
    return WorkerState(BOOK, MATRIX, Principals({KEY: OWNER}, PLANS), clock=clock)


@pytest.fixture
def stocked(worker_state: WorkerState) -> WorkerState:
    """A desk that keeps a live and a closed answer."""
    worker_state.caches.for_view(worker_state.principals.by_digest[KEY].book_view).state[1].add(CACHE_KEY, ANSWER)
    worker_state.caches.immutable.add(CACHE_KEY, ANSWER)
    return worker_state


def kept(worker_state: WorkerState) -> tuple[bool, bool]:
    live = worker_state.caches.for_view(worker_state.principals.by_digest[KEY].book_view).state[1]
    return live.get(CACHE_KEY, 0) is not None, worker_state.caches.immutable.get(CACHE_KEY, 0) is not None


def seen(worker_state: WorkerState, key: Digest = KEY) -> RateBook:
    return worker_state.caches.for_view(worker_state.principals.by_digest[key].book_view).state[0]


def test_a_request_context_has_the_rate_book_the_rate_matrix_and_the_time(worker_state: WorkerState) -> None:
    view = RequestContext(worker_state, BOOK, NOON.timestamp())
    assert (view.book, view.matrix, view.now, view.today) == (BOOK, MATRIX, NOON, date(2026, 3, 6))


def test_the_day_turns_at_midnight_utc(worker_state: WorkerState) -> None:
    midnight = datetime(2026, 3, 7, tzinfo=UTC).timestamp()
    assert RequestContext(worker_state, BOOK, midnight - 0.001).today == date(2026, 3, 6)
    assert RequestContext(worker_state, BOOK, midnight).today == date(2026, 3, 7)


def test_a_request_context_has_the_time_of_its_request_and_not_that_of_the_clock(worker_state: WorkerState) -> None:
    moments = [NOON, NOON + timedelta(days=1)]
    assert [RequestContext(worker_state, BOOK, moment.timestamp()).now for moment in moments] == moments


def test_a_request_context_does_not_change_when_the_state_does(worker_state: WorkerState) -> None:
    view = RequestContext(worker_state, seen(worker_state), NOON.timestamp())
    worker_state.apply_book(NEW_BOOK)
    worker_state.apply_matrix(NEW_MATRIX)
    assert (view.book, view.matrix) == (BOOK, MATRIX)
    later = RequestContext(worker_state, seen(worker_state), NOON.timestamp())
    assert (later.book, later.matrix) == (NEW_BOOK, NEW_MATRIX)


def test_a_view_writes_times_as_its_account_wants_them(worker_state: WorkerState) -> None:
    written = [
        RequestContext(worker_state, BOOK, NOON.timestamp(), form).updated(NOON, None) for form in DatetimeFormat
    ]
    assert written == ["2026-03-06T12:00:00Z", "2026-03-06 12:00:00", 1_772_798_400_000]
    assert RequestContext(worker_state, BOOK, NOON.timestamp()).updated(NOON, None) == "2026-03-06T12:00:00Z"


def test_a_new_book_drops_live_answers_alone(stocked: WorkerState) -> None:
    stocked.apply_book(NEW_BOOK)
    assert kept(stocked) == (False, True)


def test_a_new_rate_matrix_drops_all_answers(stocked: WorkerState) -> None:
    stocked.apply_matrix(NEW_MATRIX)  # lists of what there is are read from it too
    assert kept(stocked) == (False, False)


def test_new_accounts_and_new_plans_drop_no_answers(stocked: WorkerState) -> None:
    stocked.apply_accounts({KEY: OWNER, OTHER: OWNER})
    stocked.apply_plans(dict(PLANS))
    assert kept(stocked) == (True, True)


def test_a_tick_drops_no_answers(stocked: WorkerState) -> None:
    stocked.tick()
    assert kept(stocked) == (True, True)
    assert seen(stocked) is BOOK


def test_an_answer_of_an_old_book_lands_where_nobody_looks_again(worker_state: WorkerState) -> None:
    answers = worker_state.caches.for_view(worker_state.principals.by_digest[KEY].book_view).state[1]
    worker_state.apply_book(NEW_BOOK)
    answers.add(CACHE_KEY, ANSWER)
    assert kept(worker_state) == (False, False)


def test_an_answer_from_an_old_rate_matrix_is_never_returned(worker_state: WorkerState) -> None:
    answers = worker_state.caches.immutable
    worker_state.apply_matrix(NEW_MATRIX)
    answers.add(CACHE_KEY, ANSWER)
    assert kept(worker_state) == (False, False)


def test_accounts_are_replaced_whole(worker_state: WorkerState) -> None:
    assert set(worker_state.principals.by_digest) == {KEY}
    before = worker_state.principals.by_digest
    worker_state.apply_accounts({OTHER: OWNER})
    assert set(worker_state.principals.by_digest) == {OTHER}
    assert set(before) == {KEY}


def test_new_accounts_are_on_the_plans_that_hold_now(worker_state: WorkerState) -> None:
    worker_state.apply_plans(PLANS | {"unlimited": structs.replace(PLANS["unlimited"], rate=7.0, burst=7)})
    assert worker_state.principals.by_digest[KEY].plan.rate == 7
    worker_state.apply_accounts({OTHER: OWNER})
    assert worker_state.principals.by_digest[OTHER].plan.rate == 7


def test_new_plans_hold_for_those_who_are_there(worker_state: WorkerState) -> None:
    worker_state.apply_plans({"unlimited": structs.replace(PLANS["one"], name="unlimited")})
    principal = worker_state.principals.by_digest[KEY]
    assert (principal.plan.burst, principal.tags) == (100, {"currency", "crypto", "admin"})
    assert principal.book_view == (60, "iso")


def test_an_account_on_a_plan_that_is_no_more_may_do_nothing_and_is_still_known(worker_state: WorkerState) -> None:
    worker_state.apply_accounts({KEY: StoredKey(1, Account(1, "owner", "gone"))})
    principal = worker_state.principals.by_digest[KEY]
    assert (principal.plan.name, principal.plan.calls_a_month, principal.tags) == ("gone", 0, frozenset())


def test_a_new_book_reaches_each_plan_as_often_as_it_may_see_one(worker_state: WorkerState, clock: Clock) -> None:
    worker_state.apply_accounts({KEY: OWNER, OTHER: StoredKey(2, Account(2, "second", "one"))})
    clock.now += 59
    worker_state.apply_book(NEW_BOOK)
    assert (seen(worker_state), seen(worker_state, OTHER)) == (NEW_BOOK, BOOK)
    clock.now += 1
    worker_state.tick()
    assert seen(worker_state, OTHER) is NEW_BOOK


def test_the_operators_limit_is_in_every_view() -> None:
    choices = Choices(longest_age=timedelta(hours=1))
    worker_state = WorkerState(BOOK, MATRIX, Principals({}, PLANS), choices=choices, clock=NOON.timestamp)
    view = RequestContext(worker_state, BOOK, NOON.timestamp())
    assert view.updated(NOON - timedelta(hours=1), None) == "2026-03-06T11:00:00Z"
    with pytest.raises(RateUnavailable):
        view.updated(NOON - timedelta(hours=1, seconds=1), None)


def test_what_a_worker_reads_and_what_was_chosen_cannot_be_replaced(worker_state: WorkerState) -> None:
    for built_once in (worker_state.readers, worker_state.choices):
        for name in (field.name for field in fields(built_once)):
            with pytest.raises(FrozenInstanceError):
                setattr(built_once, name, None)

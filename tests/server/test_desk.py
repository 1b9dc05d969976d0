from __future__ import annotations

from array import array
from datetime import UTC, date, datetime, timedelta

import pytest

from cambist.accounts.account import Account
from cambist.accounts.api_key import Digest
from cambist.errors import RateUnavailable
from cambist.history.image import RateImage
from cambist.market.book import Book
from cambist.server.answers import Answer
from cambist.server.desk import Desk, utc_now

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
BOOK, NEW_BOOK = (Book(version, NOON, {}, ("USD",)) for version in (1, 2))
QUESTION, ANSWER = ("/fetch-one", "to=USD"), Answer(b"{", ())
OWNER = Account(1, "owner", "unlimited")


def an_image(revision: str) -> RateImage:
    cells = memoryview(array("d", [1.0]))
    return RateImage(revision, date(2026, 3, 6), date(2026, 3, 6), ("USD",), ((0,),), array("H", [0]), cells)


IMAGE, NEW_IMAGE = an_image("1"), an_image("2")


@pytest.fixture
def desk() -> Desk:
    return Desk(BOOK, IMAGE, {Digest(b"key"): OWNER}, lambda: NOON)


@pytest.fixture
def stocked(desk: Desk) -> Desk:
    """A desk that keeps a live and a closed answer."""
    desk.live.keep(QUESTION, ANSWER)
    desk.closed.keep(QUESTION, ANSWER)
    return desk


def kept(desk: Desk) -> tuple[bool, bool]:
    return desk.live.get(QUESTION) is not None, desk.closed.get(QUESTION) is not None


def test_a_view_shows_book_image_and_the_moment(desk: Desk) -> None:
    view = desk.view()
    assert (view.book, view.image, view.now, view.today) == (BOOK, IMAGE, NOON, date(2026, 3, 6))


def test_the_day_turns_at_midnight_utc() -> None:
    desk = Desk(BOOK, IMAGE, {}, lambda: datetime(2026, 3, 6, 23, 59, 59, tzinfo=UTC))
    assert desk.view().today == date(2026, 3, 6)


def test_the_clock_is_read_for_each_view() -> None:
    moments = iter([NOON, NOON + timedelta(days=1)])
    desk = Desk(BOOK, IMAGE, {}, lambda: next(moments))
    assert [desk.view().now, desk.view().now] == [NOON, NOON + timedelta(days=1)]


def test_a_view_stays_what_it_was_when_news_comes(desk: Desk) -> None:
    view = desk.view()
    desk.take_book(NEW_BOOK)
    desk.take_image(NEW_IMAGE)
    assert (view.book, view.image) == (BOOK, IMAGE)
    assert (desk.view().book, desk.view().image) == (NEW_BOOK, NEW_IMAGE)


def test_a_new_book_drops_live_answers_alone(stocked: Desk) -> None:
    stocked.take_book(NEW_BOOK)
    assert kept(stocked) == (False, True)


def test_a_new_image_drops_closed_answers_alone(stocked: Desk) -> None:
    stocked.take_image(NEW_IMAGE)
    assert kept(stocked) == (True, False)


def test_new_accounts_drop_no_answers(stocked: Desk) -> None:
    stocked.take_accounts({})
    assert kept(stocked) == (True, True)


def test_forgetting_drops_live_answers_alone(stocked: Desk) -> None:
    stocked.forget_live()
    assert kept(stocked) == (False, True)


def test_an_answer_of_an_old_book_lands_where_nobody_looks_again(desk: Desk) -> None:
    shelf = desk.live
    desk.take_book(NEW_BOOK)
    shelf.keep(QUESTION, ANSWER)
    assert kept(desk) == (False, False)


def test_an_answer_of_an_old_image_lands_where_nobody_looks_again(desk: Desk) -> None:
    shelf = desk.closed
    desk.take_image(NEW_IMAGE)
    shelf.keep(QUESTION, ANSWER)
    assert kept(desk) == (False, False)


def test_accounts_are_replaced_whole(desk: Desk) -> None:
    assert desk.accounts() == {b"key": OWNER}
    desk.take_accounts({Digest(b"other"): OWNER})
    assert desk.accounts() == {b"other": OWNER}


def test_the_operators_limit_is_in_every_view() -> None:
    desk = Desk(BOOK, IMAGE, {}, lambda: NOON, timedelta(hours=1))
    assert desk.view().updated(NOON - timedelta(hours=1), None) == "2026-03-06T11:00:00Z"
    with pytest.raises(RateUnavailable):
        desk.view().updated(NOON - timedelta(hours=1, seconds=1), None)


def test_the_clock_at_the_edge_tells_utc() -> None:
    assert utc_now().utcoffset() == timedelta(0)

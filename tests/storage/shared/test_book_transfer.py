"""A rate book as a message to another machine."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.errors import RateBookDamaged
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.storage.shared.change_notifier import Topic
from cambist.storage.shared.rate_book.buffers import EncodedBook
from cambist.storage.shared.rate_book.layout import FILE_HEAD_PACKED, with_crc
from cambist.storage.shared.rate_book.transfer import pack_book, pack_change, unpack_book, unpack_change
from cambist.storage.shared.rate_book_file import RateBookFile

AT = datetime(2026, 3, 6, 15, 2, 3, 456789, tzinfo=UTC)


def a_book(version: int = 1, codes: tuple[str, ...] = ("JPY", "CHF"), bid: int = 150) -> QuotedBook:
    quotes = {
        code: Quote(Pair("USD", code), Fraction(bid), Fraction(bid + 1), AT, AT, Origin(Derivation.PUBLISHED, ("ecb",)))
        for code in codes
    }
    return QuotedBook(version, AT, quotes, ("JPY", "USD"))


def encoded(folder: Path, book: QuotedBook, leader_epoch: int = 3) -> EncodedBook:
    folder.mkdir(exist_ok=True)
    file = RateBookFile(folder)
    file.publish(book, leader_epoch)
    content = file.encoded()
    assert content is not None
    return content


def test_a_book_is_the_same_on_the_other_machine(tmp_path: Path) -> None:
    sent = encoded(tmp_path / "one", a_book(7))
    received = RateBookFile(tmp_path)
    received.publish_encoded(unpack_book(pack_book(sent)))
    one, other = RateBookFile(tmp_path / "one"), RateBookFile(tmp_path)
    books = [file.current() for file in (received, other, one)]
    assert [book and book.quoted() for book in books] == [a_book(7)] * 3
    assert other.age_order() == sent.order == (3, 7)
    assert other.published_at() == one.published_at()


def test_readers_are_notified_of_a_book_from_another_machine(tmp_path: Path) -> None:
    received = RateBookFile(tmp_path)
    before = received.changes.version(Topic.BOOK)
    received.publish_encoded(unpack_book(pack_book(encoded(tmp_path / "one", a_book()))))
    assert received.changes.version(Topic.BOOK) != before


def test_books_of_two_leaders_follow_each_other_in_one_file(tmp_path: Path) -> None:
    received, reader = RateBookFile(tmp_path), RateBookFile(tmp_path)
    one, other = tmp_path / "one", tmp_path / "other"
    files = {folder: RateBookFile(folder) for folder in (one, other) if not folder.mkdir()}
    many = tuple(f"C{number:02}" for number in range(40))
    for version in range(1, 13):
        folder = one if version % 3 else other
        codes = ("JPY", "CHF") if folder is one else ("CHF", "EUR") if version < 9 else many
        files[folder].publish(a_book(version, codes, version), version)
        content = files[folder].encoded()
        assert content is not None
        received.publish_encoded(unpack_book(pack_book(content)))
        current = reader.current()
        assert current is not None
        assert set(current.quotes) == set(codes)
        assert {quote.bid for quote in current.quotes.values()} == {Fraction(version)}
        assert reader.age_order() == (version, version)


def test_there_is_nothing_to_send_before_the_first_book_and_of_a_damaged_one(tmp_path: Path) -> None:
    assert RateBookFile(tmp_path).encoded() is None
    encoded(tmp_path, a_book())
    content = bytearray((tmp_path / "rates.book").read_bytes())
    content[4096 + 200] ^= 1
    (tmp_path / "rates.book").write_bytes(content)
    assert RateBookFile(tmp_path).encoded() is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(min_value=0), bit=st.integers(0, 7))
def test_no_damage_of_a_message_goes_unnoticed(tmp_path: Path, at: int, bit: int) -> None:
    sent = encoded(tmp_path, a_book())
    message = bytearray(pack_book(sent))
    message[at % len(message)] ^= 1 << bit
    try:
        received = unpack_book(bytes(message))
    except RateBookDamaged:
        return
    assert received == sent  # it was in what pads the head of the buffer


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(min_value=0))
def test_a_message_that_is_cut_off_is_refused_with_the_reason(tmp_path: Path, at: int) -> None:
    message = pack_book(encoded(tmp_path, a_book()))
    with pytest.raises(RateBookDamaged, match="from another node cannot be read: "):
        unpack_book(message[: at % len(message)])


def test_a_message_of_a_later_format_is_refused_by_its_number(tmp_path: Path) -> None:
    message = bytearray(pack_book(encoded(tmp_path, a_book())))
    message[8] = 99
    message[:FILE_HEAD_PACKED] = with_crc(bytes(message[: FILE_HEAD_PACKED - 4]))
    with pytest.raises(RateBookDamaged, match="it has format 99"):
        unpack_book(bytes(message))


def test_a_change_makes_the_next_book_of_the_one_before(tmp_path: Path) -> None:
    many = tuple(f"C{number:03}" for number in range(300))
    books = [a_book(1, many), a_book(2, many, 151), a_book(3, (*many, "JPY"), 152), a_book(4, many[:-1], 153)]
    file = RateBookFile(tmp_path)
    before, sizes = None, []
    for book in books:
        file.publish(book, 3)
        sent = file.encoded()
        assert sent is not None
        if before is not None:
            change = pack_change(sent, before)
            assert change is not None
            received = unpack_change(change, before)
            assert received is not None
            assert pack_book(received) == pack_book(sent)
            sizes.append(len(change) / len(pack_book(sent)))
        before = sent
    assert max(sizes[0], sizes[2]) < 0.5


def test_a_change_of_another_book_is_none_of_this_one(tmp_path: Path) -> None:
    one, two, three = (encoded(tmp_path / str(number), a_book(number, bid=number)) for number in (1, 2, 3))
    change = pack_change(three, two)
    assert change is not None
    assert unpack_change(change, one) is None


def test_books_with_other_places_have_no_change(tmp_path: Path) -> None:
    few = encoded(tmp_path / "few", a_book(1))
    many = encoded(tmp_path / "many", a_book(2, tuple(f"C{number:04}" for number in range(2000))))
    assert pack_change(many, few) is None


def test_a_damaged_change_is_refused(tmp_path: Path) -> None:
    one, two = encoded(tmp_path / "one", a_book(1)), encoded(tmp_path / "two", a_book(2, ("JPY", "EUR"), 200))
    change = pack_change(two, one)
    assert change is not None
    damaged = [change[:at] for at in range(len(change))]
    damaged += [change[:at] + bytes([change[at] ^ 0x41]) + change[at + 1 :] for at in range(len(change))]
    for message in damaged:
        try:
            found = unpack_change(message, one)
        except RateBookDamaged:
            continue
        assert found is None or pack_book(found) == pack_book(two)

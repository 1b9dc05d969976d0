from __future__ import annotations

import os
import time
import zlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cambist.errors import RateBookDamaged
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.rate_book import RateBook
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_book_file import RateBookFile

AS_OF = datetime(2026, 3, 6, 14, 15, tzinfo=timezone(timedelta(hours=1)))
RECEIVED = datetime(2026, 3, 6, 15, 2, 3, 456789, tzinfo=UTC)


def a_quote(bid: Fraction = Fraction(1, 3), ask: Fraction = Fraction(2, 3)) -> Quote:
    origin = Origin(Derivation.CROSSED, ("ecb", "boe"), (Pair("EUR", "USD"), Pair("EUR", "JPY")))
    return Quote(Pair("USD", "JPY"), bid, ask, AS_OF, RECEIVED, origin)


def a_book(version: int = 1, quote: Quote | None = None) -> RateBook:
    return RateBook(
        version, AS_OF, {"JPY": quote or a_quote(), "CHF": a_quote(Fraction(5), Fraction(5))}, ("JPY", "USD")
    )


def with_checksum(content: bytes) -> bytes:
    """Return a file with the right checksum and this content, as another version may have written it."""
    return b"%08x\n" % zlib.crc32(content) + content


@pytest.fixture
def book_file(tmp_path: Path) -> RateBookFile:
    return RateBookFile(tmp_path)


def test_before_the_first_book_there_is_none(book_file: RateBookFile) -> None:
    assert book_file.current() is None
    assert book_file.published_at() is None


def test_another_process_can_read_when_the_book_was_published(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    os.utime(tmp_path / "rates.book", (5, 1_795_176_000.5))
    assert RateBookFile(tmp_path).published_at() == 1_795_176_000.5
    book_file.publish(a_book(2))
    published = book_file.published_at()
    assert published == pytest.approx(time.time(), abs=60)


def test_a_book_is_read_as_it_was_published(book_file: RateBookFile) -> None:
    book_file.publish(a_book())
    assert book_file.current() == a_book()


def test_a_book_keeps_the_order_of_its_quotes(book_file: RateBookFile) -> None:
    book_file.publish(a_book())
    current = book_file.current()
    assert current is not None
    assert list(current.quotes) == ["JPY", "CHF"]


def test_times_are_read_with_their_zone(book_file: RateBookFile) -> None:
    book_file.publish(a_book())
    current = book_file.current()
    assert current is not None
    assert (current.as_of, current.quotes["JPY"].received_at) == (AS_OF, RECEIVED)
    assert current.as_of.tzinfo is not None


RATES = st.fractions(min_value=Fraction(1, 10**30), max_value=Fraction(10**30))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bid=RATES, ask=RATES)
def test_any_fraction_is_read_exactly(book_file: RateBookFile, bid: Fraction, ask: Fraction) -> None:
    book_file.publish(a_book(quote=a_quote(bid, ask)))
    current = book_file.current()
    assert current is not None
    assert (current.quotes["JPY"].bid, current.quotes["JPY"].ask) == (bid, ask)


def test_publishing_changes_the_version_of_the_book_alone(book_file: RateBookFile, tmp_path: Path) -> None:
    changes = data_changes(tmp_path)
    before = {topic: changes.version(topic) for topic in Topic}
    book_file.publish(a_book(version=7))
    assert [topic for topic in Topic if changes.version(topic) != before[topic]] == [Topic.BOOK]
    assert RateBookFile(tmp_path).current() == a_book(version=7)


def test_the_last_book_can_be_read_after_its_publisher_has_ended(tmp_path: Path) -> None:
    RateBookFile(tmp_path).publish(a_book(version=1))
    RateBookFile(tmp_path).publish(a_book(version=2))
    assert RateBookFile(tmp_path).current() == a_book(version=2)


def test_only_the_owner_can_read_the_files(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {
        "rates.book": 0o600,
        "versions": 0o600,
    }


INVALID = [
    b"",
    b"null",
    b"[]",
    b"{}",
    b"\xff\xfe",
    b'{"version":1,"as_of":"2026-03-06T13:15:00Z","listed":[]}',
    b'{"version":"1","as_of":"2026-03-06T13:15:00Z","listed":[],"quotes":[]}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("content", [*INVALID, *map(with_checksum, INVALID)], ids=range(2 * len(INVALID)))
def test_a_file_that_is_not_a_rate_book_is_refused(book_file: RateBookFile, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rates.book").write_bytes(content)
    with pytest.raises(RateBookDamaged, match=r"book\.json"):
        book_file.current()


@pytest.mark.parametrize("side", [b'"1/0"', b'"one"', b'""', b"null", b"[]"])
def test_a_price_that_is_not_a_fraction_is_refused(book_file: RateBookFile, tmp_path: Path, side: bytes) -> None:
    book_file.publish(a_book())
    path = tmp_path / "rates.book"
    content = path.read_bytes().partition(b"\n")[2]
    assert b'"1/3"' in content
    path.write_bytes(with_checksum(content))
    assert book_file.current() == a_book()
    path.write_bytes(with_checksum(content.replace(b'"1/3"', side)))
    with pytest.raises(RateBookDamaged):
        book_file.current()


def test_a_book_cut_off_at_any_length_is_refused(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    content = (tmp_path / "rates.book").read_bytes()
    for length in range(len(content)):
        (tmp_path / "rates.book").write_bytes(content[:length])
        with pytest.raises(RateBookDamaged):
            book_file.current()


def test_a_flipped_bit_is_never_read_as_another_book(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    path = tmp_path / "rates.book"
    content, wrong = path.read_bytes(), []
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= 1
        path.write_bytes(changed)
        try:
            same = book_file.current() == a_book()
        except RateBookDamaged:
            same = True
        if not same:
            wrong.append(bytes(changed[max(0, position - 12) : position + 8]))
    assert wrong == []


def test_a_book_can_be_published_over_a_damaged_one(book_file: RateBookFile, tmp_path: Path) -> None:
    (tmp_path / "rates.book").write_bytes(b"{")
    book_file.publish(a_book())
    assert book_file.current() == a_book()


def read_lines(folder: Path) -> tuple[dict[str, Any], list[bytes]]:
    """Return the head of the file and its lines, one for each quote."""
    _, head, _, *lines = (folder / "rates.book").read_bytes().split(b"\n")
    return msgspec.json.decode(head), lines


def a_rich_book(version: int, quotes: Mapping[str, Quote], pairs: Mapping[Pair, Quote]) -> RateBook:
    return RateBook(version, AS_OF, quotes, ("JPY", "USD"), pairs)


YEN, CABLE = Pair("USD", "JPY"), Pair("GBP", "USD")


def test_quotes_by_code_and_by_pair_are_read_separately(book_file: RateBookFile) -> None:
    book = a_rich_book(3, {"JPY": a_quote()}, {YEN: a_quote(Fraction(7), Fraction(8)), CABLE: a_quote(Fraction(9))})
    book_file.publish(book)
    current = book_file.current()
    assert current == book
    assert current is not None
    assert (list(current.quotes), list(current.pairs)) == (["JPY"], [YEN, CABLE])


def test_a_code_and_a_pair_may_have_the_same_quote(book_file: RateBookFile) -> None:
    quote = a_quote()
    book_file.publish(a_rich_book(1, {"JPY": quote}, {YEN: quote}))
    assert book_file.current() == a_rich_book(1, {"JPY": quote}, {YEN: quote})


def test_votes_and_the_origin_of_a_quote_are_read_again(book_file: RateBookFile) -> None:
    votes = (Vote("ecb", 1.25, AS_OF, 1.0), Vote("boe", 1.5, RECEIVED, 0.0))
    quote = replace(a_quote(), origin=Origin(Derivation.FORWARD_ADJUSTED, ("ecb",), (), votes))
    book_file.publish(a_book(quote=quote))
    current = book_file.current()
    assert current is not None
    assert current.quotes["JPY"] == quote


def test_the_file_has_a_head_and_a_line_for_each_quote(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_rich_book(3, {"JPY": a_quote(), "CHF": a_quote()}, {CABLE: a_quote()}))
    head, lines = read_lines(tmp_path)
    assert (head["version"], head["listed"], head["quotes"]) == (3, ["JPY", "USD"], 3)
    assert [msgspec.json.decode(line)[0] for line in lines] == ["JPY", "CHF", "GBP/USD"]


def test_the_pairs_that_venues_list_are_read_again(book_file: RateBookFile, tmp_path: Path) -> None:
    venue_pairs = frozenset({CABLE, YEN, Pair("BTC", "USDT")})
    for version, listed in ((1, venue_pairs), (2, venue_pairs), (3, frozenset({YEN})), (4, frozenset())):
        book_file.publish(replace(a_book(version), venue_pairs=listed))
        assert book_file.current() == RateBookFile(tmp_path).current() == replace(a_book(version), venue_pairs=listed)


def test_a_book_without_quotes_is_valid(book_file: RateBookFile) -> None:
    book_file.publish(a_rich_book(1, {}, {}))
    assert book_file.current() == a_rich_book(1, {}, {})


@pytest.mark.parametrize("change", [1, -1])
def test_a_head_with_a_wrong_number_of_quotes_is_refused(book_file: RateBookFile, tmp_path: Path, change: int) -> None:
    book_file.publish(a_book())
    content = (tmp_path / "rates.book").read_bytes().partition(b"\n")[2]
    assert content.count(b'"quotes":2') == 1
    changed = content.replace(b'"quotes":2', b'"quotes":%d' % (2 + change))
    (tmp_path / "rates.book").write_bytes(with_checksum(changed))
    with pytest.raises(RateBookDamaged, match=f"holds 2 quotes instead of {2 + change}"):
        book_file.current()


@pytest.mark.parametrize("lost", [1, 2])
def test_a_file_with_a_missing_or_repeated_line_is_refused(book_file: RateBookFile, tmp_path: Path, lost: int) -> None:
    book_file.publish(a_book())
    head, venue_pairs, *lines = (tmp_path / "rates.book").read_bytes().split(b"\n")[1:]
    kept = lines[:-lost] or [lines[0], lines[0]]
    (tmp_path / "rates.book").write_bytes(with_checksum(b"\n".join((head, venue_pairs, *kept))))
    with pytest.raises(RateBookDamaged, match="holds 1 quotes instead of 2"):
        book_file.current()


def test_only_quotes_that_have_changed_are_encoded_again(book_file: RateBookFile, tmp_path: Path) -> None:
    stays, goes, comes = a_quote(), a_quote(Fraction(5)), a_quote(Fraction(6))
    book_file.publish(a_rich_book(1, {"JPY": stays, "CHF": goes}, {YEN: stays}))
    before = read_lines(tmp_path)[1]
    # Quotes are immutable: this shows that its line is not encoded again, or the file would contain 77.
    object.__setattr__(stays, "bid", Fraction(77))
    book_file.publish(a_rich_book(2, {"JPY": stays, "CHF": comes}, {YEN: stays}))
    head, after = read_lines(tmp_path)
    assert head["version"] == 2
    assert (after[0], after[2]) == (before[0], before[2])
    assert b'"6"' in after[1]
    assert b'"5"' not in after[1]


def test_a_new_quote_for_the_same_code_is_encoded(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book(quote=a_quote()))
    book_file.publish(a_book(quote=a_quote(Fraction(1, 7))))
    assert b'"1/7"' in read_lines(tmp_path)[1][0]


def test_a_quote_that_was_removed_and_added_again_is_written(book_file: RateBookFile) -> None:
    quote = a_quote()
    book_file.publish(a_rich_book(1, {"JPY": quote, "CHF": quote}, {}))
    book_file.publish(a_rich_book(2, {"CHF": quote}, {}))
    assert book_file.current() == a_rich_book(2, {"CHF": quote}, {})
    book_file.publish(a_rich_book(3, {"CHF": quote, "JPY": quote}, {}))
    assert book_file.current() == a_rich_book(3, {"CHF": quote, "JPY": quote}, {})


def test_reused_lines_and_new_lines_make_the_same_file(tmp_path: Path) -> None:
    folders = [tmp_path / "old", tmp_path / "new"]
    for folder in folders:
        folder.mkdir()
    old, new = map(RateBookFile, folders)
    stays = a_quote()
    old.publish(a_rich_book(1, {"CHF": stays, "JPY": stays}, {YEN: stays}))
    book = a_rich_book(2, {"JPY": stays, "CHF": a_quote(Fraction(5))}, {YEN: stays})
    old.publish(book)
    new.publish(book)
    assert (folders[0] / "rates.book").read_bytes() == (folders[1] / "rates.book").read_bytes()


def test_a_reader_reuses_quotes_that_have_not_changed(book_file: RateBookFile, tmp_path: Path) -> None:
    reader, stays = RateBookFile(tmp_path), a_quote()
    book_file.publish(a_rich_book(1, {"JPY": stays, "CHF": a_quote(Fraction(5))}, {YEN: stays}))
    first = reader.current()
    book_file.publish(a_rich_book(2, {"JPY": stays, "CHF": a_quote(Fraction(6))}, {YEN: stays}))
    second = reader.current()
    assert first is not None
    assert second is not None
    assert second.quotes["JPY"] is first.quotes["JPY"]
    assert second.pairs[YEN] is first.pairs[YEN]
    assert (first.quotes["CHF"].bid, second.quotes["CHF"].bid) == (5, 6)


def test_a_reader_recovers_from_a_damaged_file(book_file: RateBookFile, tmp_path: Path) -> None:
    reader = RateBookFile(tmp_path)
    book_file.publish(a_book(version=1))
    first = reader.current()
    (tmp_path / "rates.book").write_bytes(b"{")
    with pytest.raises(RateBookDamaged):
        reader.current()
    book_file.publish(a_book(version=2, quote=a_quote(Fraction(5))))
    second = reader.current()
    assert first is not None
    assert second is not None
    assert (second.version, second.quotes["JPY"].bid) == (2, 5)


CODES = st.sampled_from(["AUD", "CHF", "EUR", "JPY"])
BOOKS = st.lists(
    st.tuples(
        st.dictionaries(CODES, st.integers(0, 3)),
        st.dictionaries(st.builds(Pair, CODES, CODES), st.integers(0, 3)),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(books=BOOKS)
def test_any_sequence_of_books_is_read_as_it_was_published(
    book_file: RateBookFile, tmp_path: Path, books: list[tuple[dict[str, int], dict[Pair, int]]]
) -> None:
    quotes, reader = [a_quote(Fraction(1, 3 + number)) for number in range(4)], RateBookFile(tmp_path)
    for version, (codes, pairs) in enumerate(books):
        named = {code: quotes[number] for code, number in codes.items()}
        book = a_rich_book(version, named, {pair: quotes[number] for pair, number in pairs.items()})
        book_file.publish(book)
        assert reader.current() == book

from __future__ import annotations

import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from cambist.errors import RateBookDamaged
from cambist.pricing.book_columns import block_size, capacity_for
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.storage.atomic_file import Unwritable
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.shared.rate_book.layout import (
    BUFFER_HEAD_BYTES,
    FILE_HEAD_BYTES,
    FILE_HEAD_PACKED,
    FORMAT,
)
from cambist.storage.shared.rate_book_file import RateBookFile

AS_OF = datetime(2026, 3, 6, 14, 15, tzinfo=timezone(timedelta(hours=1)))
RECEIVED = datetime(2026, 3, 6, 15, 2, 3, 456789, tzinfo=UTC)


def a_quote(bid: Fraction = Fraction("1.5"), ask: Fraction = Fraction("1.6")) -> Quote:
    origin = Origin(Derivation.CROSSED, ("ecb", "boe"), (Pair("EUR", "USD"), Pair("EUR", "JPY")))
    return Quote(Pair("USD", "JPY"), bid, ask, AS_OF, RECEIVED, origin)


def quoted(reader: RateBookFile) -> QuotedBook | None:
    """Return all quotes of the current book."""
    book = reader.current()
    return None if book is None else book.quoted()


def a_book(version: int = 1, quote: Quote | None = None) -> QuotedBook:
    return QuotedBook(
        version, AS_OF, {"JPY": quote or a_quote(), "CHF": a_quote(Fraction(5), Fraction(5))}, ("JPY", "USD")
    )


def with_checksum(content: bytes) -> bytes:
    """Return a file of votes with the right checksum, as another version may have written it."""
    return b"%08x\n" % zlib.crc32(content) + content


def book_bytes(folder: Path) -> bytes:
    return (folder / "rates.book").read_bytes()


def rewrite(folder: Path, content: bytes) -> None:
    (folder / "rates.book").write_bytes(content)


def published_bytes() -> range:
    """Return the places of the newest book in a file that was written once: its heads and its columns."""
    return range(FILE_HEAD_BYTES, FILE_HEAD_BYTES + BUFFER_HEAD_BYTES + block_size(capacity_for(1)))


@pytest.fixture
def book_file(tmp_path: Path) -> RateBookFile:
    return RateBookFile(tmp_path)


def test_before_the_first_book_there_is_none(book_file: RateBookFile) -> None:
    assert book_file.current() is None
    assert book_file.published_at() is None


def test_another_process_can_read_when_the_book_was_published(book_file: RateBookFile, tmp_path: Path) -> None:
    before = time.time()
    book_file.publish(a_book())
    first = RateBookFile(tmp_path).published_at()
    book_file.publish(a_book(2))
    second = RateBookFile(tmp_path).published_at()
    assert first is not None
    assert second is not None
    assert before - 0.001 <= first <= second <= time.time()


def test_a_book_is_read_as_it_was_published(book_file: RateBookFile) -> None:
    book_file.publish(a_book())
    assert quoted(book_file) == a_book()


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
@given(digits=st.tuples(*[st.integers(1, 10**18 - 1)] * 2), powers=st.tuples(*[st.integers(-40, 40)] * 2))
def test_any_decimal_of_eighteen_digits_is_read_exactly(
    book_file: RateBookFile, digits: tuple[int, int], powers: tuple[int, int]
) -> None:
    bid, ask = (Fraction(number) * Fraction(10) ** power for number, power in zip(digits, powers, strict=True))
    book_file.publish(a_book(quote=a_quote(bid, ask)))
    current = book_file.current()
    assert current is not None
    assert (current.quotes["JPY"].bid, current.quotes["JPY"].ask) == (bid, ask)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bid=RATES, ask=RATES)
def test_any_other_price_is_read_within_1e17_of_itself(book_file: RateBookFile, bid: Fraction, ask: Fraction) -> None:
    book_file.publish(a_book(quote=a_quote(bid, ask)))
    current = book_file.current()
    assert current is not None
    quote = current.quotes["JPY"]
    assert max(abs(quote.bid / bid - 1), abs(quote.ask / ask - 1)) <= Fraction(1, 10**17)


def test_publishing_changes_the_version_of_the_book_alone(book_file: RateBookFile, tmp_path: Path) -> None:
    changes = data_changes(tmp_path)
    before = {topic: changes.version(topic) for topic in Topic}
    book_file.publish(a_book(version=7))
    assert [topic for topic in Topic if changes.version(topic) != before[topic]] == [Topic.BOOK]
    assert quoted(RateBookFile(tmp_path)) == a_book(version=7)


def test_the_last_book_can_be_read_after_its_publisher_has_ended(tmp_path: Path) -> None:
    RateBookFile(tmp_path).publish(a_book(version=1))
    RateBookFile(tmp_path).publish(a_book(version=2))
    assert quoted(RateBookFile(tmp_path)) == a_book(version=2)


def test_only_the_owner_can_read_the_files(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {
        "rates.book": 0o600,
        "rates.votes": 0o600,
        "versions": 0o600,
    }


INVALID = [b"", b"null", b"CMBBOOK\n", b"\xff\xfe", b'{"version":1}', bytes(10_000), b"[" * 100_000]


@pytest.mark.parametrize("content", INVALID, ids=range(len(INVALID)))
def test_a_file_that_is_not_a_rate_book_is_refused(book_file: RateBookFile, tmp_path: Path, content: bytes) -> None:
    rewrite(tmp_path, content)
    with pytest.raises(RateBookDamaged, match=r"rates\.book"):
        book_file.current()


def test_a_file_of_something_else_is_refused_as_such(book_file: RateBookFile, tmp_path: Path) -> None:
    rewrite(tmp_path, b"SQLite format 3\0" * 1000)
    with pytest.raises(RateBookDamaged, match="not a rate book"):
        book_file.current()


def test_a_newer_format_is_refused_with_its_number(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    content = bytearray(book_bytes(tmp_path))
    struct.pack_into("<I", content, 8, FORMAT + 1)
    struct.pack_into("<I", content, FILE_HEAD_PACKED - 4, zlib.crc32(content[: FILE_HEAD_PACKED - 4]))
    rewrite(tmp_path, content)
    with pytest.raises(
        RateBookDamaged, match=f"format {FORMAT + 1}, and this version of Cambist reads up to format {FORMAT}"
    ):
        book_file.current()


def in_format_1(content: bytes) -> bytes:
    """Return a file that was written once, as a release without epochs of leaders wrote it."""
    old = bytearray(content)
    struct.pack_into("<I", old, 8, 1)
    struct.pack_into("<I", old, FILE_HEAD_PACKED - 4, zlib.crc32(old[: FILE_HEAD_PACKED - 4]))
    fields = struct.calcsize("<QQQQQqqIIIIII")
    head = old[FILE_HEAD_BYTES : FILE_HEAD_BYTES + fields]
    old[FILE_HEAD_BYTES : FILE_HEAD_BYTES + BUFFER_HEAD_BYTES] = (
        head + struct.pack("<I", zlib.crc32(head)) + b"\xff" * (BUFFER_HEAD_BYTES - fields - 4)
    )
    return bytes(old)


def test_a_book_of_the_format_before_is_read_and_has_no_epoch_of_a_leader(
    book_file: RateBookFile, tmp_path: Path
) -> None:
    book_file.publish(a_book(7), leader_epoch=5)
    rewrite(tmp_path, in_format_1(book_bytes(tmp_path)))
    reader = RateBookFile(tmp_path)
    assert quoted(reader) == a_book(7)
    assert reader.age_order() == (0, 7)
    assert reader.published_at() is not None


def test_a_book_follows_one_of_the_format_before(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book(7))
    rewrite(tmp_path, in_format_1(book_bytes(tmp_path)))
    reader = RateBookFile(tmp_path)
    assert quoted(reader) == a_book(7)
    for version in (8, 9):
        book_file.publish(a_book(version))
        assert quoted(reader) == a_book(version)


def test_a_book_has_the_epoch_of_its_leader(book_file: RateBookFile, tmp_path: Path) -> None:
    reader = RateBookFile(tmp_path)
    assert reader.age_order() is None
    for epoch, version in ((0, 1), (3, 2), (3, 3), (1 << 40, 4)):
        book_file.publish(a_book(version), epoch)
        assert reader.age_order() == (epoch, version)
        assert quoted(reader) == a_book(version)


def test_a_damaged_book_has_no_place_in_the_order(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book(), 3)
    rewrite(tmp_path, book_bytes(tmp_path)[: FILE_HEAD_BYTES + 20])
    assert book_file.age_order() is None


def test_a_book_of_another_byte_order_is_refused(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    content = bytearray(book_bytes(tmp_path))
    content[12:16] = reversed(content[12:16])
    rewrite(tmp_path, content)
    with pytest.raises(RateBookDamaged, match="another byte order"):
        book_file.current()


def test_a_book_cut_off_is_refused(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    content = book_bytes(tmp_path)
    for length in (*range(100), FILE_HEAD_BYTES, *range(FILE_HEAD_BYTES, published_bytes().stop, 997)):
        rewrite(tmp_path, content[:length])
        with pytest.raises(RateBookDamaged, match="cut off"):
            book_file.current()


@pytest.mark.long
def test_a_flipped_bit_is_never_read_as_another_book(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book())
    content, wrong = book_bytes(tmp_path), []
    # A rate book is refused only after several attempts: not every byte of the columns is tried.
    heads = [*range(FILE_HEAD_PACKED), *range(FILE_HEAD_BYTES, FILE_HEAD_BYTES + BUFFER_HEAD_BYTES)]
    for position in [*heads, *published_bytes()[BUFFER_HEAD_BYTES::1009]]:
        changed = bytearray(content)
        changed[position] ^= 1
        rewrite(tmp_path, changed)
        try:
            same = quoted(RateBookFile(tmp_path)) == a_book()
        except RateBookDamaged:
            same = True
        if not same:
            wrong.append(position)
    assert wrong == []


@pytest.mark.parametrize("text", [b'"JPY"', b'"keys"'])
def test_damaged_names_and_origins_are_refused(book_file: RateBookFile, tmp_path: Path, text: bytes) -> None:
    book_file.publish(a_book())
    content = book_bytes(tmp_path)
    rewrite(tmp_path, content.replace(text, text.lower()[:-2] + b'!"', 1))
    with pytest.raises(RateBookDamaged, match="names or origins"):
        RateBookFile(tmp_path).current()


def test_a_book_can_be_published_over_a_damaged_one(book_file: RateBookFile, tmp_path: Path) -> None:
    (tmp_path / "rates.book").write_bytes(b"{")
    book_file.publish(a_book())
    assert quoted(book_file) == a_book()


def a_rich_book(version: int, quotes: Mapping[str, Quote], pairs: Mapping[Pair, Quote]) -> QuotedBook:
    return QuotedBook(version, AS_OF, quotes, ("JPY", "USD"), pairs)


YEN, CABLE = Pair("USD", "JPY"), Pair("GBP", "USD")


def test_quotes_by_code_and_by_pair_are_read_separately(book_file: RateBookFile) -> None:
    book = a_rich_book(3, {"JPY": a_quote()}, {YEN: a_quote(Fraction(7), Fraction(8)), CABLE: a_quote(Fraction(9))})
    book_file.publish(book)
    current = book_file.current()
    assert current is not None
    assert current.quoted() == book
    assert (list(current.quotes), list(current.pairs)) == (["JPY"], [YEN, CABLE])


def test_a_code_and_a_pair_may_have_the_same_quote(book_file: RateBookFile) -> None:
    quote = a_quote()
    book_file.publish(a_rich_book(1, {"JPY": quote}, {YEN: quote}))
    assert quoted(book_file) == a_rich_book(1, {"JPY": quote}, {YEN: quote})


def test_the_origin_of_a_quote_is_read_again(book_file: RateBookFile) -> None:
    legs = (CABLE, YEN, Pair("BTC", "USDT"))
    for made in Derivation:
        for pace in Pace:
            quote = replace(a_quote(), origin=Origin(made, ("ecb", "boe", "cbr"), legs, (), pace))
            book_file.publish(a_book(quote=quote))
            current = book_file.current()
            assert current is not None
            assert current.quotes["JPY"] == quote


VOTES = (Vote("boe", 1.5, RECEIVED, 0.0), Vote("ecb", 1.25, AS_OF - timedelta(hours=3), 1.0))
VOTED = replace(a_quote(), origin=Origin(Derivation.PUBLISHED, ("ecb",), (), VOTES))


def test_the_market_time_of_a_price_of_its_own_is_read_again(book_file: RateBookFile) -> None:
    book_file.publish(a_book(quote=VOTED))
    current = book_file.current()
    assert current is not None
    assert current.quotes["JPY"].origin.votes == ()
    assert current.quotes["JPY"].own_as_of == AS_OF - timedelta(hours=3)
    assert current.quotes["CHF"].own_as_of == AS_OF


def test_votes_are_read_from_their_own_file(book_file: RateBookFile, tmp_path: Path) -> None:
    book = a_rich_book(1, {"JPY": VOTED, "CHF": a_quote()}, {YEN: VOTED})
    book_file.publish(book)
    reader = RateBookFile(tmp_path)
    assert reader.votes("JPY") == reader.votes("USD/JPY") == VOTES
    assert reader.votes("CHF") == reader.votes("GBP/USD") == reader.votes("PY") == ()
    assert reader.current_with_votes() == book


def test_later_votes_are_written_when_they_are_flushed(book_file: RateBookFile, tmp_path: Path) -> None:
    reader, later = RateBookFile(tmp_path), (structs.replace(VOTES[0], mid=1.75),)
    book_file.publish(a_book(quote=VOTED))
    book_file.publish(a_book(2, replace(VOTED, origin=structs.replace(VOTED.origin, votes=later))))
    assert reader.votes("JPY") == VOTES
    book_file.flush_votes()
    assert reader.votes("JPY") == later
    book_file.publish(a_book(3))
    book_file.flush_votes()
    assert reader.votes("JPY") == ()


@pytest.mark.parametrize(
    "content", [b"", b"{", b'00000000\n["JPY",[]]\n', *map(with_checksum, (b"", b"JPY", b'["JPY",1]\n', b'["JPY"'))]
)
def test_damaged_votes_are_none(book_file: RateBookFile, tmp_path: Path, content: bytes) -> None:
    book_file.publish(a_book(quote=VOTED))
    (tmp_path / "rates.votes").write_bytes(content)
    assert RateBookFile(tmp_path).votes("JPY") == ()
    current = RateBookFile(tmp_path).current_with_votes()
    assert current is not None
    assert current.quotes["JPY"].origin.votes == ()


def test_the_pairs_that_venues_list_are_read_again(book_file: RateBookFile, tmp_path: Path) -> None:
    venue_pairs = frozenset({CABLE, YEN, Pair("BTC", "USDT")})
    for version, listed in ((1, venue_pairs), (2, venue_pairs), (3, frozenset({YEN})), (4, frozenset())):
        book_file.publish(replace(a_book(version), venue_pairs=listed))
        assert quoted(book_file) == quoted(RateBookFile(tmp_path)) == replace(a_book(version), venue_pairs=listed)


def test_a_book_without_quotes_is_valid(book_file: RateBookFile) -> None:
    book_file.publish(a_rich_book(1, {}, {}))
    assert quoted(book_file) == a_rich_book(1, {}, {})


def test_a_quote_that_was_removed_and_added_again_is_written(book_file: RateBookFile) -> None:
    quote = a_quote()
    book_file.publish(a_rich_book(1, {"JPY": quote, "CHF": quote}, {}))
    book_file.publish(a_rich_book(2, {"CHF": quote}, {}))
    assert quoted(book_file) == a_rich_book(2, {"CHF": quote}, {})
    book_file.publish(a_rich_book(3, {"CHF": quote, "JPY": quote}, {}))
    assert quoted(book_file) == a_rich_book(3, {"CHF": quote, "JPY": quote}, {})


def slots_of(reader: RateBookFile) -> dict[str, int]:
    book = reader.current()
    assert book is not None
    return {str(name): slot for slot, (name, _) in enumerate(book.columns.names.instruments)}


def test_an_instrument_keeps_its_slot(book_file: RateBookFile, tmp_path: Path) -> None:
    reader = RateBookFile(tmp_path)
    book_file.publish(a_rich_book(1, {"JPY": a_quote(), "CHF": a_quote()}, {YEN: a_quote()}))
    before = slots_of(reader)
    book_file.publish(a_rich_book(2, {"AUD": a_quote(), "CHF": a_quote()}, {CABLE: a_quote(), YEN: a_quote()}))
    after = slots_of(reader)
    assert after.items() >= before.items()
    assert sorted(after.values()) == list(range(5))


def test_names_are_parsed_again_only_when_they_change(book_file: RateBookFile, tmp_path: Path) -> None:
    reader, names = RateBookFile(tmp_path), []
    for version, code in enumerate(("CHF", "CHF", "AUD", "AUD"), 1):
        book_file.publish(a_rich_book(version, {"JPY": a_quote(Fraction(version)), code: a_quote()}, {}))
        current = reader.current()
        assert current is not None
        names.append(current.columns.names)
    assert names[0] is names[1]
    assert names[1] is not names[2]
    assert names[2] is names[3]


def test_another_publisher_is_read_by_the_same_reader(tmp_path: Path) -> None:
    reader = RateBookFile(tmp_path)
    one, other = a_rich_book(1, {"JPY": a_quote()}, {}), a_rich_book(2, {"AUD": a_quote(), "JPY": a_quote()}, {})
    RateBookFile(tmp_path).publish(one)
    assert quoted(reader) == one
    RateBookFile(tmp_path).publish(other)
    assert quoted(reader) == other


@pytest.mark.long
def test_a_file_with_too_few_slots_is_replaced_by_a_larger_one(book_file: RateBookFile, tmp_path: Path) -> None:
    reader = RateBookFile(tmp_path)
    for version, count in enumerate((1, 600, 600, 20_000, 3), 1):
        pairs = {Pair(f"C{number}", "USD"): a_quote(Fraction(number + 1)) for number in range(count)}
        book_file.publish(a_rich_book(version, {"JPY": a_quote()}, pairs))
        assert quoted(reader) == a_rich_book(version, {"JPY": a_quote()}, pairs)
    assert slots_of(reader)["JPY"] == 0


def test_longer_names_than_there_is_space_for_are_written(book_file: RateBookFile, tmp_path: Path) -> None:
    reader = RateBookFile(tmp_path)
    book_file.publish(a_book(1))
    book = replace(a_book(2), venue_pairs=frozenset(Pair(f"C{number}", "USDT") for number in range(20_000)))
    book_file.publish(book)
    assert quoted(reader) == book


def test_books_over_columns_are_published_as_they_are(book_file: RateBookFile, tmp_path: Path) -> None:
    book = a_rich_book(7, {"JPY": a_quote()}, {YEN: a_quote(), CABLE: a_quote(Fraction(2))})
    over = RateBook.of(book)
    for number in range(6):
        if number % 2:
            book_file.publish_columns(over)
        else:
            book_file.publish(a_book(number))
        assert quoted(RateBookFile(tmp_path)) == (book if number % 2 else a_book(number))


def test_the_file_of_an_older_version_is_removed(book_file: RateBookFile, tmp_path: Path) -> None:
    (tmp_path / "book.json").write_bytes(b"{}")
    book_file.publish(a_book())
    assert not (tmp_path / "book.json").exists()


def test_a_removed_file_is_written_again(book_file: RateBookFile, tmp_path: Path) -> None:
    book_file.publish(a_book(1))
    (tmp_path / "rates.book").unlink()
    assert RateBookFile(tmp_path).current() is None
    book_file.publish(a_book(2))
    assert quoted(RateBookFile(tmp_path)) == a_book(2)


def test_a_file_that_cannot_be_written_is_named(book_file: RateBookFile, tmp_path: Path) -> None:
    (tmp_path / "rates.book").mkdir()
    with pytest.raises(Unwritable, match=r"rates\.book"):
        book_file.publish(a_book())


def test_a_reader_beside_a_publisher_never_sees_a_mix_or_an_older_book(tmp_path: Path) -> None:
    writer, reader, ended = RateBookFile(tmp_path), RateBookFile(tmp_path), threading.Event()
    codes = [f"C{number}" for number in range(400)]

    def publish() -> None:
        version = 0
        while not ended.is_set():
            version += 1
            names = codes[: 300 + version % 100]  # slots come and go, and so do names
            quote = a_quote(Fraction(version), Fraction(version))
            writer.publish(QuotedBook(version, AS_OF, dict.fromkeys(names, quote), (), {}))

    thread = threading.Thread(target=publish)
    thread.start()
    seen = [0]
    try:
        while len(seen) < 100:
            book = reader.current()
            if book is None:
                continue
            assert {quote.bid for quote in book.quotes.values()} == {book.version}
            assert len(book.quotes) == 300 + book.version % 100
            seen.append(book.version)
    finally:
        ended.set()
        thread.join()
    assert seen == sorted(seen)
    assert len(set(seen)) > 10


_PUBLISH = """
import sys
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.storage.shared.rate_book_file import RateBookFile
now = datetime(2026, 3, 6, tzinfo=UTC)
book_file = RateBookFile(Path(sys.argv[1]))
for version in range(1, 1_000_000):
    origin = Origin(Derivation.PUBLISHED, (f"source {version % 50}",))
    quote = Quote(Pair("EUR", "USD"), Fraction(version), Fraction(version), now, now, origin)
    codes = [f"C{number}" for number in range(300 + version % 100)]
    book_file.publish(QuotedBook(version, now, dict.fromkeys(codes, quote), (), {}))
"""


@pytest.mark.long
def test_a_reader_beside_another_process_that_is_killed_never_sees_a_mix(tmp_path: Path) -> None:
    reader, seen = RateBookFile(tmp_path), [0]
    with subprocess.Popen([sys.executable, "-c", _PUBLISH, str(tmp_path)]) as publisher:
        try:
            while len(seen) < 100:
                assert publisher.poll() is None
                book = reader.current()
                if book is not None:
                    seen.append(book.version)
                    assert len(book.quotes) == 300 + book.version % 100
                    assert {(quote.bid, quote.origin.sources) for quote in book.quotes.values()} == {
                        (book.version, (f"source {book.version % 50}",))
                    }
        finally:
            publisher.kill()
    last = reader.current()
    assert last is not None
    assert last.version >= seen[-1]
    assert seen == sorted(seen)
    assert len(set(seen)) > 10
    RateBookFile(tmp_path).publish(a_book(1))
    assert quoted(reader) == a_book(1)


def test_only_quotes_that_have_changed_are_written_again(book_file: RateBookFile, tmp_path: Path) -> None:
    stays, goes, comes = a_quote(), a_quote(Fraction(5)), a_quote(Fraction(6))
    book_file.publish(a_rich_book(1, {"JPY": stays, "CHF": goes}, {YEN: stays}))
    # Quotes are immutable: this shows that it is not written again, or the file would contain 77.
    object.__setattr__(stays, "bid", Fraction(77))
    book_file.publish(a_rich_book(2, {"JPY": stays, "CHF": comes}, {YEN: stays}))
    current = RateBookFile(tmp_path).current()
    assert current is not None
    assert (current.quotes["JPY"].bid, current.quotes["CHF"].bid, current.pairs[YEN].bid) == (
        Fraction("1.5"),
        6,
        Fraction("1.5"),
    )


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
    quotes, reader = [a_quote(Fraction(1 + number)) for number in range(4)], RateBookFile(tmp_path)
    for version, (codes, pairs) in enumerate(books):
        named = {code: quotes[number] for code, number in codes.items()}
        book = a_rich_book(version, named, {pair: quotes[number] for pair, number in pairs.items()})
        book_file.publish(book)
        assert quoted(reader) == book

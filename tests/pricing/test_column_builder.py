"""Rate books over columns: they hold what the quotes say, and build a quote only when it is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing import column_quotes
from cambist.pricing.book_columns import BookColumns, block_size, capacity_for
from cambist.pricing.book_tables import BookNames, BookOrigins, QuoteName
from cambist.pricing.column_builder import ColumnBuilder
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.unix_time import unix_us

NOON = datetime(2026, 11, 20, 12, 0, 0, 123457, tzinfo=UTC)
ORIGIN = Origin(Derivation.PUBLISHED, ("ecb",))


def a_quote(name: str, bid: str, ask: str, as_of: datetime = NOON) -> Quote:
    return Quote(Pair(*name.split("/")), Fraction(bid), Fraction(ask), as_of, NOON, ORIGIN)


EURO, YEN = a_quote("EUR/USD", "1.1", "1.2"), a_quote("USD/JPY", "150", "150.5", NOON - timedelta(hours=1))
EURYEN = a_quote("EUR/JPY", "170", "171")


def a_book(version: int = 1, *, euro: Quote = EURO, pairs: dict[Pair, Quote] | None = None) -> QuotedBook:
    return QuotedBook(version, NOON, {"EUR": euro, "JPY": YEN}, ("EUR", "JPY", "USD"), pairs or {EURYEN.pair: EURYEN})


def over_columns(book: QuotedBook, builder: ColumnBuilder | None = None) -> RateBook:
    """Return the rate book of these quotes over columns, which no later book of the builder changes."""
    written = (builder or ColumnBuilder()).write(book)
    columns = BookColumns(bytes(written.block), written.capacity, written.names, written.origins)
    return RateBook(book.version, book.as_of, columns)


def test_a_book_over_columns_equals_the_book_of_its_quotes() -> None:
    assert over_columns(a_book()).quoted() == a_book()


PRICES = st.integers(1, 10**12).flatmap(
    lambda digits: st.builds(Fraction, st.just(digits), st.sampled_from([1, 8, 1000]))
)


@given(bid=PRICES, ask=PRICES)
def test_mids_and_times_are_those_of_the_quotes(bid: Fraction, ask: Fraction) -> None:
    book = QuotedBook(1, NOON, {"EUR": replace(EURO, bid=bid, ask=ask), "JPY": replace(YEN, bid=bid, ask=ask)}, ())
    over, mid = over_columns(book), (bid + ask) / 2
    assert over.mids == {"EUR": float(mid), "JPY": 1 / float(mid), "USD": 1}
    assert over.times == {code: unix_us(quote.as_of) for code, quote in book.quotes.items()}


def test_traded_currencies_and_sources_are_those_of_the_quotes() -> None:
    assert over_columns(a_book()).traded == {"EUR", "JPY"}
    assert over_columns(a_book()).sources == a_book().sources == {"ecb"}


def test_mids_times_and_traded_currencies_build_no_quote(monkeypatch: pytest.MonkeyPatch) -> None:
    book = over_columns(a_book())
    monkeypatch.delattr(column_quotes, "quote_at")
    assert (len(book.mids), len(book.times), len(book.traded), len(book.sources)) == (3, 2, 2, 1)
    assert "EUR" in book.quotes
    assert EURYEN.pair in book.pairs
    assert (list(book.quotes), list(book.pairs)) == (["EUR", "JPY"], [EURYEN.pair])
    with pytest.raises(NameError):
        book.quotes["EUR"]


def test_a_quote_is_built_once() -> None:
    book = over_columns(a_book())
    assert book.quotes["EUR"] is book.quotes["EUR"]


def test_a_quote_that_is_gone_is_gone_everywhere() -> None:
    builder = ColumnBuilder()
    builder.write(a_book())
    book = over_columns(QuotedBook(2, NOON, {"JPY": YEN}, (), {}), builder)
    assert book.quoted() == QuotedBook(2, NOON, {"JPY": YEN}, (), {})
    assert "EUR" not in book.quotes
    assert book.quotes.get("EUR") is None
    assert (book.mids.keys(), book.times.keys(), book.traded) == ({"JPY", "USD"}, {"JPY"}, frozenset())


def test_nothing_in_a_book_over_columns_can_be_changed() -> None:
    with pytest.raises(TypeError):
        over_columns(a_book()).quotes["EUR"] = YEN  # type: ignore[index]


def test_a_code_whose_pair_is_turned_round_is_read_the_other_way() -> None:
    builder = ColumnBuilder()
    builder.write(a_book())
    turned = a_book(2, euro=a_quote("USD/EUR", "0.5", "0.5"))
    assert over_columns(turned, builder).quoted() == turned
    assert over_columns(turned, builder).mids["EUR"] == 2


CHANGES: list[tuple[QuotedBook, set[QuoteName]]] = [
    (a_book(2), set()),
    (a_book(2, euro=replace(EURO, bid=Fraction(1))), {"EUR"}),
    (a_book(2, euro=replace(EURO, ask=Fraction("1.20000000001"))), {"EUR"}),
    (a_book(2, euro=replace(EURO, as_of=NOON + timedelta(microseconds=1))), {"EUR"}),
    (a_book(2, euro=replace(EURO, own_time=NOON - timedelta(1))), {"EUR"}),
    (a_book(2, pairs={EURYEN.pair: replace(EURYEN, bid=Fraction("17e1"), ask=Fraction("17.1"))}), {EURYEN.pair}),
    (QuotedBook(2, NOON, {"JPY": YEN}, a_book().listed, a_book().pairs), {"EUR"}),
]


@pytest.mark.parametrize(("later", "changed"), CHANGES)
def test_what_has_changed_is_found_in_the_columns(later: QuotedBook, changed: set[QuoteName]) -> None:
    builder = ColumnBuilder()
    before = over_columns(a_book(), builder)
    assert over_columns(later, builder).changed_since(before) == changed


def test_quotes_that_have_not_changed_are_not_built_again() -> None:
    builder = ColumnBuilder()
    before = over_columns(a_book(), builder)
    euro, yen = before.quotes["EUR"], before.quotes["JPY"]
    after = over_columns(a_book(2, euro=replace(EURO, bid=Fraction(1))), builder)
    after.changed_since(before)
    assert after.quotes["JPY"] is yen
    assert after.quotes["EUR"] is not euro
    assert after.quotes["EUR"].bid == 1


def test_between_books_of_other_slots_anything_may_have_changed() -> None:
    assert over_columns(a_book(2)).changed_since(over_columns(a_book())) is None


def test_many_lists_of_sources_do_not_grow_the_tables_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cambist.pricing.column_builder._MOST_ORIGINS", 10)
    builder = ColumnBuilder()
    for version in range(100):
        origin = Origin(Derivation.PUBLISHED, (f"source {version}",))
        book = over_columns(a_book(version, euro=replace(EURO, origin=origin)), builder)
        assert book.quoted() == a_book(version, euro=replace(EURO, origin=origin))
        assert len(book.columns.origins.sources) <= 12


def test_a_book_can_be_made_of_columns_that_are_written_directly() -> None:
    names, capacity = BookNames((("EUR", EURO.pair), (EURYEN.pair, EURYEN.pair))), capacity_for(2)
    columns = BookColumns(bytearray(block_size(capacity)), capacity, names, BookOrigins((("ecb",),)))
    columns.flags[0], columns.bid_digits[0], columns.ask_digits[0], columns.mid[0] = 7, 11, 12, 1.15
    columns.bid_power[0] = columns.ask_power[0] = -1
    columns.as_of[0] = columns.own_as_of[0] = columns.received_at[0] = 1_795_176_000_123_457
    columns.pace[0] = 2
    book = RateBook(1, NOON, columns)
    assert book.quoted() == QuotedBook(1, NOON, {"EUR": EURO}, ())
    assert book.mids == {"EUR": 1.15, "USD": 1.0}


def test_a_block_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="slots"):
        BookColumns(bytes(100), 512, BookNames(()), BookOrigins())
    with pytest.raises(ValueError, match="slots"):
        BookColumns(bytes(block_size(8)), 8, BookNames((("EUR", EURO.pair),) * 9), BookOrigins())

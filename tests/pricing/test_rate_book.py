from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from cambist.errors import RateUnavailable
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
EURO = Quote(Pair("EUR", "USD"), Fraction(1), Fraction(1), NOON, NOON, Origin(Derivation.PUBLISHED, ("ecb",)))
YEN = Quote(Pair("USD", "JPY"), Fraction(150), Fraction(150), NOON, NOON, Origin(Derivation.CROSSED, ("ecb",)))


def test_a_leg_is_the_quote_of_a_code_against_the_pivot() -> None:
    assert RateBook.of(QuotedBook(1, NOON, {"EUR": EURO, "JPY": YEN}, ())).leg("JPY") == YEN


def test_a_leg_that_nobody_delivered_is_unavailable_and_named() -> None:
    with pytest.raises(RateUnavailable, match=r"\[JPY\]"):
        RateBook.of(QuotedBook(1, NOON, {"EUR": EURO}, ())).leg("JPY")


def test_a_book_holds_its_quotes_and_always_the_pivot() -> None:
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": EURO}, ()))
    assert book.holds("EUR")
    assert book.holds("USD")
    assert not book.holds("JPY")


def test_a_book_does_not_follow_the_mapping_it_was_made_from() -> None:
    quotes = {"EUR": EURO}
    book = RateBook.of(QuotedBook(1, NOON, quotes, ()))
    quotes["JPY"] = YEN
    assert not book.holds("JPY")


def test_nothing_in_a_book_can_be_changed() -> None:
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": EURO}, ()))
    with pytest.raises(TypeError):
        book.quotes["JPY"] = YEN  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        book.version = 2  # type: ignore[misc]


def test_a_book_has_what_it_was_made_of() -> None:
    quoted = QuotedBook(1, NOON, {"EUR": EURO}, ("USD",), {YEN.pair: YEN}, frozenset({YEN.pair}))
    assert RateBook.of(quoted).quoted() == quoted


def test_mids_are_worths_in_the_pivot_whichever_way_round_the_quote_is() -> None:
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": EURO, "JPY": YEN}, ()))
    assert book.mids == {"EUR": 1.0, "JPY": 1 / 150, "USD": 1.0}


def test_a_mid_is_half_way_between_the_sides() -> None:
    assert RateBook.of(QuotedBook(1, NOON, {"EUR": replace(EURO, ask=Fraction(3))}, ())).mids["EUR"] == 2.0


def test_times_are_microseconds_and_exact() -> None:
    quote = replace(EURO, as_of=datetime(2026, 11, 20, 12, 0, 0, 123457, tzinfo=UTC))
    assert RateBook.of(QuotedBook(1, NOON, {"EUR": quote}, ())).times == {"EUR": 1_795_176_000_123_457}

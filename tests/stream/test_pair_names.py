"""Parsing of the names of pairs."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.stream.pair_names import parse_pair

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def quote(name: str) -> Quote:
    return Quote(Pair(*name.split("/")), Fraction(1), Fraction(2), NOON, NOON, Origin(Derivation.PUBLISHED, ("a",)))


DEALT = RateBook.of(
    QuotedBook(
        1,
        NOON,
        {},
        ("EUR", "JPY", "PLN", "USD"),
        {one.pair: one for one in map(quote, ("BTC/USD", "XAU/EUR", "T/USD"))},
        frozenset({Pair("USDT", "EUR"), Pair("SOL", "USDT")}),
    )
)


@pytest.mark.parametrize("text", ["EURPLN", "eurpln", "EUR/PLN", " eur/pln "])
def test_a_pair_of_currencies_is_found_by_either_name(text: str) -> None:
    assert parse_pair(DEALT, text) == Pair("EUR", "PLN")


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("BTCUSD", "BTC/USD"),
        ("btc/usd", "BTC/USD"),
        ("USDTEUR", "USDT/EUR"),
        ("SOLUSDT", "SOL/USDT"),
        ("TUSD", "T/USD"),
        ("XAUUSD", "XAU/USD"),
        ("XAUEUR", "XAU/EUR"),
        ("XCU/USD", "XCU/USD"),
        ("xauxag", "XAU/XAG"),
        ("XPT/XPD", "XPT/XPD"),
        ("EURUSD", "EUR/USD"),
    ],
)
def test_coins_and_metals_are_found_by_their_names_too(text: str, pair: str) -> None:
    assert str(parse_pair(DEALT, text)) == pair


@pytest.mark.parametrize("text", ["USDBTC", "XAUPLN", "XAGXAU", "XAUXCU", "BTCEUR", "", "SOL/US/DT", "BTC\u00dcSD"])
def test_a_name_of_no_listed_or_quoted_pair_means_none(text: str) -> None:
    assert parse_pair(DEALT, text) is None


def test_text_longer_than_any_name_is_not_split() -> None:
    """All ways to split a quarter of a million letters would fill the memory of any machine."""
    assert parse_pair(DEALT, "A" * 250_000) is None


@given(st.text(max_size=60))
def test_any_text_is_parsed_without_an_error(text: str) -> None:
    parse_pair(DEALT, text)

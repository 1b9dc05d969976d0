"""What a pair is dealt at, and which pair a name stands for."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import RateUnavailable
from cambist.pricing.cross_rates import pair_quote
from cambist.pricing.currency_pairs import find_fx_pair
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def quote(name: str, bid: Any, ask: Any) -> Quote:
    pair = Pair(*name.split("/"))
    return Quote(pair, Fraction(bid), Fraction(ask), NOON, NOON, Origin(Derivation.PUBLISHED, ("a",)))


def book(*pairs: Quote, legs: tuple[Quote, ...] = (), venue_pairs: frozenset[Pair] = frozenset()) -> RateBook:
    quotes = {leg.pair.other("USD"): leg for leg in legs}
    listed = ("EUR", "JPY", "PLN", "USD")
    return RateBook.of(QuotedBook(1, NOON, quotes, listed, {one.pair: one for one in pairs}, venue_pairs))


EURO, YEN, ZLOTY = quote("EUR/USD", "1.15", "1.16"), quote("USD/JPY", 150, 151), quote("USD/PLN", "3.65", "3.65")


def test_what_is_dealt_directly_is_given_as_it_is() -> None:
    direct = quote("EUR/JPY", 172, 175)
    assert pair_quote(book(direct, legs=(EURO, YEN)), Pair("EUR", "JPY")) == direct


def test_the_other_way_round_bid_and_ask_change_places() -> None:
    turned = pair_quote(book(quote("EUR/JPY", 160, 200), legs=(EURO, YEN)), Pair("JPY", "EUR"))
    assert (turned.pair, turned.bid, turned.ask) == (Pair("JPY", "EUR"), Fraction(1, 200), Fraction(1, 160))


@pytest.mark.parametrize("pair", [Pair("EUR", "JPY"), Pair("JPY", "EUR")])
def test_what_is_not_fresh_is_crossed(pair: Pair) -> None:
    stale = quote("EUR/JPY", 1, 2)
    crossed = pair_quote(book(stale, legs=(EURO, YEN)), pair, lambda one: one != stale)
    expected = pair_quote(book(legs=(EURO, YEN)), pair)
    assert (crossed.bid, crossed.ask) == (expected.bid, expected.ask)
    assert expected.origin.made is Derivation.CROSSED


def test_a_cross_deals_each_leg_at_its_worse_side() -> None:
    crossed = pair_quote(book(legs=(EURO, YEN)), Pair("EUR", "JPY"))
    assert (crossed.bid, crossed.ask) == (Fraction("1.15") * 150, Fraction("1.16") * 151)


@given(*[st.fractions(Fraction(1, 1000), 1000)] * 4)
def test_the_gap_of_a_cross_is_never_narrower_than_a_legs(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    euro, yen = quote("EUR/USD", min(a, b), max(a, b)), quote("USD/JPY", min(c, d), max(c, d))
    prices = book(legs=(euro, yen))
    crossed = pair_quote(prices, Pair("EUR", "JPY"))
    assert crossed.ask / crossed.bid >= max(leg.ask / leg.bid for leg in prices.quotes.values())
    assert crossed.bid <= crossed.mid <= crossed.ask


def test_a_missing_side_is_named_in_the_error() -> None:
    with pytest.raises(RateUnavailable, match=r"\[PLN\]"):
        pair_quote(book(legs=(EURO,)), Pair("EUR", "PLN"))


@pytest.mark.parametrize("text", ["EURPLN", "eurpln", "EUR/PLN", " eur/pln "])
def test_a_pair_of_currencies_goes_by_either_name(text: str) -> None:
    assert find_fx_pair(book(), text) == Pair("EUR", "PLN")


@pytest.mark.parametrize(
    "text", ["", "EUR", "EUREUR", "EURXXX", "EURBTC", "EUR/PLN/", "EU/RPLN", "EURP/LN", "EURPLNX", "E\u00dcRPLN", "/"]
)
def test_what_is_no_pair_of_listed_currencies_is_none(text: str) -> None:
    assert find_fx_pair(book(), text) is None


@given(st.text(max_size=20))
def test_no_name_does_any_harm(text: str) -> None:
    find_fx_pair(book(), text)

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import RateUnavailable
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DECIMALS = st.builds(lambda digits, places: Fraction(digits, 10**places), st.integers(1, 10**15), st.integers(0, 12))
BY_LAW = [("EUR", "BGN", "1.95583"), ("EUR", "XOF", "655.957"), ("EUR", "DEM", "1.95583"), ("USD", "AED", "3.6725")]


def quoted(pair: Pair, bid: Fraction, ask: Fraction) -> Quote:
    return Quote(pair, bid, ask, NOON, NOON, Origin(Derivation.PUBLISHED, ("ecb",)))


def law_book(euro: Fraction) -> RateBook:
    """A book over columns with one euro rate, and all that law derives from it."""
    return RateBook.of(assemble_rate_book({"EUR": quoted(Pair("EUR", PIVOT), euro, euro)}, 1, NOON))


@given(st.lists(DECIMALS, min_size=4, max_size=4), st.sampled_from([Pair("USD", "JPY"), Pair("JPY", "USD")]))
def test_what_was_published_is_exact_over_columns(prices: list[Fraction], pair: Pair) -> None:
    euro, yen = quoted(Pair("EUR", "USD"), *prices[:2]), quoted(pair, *prices[2:])
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": euro, "JPY": yen}, ()))
    exact = euro.worth("EUR") / yen.worth("JPY")
    assert Fraction(*exact_midpoint(book, Pair("EUR", "JPY"))) == exact
    assert Fraction(*exact_midpoint(book, Pair("JPY", "EUR"))) == 1 / exact
    assert Fraction(*exact_midpoint(book, Pair("USD", "EUR"))) == 1 / euro.worth("EUR")


@given(st.builds(Fraction, st.integers(1, 10**12), st.integers(1, 10**12)))
def test_an_endless_price_keeps_seventeen_digits_over_columns(price: Fraction) -> None:
    book = RateBook.of(QuotedBook(1, NOON, {"EUR": quoted(Pair("EUR", "USD"), price, price)}, ()))
    assert abs(Fraction(*exact_midpoint(book, Pair("EUR", "USD"))) / price - 1) <= Fraction(1, 10**17)


@pytest.mark.parametrize("euro", ["1.1599", "7/6", "1.123456789012345678901"])
@pytest.mark.parametrize(("anchor", "code", "factor"), BY_LAW)
def test_a_rate_that_law_fixes_has_the_digits_of_the_law(anchor: str, code: str, factor: str, euro: str) -> None:
    book = law_book(Fraction(euro))
    assert Fraction(*exact_midpoint(book, Pair(anchor, code))) == Fraction(factor)
    assert Fraction(*exact_midpoint(book, Pair(code, anchor))) == 1 / Fraction(factor)
    assert plain_float(midpoint(book, Pair(anchor, code)).value) == factor


def test_two_rates_that_law_fixes_cross_exactly() -> None:
    cross = Fraction(*exact_midpoint(law_book(Fraction(7, 6)), Pair("DEM", "FRF")))
    assert cross == Fraction("6.55957") / Fraction("1.95583")


def test_a_book_that_follows_another_law_is_believed() -> None:
    lawful = assemble_rate_book({"EUR": quoted(Pair("EUR", PIVOT), Fraction(1), Fraction(1))}, 1, NOON)
    changed = replace(lawful.quotes["BGN"], bid=Fraction("0.5"), ask=Fraction("0.5"))
    book = RateBook.of(replace(lawful, quotes={**lawful.quotes, "BGN": changed}))
    assert Fraction(*exact_midpoint(book, Pair("EUR", "BGN"))) == 2


def test_an_anchor_without_a_price_leaves_the_price_of_the_book() -> None:
    whole = assemble_rate_book({"EUR": quoted(Pair("EUR", PIVOT), Fraction(1), Fraction(1))}, 1, NOON)
    book = RateBook.of(replace(whole, quotes={"BGN": whole.quotes["BGN"]}))
    assert float(Fraction(*exact_midpoint(book, Pair("USD", "BGN")))) == pytest.approx(1.95583, rel=1e-15)


@pytest.mark.parametrize("pair", [Pair("GBP", "EUR"), Pair("EUR", "GBP"), Pair("GBP", "USD")])
def test_a_midpoint_without_a_leg_is_unavailable(pair: Pair) -> None:
    with pytest.raises(RateUnavailable, match=r"\[GBP\]"):
        exact_midpoint(law_book(Fraction(1)), pair)

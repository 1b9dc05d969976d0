from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import RateUnavailable
from cambist.pricing.cross_rates import crossed_quote, listed_midpoints, midpoint, midpoints
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
CODES = ("EUR", "JPY", "GBP", "KWD")
ALL = (PIVOT, *CODES)
PRICES = st.builds(Fraction, st.integers(1, 10**12), st.integers(1, 10**12))
EARLIER = NOON - timedelta(days=1)
ROUNDING = Fraction(1, 2**53)
"""The most by which float64 arithmetic rounds, relatively."""
ROUNDED = Fraction(1, 10**9)
"""How far ten significant digits may lie off, relatively: twice half a unit of a number that begins with 1."""


@st.composite
def books(draw: st.DrawFn) -> RateBook:
    """Books of four currencies, each tied to the dollar one way round or the other."""
    quotes = {}
    for code in CODES:
        pair = draw(st.sampled_from([Pair(code, PIVOT), Pair(PIVOT, code)]))
        bid, ask = sorted((draw(PRICES), draw(PRICES)))
        quotes[code] = Quote(pair, bid, ask, NOON, NOON, Origin(Derivation.PUBLISHED, (code.lower(),)))
    return RateBook.of(QuotedBook(1, NOON, quotes, ALL))


def small_book() -> RateBook:
    euro = Quote(
        pair=Pair("EUR", "USD"),
        bid=Fraction("1.10"),
        ask=Fraction("1.12"),
        as_of=NOON - timedelta(hours=2),
        received_at=NOON - timedelta(hours=1),
        origin=Origin(Derivation.PUBLISHED, ("ecb",)),
    )
    yen = Quote(
        pair=Pair("USD", "JPY"),
        bid=Fraction(150),
        ask=Fraction(160),
        as_of=NOON - timedelta(hours=3),
        received_at=NOON,
        origin=Origin(Derivation.CROSSED, ("ecb", "boj"), (Pair("EUR", "USD"), Pair("EUR", "JPY"))),
    )
    return RateBook.of(QuotedBook(1, NOON, {"EUR": euro, "JPY": yen}, ("EUR", "JPY", "USD")))


def exact(book: RateBook, base: str, quote: str) -> Fraction:
    return Fraction(*exact_midpoint(book, Pair(base, quote)))


@given(books(), st.sampled_from(ALL), st.sampled_from(ALL))
def test_there_and_back_is_exactly_one(book: RateBook, one: str, other: str) -> None:
    assert exact(book, one, other) * exact(book, other, one) == 1


@given(books(), st.sampled_from(list(permutations(ALL, 3))))
def test_a_triangle_closes_exactly(book: RateBook, three: tuple[str, str, str]) -> None:
    a, b, c = (exact(book, *legs) for legs in zip(three, (*three[1:], three[0]), strict=True))
    assert a * b * c == 1


@given(books(), st.sampled_from(ALL), st.sampled_from(ALL))
def test_a_float_midpoint_is_the_exact_one_within_five_roundings(book: RateBook, one: str, other: str) -> None:
    found, wanted = midpoint(book, Pair(one, other)).value, exact(book, one, other)
    assert abs(Fraction(found) / wanted - 1) <= 5 * ROUNDING * (1 + 5 * ROUNDING)


@given(books(), st.sampled_from(list(permutations(ALL, 3))))
def test_there_and_back_and_around_close_within_the_digits_shown(book: RateBook, three: tuple[str, str, str]) -> None:
    def shown(base: str, quote: str) -> Fraction:
        return Fraction(plain_float(midpoint(book, Pair(base, quote)).value))

    a, b, c = three
    assert abs(shown(a, b) * shown(b, a) - 1) <= ROUNDED * Fraction(101, 100)
    assert abs(shown(a, b) * shown(b, c) * shown(c, a) - 1) <= ROUNDED * Fraction(151, 100)


@given(books(), st.permutations(ALL), st.permutations(ALL))
def test_a_matrix_equals_its_single_rates(book: RateBook, bases: list[str], quotes: list[str]) -> None:
    matrix = midpoints(book, bases, quotes)
    assert matrix.values == [midpoint(book, Pair(base, quote)).value for base, quote in product(bases, quotes)]
    assert matrix.as_of == min(midpoint(book, Pair(base, quote)).as_of for base, quote in product(bases, quotes))


def test_a_matrix_keeps_the_order_asked() -> None:
    matrix = midpoints(small_book(), ["USD", "JPY", "EUR"], ["JPY", "EUR"])
    assert (matrix.bases, matrix.quotes) == (["USD", "JPY", "EUR"], ["JPY", "EUR"])
    assert matrix.values[4:] == [midpoint(small_book(), Pair("EUR", quote)).value for quote in ("JPY", "EUR")]


@pytest.mark.parametrize("base", ["EUR", "JPY", "USD", "GBP"])
def test_the_listed_midpoints_are_those_of_all_listed_codes_and_the_base(base: str) -> None:
    pound = Quote(Pair("GBP", "USD"), Fraction(3), Fraction(4), EARLIER, NOON, Origin(Derivation.PUBLISHED, ("boe",)))
    book = RateBook.of(replace(small_book().quoted(), quotes={**small_book().quotes, "GBP": pound}))
    found = listed_midpoints(book, base)
    assert list(found.quotes) == sorted({"EUR", "JPY", "USD", base})
    assert found == midpoints(book, [base], found.quotes)


def test_a_book_that_lists_the_pivot_alone_is_as_old_as_itself() -> None:
    assert listed_midpoints(RateBook.of(QuotedBook(1, NOON, {}, (PIVOT,))), PIVOT) == ([PIVOT], (PIVOT,), [1.0], NOON)


def test_a_listed_code_without_a_quote_is_unavailable() -> None:
    with pytest.raises(RateUnavailable, match=r"\[EUR\]"):
        listed_midpoints(RateBook.of(QuotedBook(1, NOON, {}, ("EUR", PIVOT))), PIVOT)


@given(books(), st.sampled_from(ALL))
def test_a_currency_is_one_of_itself(book: RateBook, code: str) -> None:
    assert midpoint(book, Pair(code, code)).value == 1


def test_a_midpoint_is_the_worth_of_the_base_over_the_worth_of_the_quote() -> None:
    assert exact(small_book(), "EUR", "USD") == Fraction("1.11")
    assert exact(small_book(), "USD", "JPY") == 155
    assert exact(small_book(), "EUR", "JPY") == Fraction("1.11") * 155


def test_a_midpoint_is_as_old_as_its_oldest_leg() -> None:
    assert midpoint(small_book(), Pair("EUR", "JPY")).as_of == NOON - timedelta(hours=3)
    assert midpoint(small_book(), Pair("USD", "EUR")).as_of == NOON - timedelta(hours=2)
    assert midpoints(small_book(), ["EUR", "USD"], ["USD", "JPY"]).as_of == NOON - timedelta(hours=3)


def test_the_pivot_alone_is_as_old_as_the_book() -> None:
    assert midpoint(small_book(), Pair("USD", "USD")).as_of == NOON
    assert crossed_quote(small_book(), Pair("USD", "USD")).as_of == NOON


@pytest.mark.parametrize("pair", [Pair("GBP", "EUR"), Pair("EUR", "GBP"), Pair("USD", "GBP")])
def test_a_cross_without_one_of_its_legs_is_unavailable(pair: Pair) -> None:
    with pytest.raises(RateUnavailable, match=r"\[GBP\]"):
        midpoint(small_book(), pair)
    with pytest.raises(RateUnavailable, match=r"\[GBP\]"):
        midpoints(small_book(), [pair.base], [pair.quote])
    with pytest.raises(RateUnavailable, match=r"\[GBP\]"):
        exact_midpoint(small_book(), pair)
    with pytest.raises(RateUnavailable, match=r"\[GBP\]"):
        crossed_quote(small_book(), pair)


def test_what_the_law_fixes_needs_no_leg() -> None:
    for pair, units in ((Pair("GBP", "GBP"), 1), (Pair("GBP", "GBp"), 100), (Pair("BUK", "MMK"), 1)):
        assert midpoint(small_book(), pair) == (units, NOON)
        assert midpoints(small_book(), [pair.base], [pair.quote]).values == [units]
        assert exact_midpoint(small_book(), pair) == (units, 1)


@given(books(), st.sampled_from(list(permutations(ALL, 2))))
def test_a_cross_is_never_tighter_than_its_legs(book: RateBook, two: tuple[str, str]) -> None:
    cross = crossed_quote(book, Pair(*two))
    legs = [book.leg(code) for code in two if code != PIVOT]
    assert cross.ask / cross.bid >= max(leg.ask / leg.bid for leg in legs)


@given(books(), st.sampled_from(list(product(ALL, ALL))))
def test_the_bid_is_never_above_the_mid_nor_the_mid_above_the_ask(book: RateBook, two: tuple[str, str]) -> None:
    cross = crossed_quote(book, Pair(*two))
    assert 0 < cross.bid <= cross.mid <= cross.ask


@given(books(), st.sampled_from(list(permutations(ALL, 2))))
def test_a_midpoint_lies_between_the_sides_of_its_cross(book: RateBook, two: tuple[str, str]) -> None:
    cross = crossed_quote(book, Pair(*two))
    assert cross.bid <= exact(book, *two) <= cross.ask


@given(books(), st.sampled_from(list(permutations(ALL, 2))))
def test_turned_around_a_cross_swaps_and_inverts_its_sides(book: RateBook, two: tuple[str, str]) -> None:
    cross, back = crossed_quote(book, Pair(*two)), crossed_quote(book, Pair(*two).inverse)
    assert (cross.bid * back.ask, cross.ask * back.bid) == (1, 1)


def test_each_leg_is_dealt_at_its_worse_side() -> None:
    cross = crossed_quote(small_book(), Pair("EUR", "JPY"))
    assert (cross.bid, cross.ask) == (Fraction("1.10") * 150, Fraction("1.12") * 160)


def test_a_leg_against_the_pivot_keeps_its_own_sides() -> None:
    cross = crossed_quote(small_book(), Pair("EUR", "USD"))
    assert (cross.bid, cross.ask) == (Fraction("1.10"), Fraction("1.12"))


def test_a_cross_names_its_legs_and_each_source_once() -> None:
    origin = crossed_quote(small_book(), Pair("JPY", "EUR")).origin
    assert origin == Origin(Derivation.CROSSED, ("ecb", "boj"), (Pair("USD", "JPY"), Pair("EUR", "USD")))


def test_a_cross_has_the_oldest_market_time_and_the_newest_delivery() -> None:
    cross = crossed_quote(small_book(), Pair("EUR", "JPY"))
    assert (cross.as_of, cross.received_at) == (NOON - timedelta(hours=3), NOON)
    assert cross.pair == Pair("EUR", "JPY")

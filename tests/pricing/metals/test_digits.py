"""How a metal's price is written: no digit of its source lost, no gap made tighter, the mid exactly the half."""

import decimal
import re
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cambist.pricing.metals.digits import Sides, digits_of, rounded_sides

PLAIN = re.compile(r"(0|[1-9]\d*)(\.\d+)?", re.ASCII)
ALL_SIGNALS = [
    decimal.Clamped,
    decimal.DivisionByZero,
    decimal.FloatOperation,
    decimal.Inexact,
    decimal.InvalidOperation,
    decimal.Overflow,
    decimal.Rounded,
    decimal.Subnormal,
    decimal.Underflow,
]

# As sources print numbers, of one to twenty digits; as crossings leave them; and close below powers of ten.
SOURCED = st.builds(
    lambda digits, places, zeros: Fraction(digits * 10**zeros, 10**places),
    st.integers(1, 20).flatmap(lambda count: st.integers(1, 10**count - 1)),
    st.integers(0, 20),
    st.integers(0, 6),
)
AWKWARD = st.builds(Fraction, st.integers(1, 10**15), st.integers(1, 10**15))
NEARLY_ROUND = st.builds(
    lambda power, share: Fraction(10) ** power * (1 - Fraction(1, share)), st.integers(-10, 12), st.integers(2, 10**14)
)
PRICES = SOURCED | AWKWARD | NEARLY_ROUND
DIGITS = st.integers(0, 20)


@st.composite
def gapped(draw: st.DrawFn) -> tuple[Fraction, Fraction]:
    """Bid and ask with a gap between them: wide, or narrower than any digit that is written."""
    bid = draw(PRICES)
    return bid, bid + draw(PRICES | st.builds(lambda share: bid / share, st.integers(1, 10**30)))


DEALT = gapped() | PRICES.map(lambda price: (price, price))


def last_place(value: Fraction, digits: int) -> Fraction:
    """What one more in the last of so many significant digits is worth, by counting."""
    place = Fraction(1)
    while place * 10**digits <= value:
        place *= 10
    while place * 10 ** (digits - 1) > value:
        place /= 10
    return place


def significant(written: Decimal) -> int:
    """How many significant digits a reader sees, zeros at the end among them."""
    return len(f"{written:f}".replace(".", "").lstrip("0"))


def counted(value: Fraction) -> int:
    """How many digits a decimal needs, by counting; 0 where there is none of at most twenty."""
    whole = value * 10**60
    if whole.denominator != 1:
        return 0
    digits = len(str(whole.numerator).rstrip("0"))
    return digits if digits <= 20 else 0


# What is written


@given(DEALT, DIGITS)
def test_the_bid_is_never_above_the_mid_nor_the_mid_above_the_ask(
    dealt: tuple[Fraction, Fraction], digits: int
) -> None:
    sides = rounded_sides(*dealt, digits)
    assert 0 < sides.bid <= sides.mid <= sides.ask


@given(DEALT, DIGITS)
def test_the_mid_is_exactly_the_half_and_the_spread_the_difference(
    dealt: tuple[Fraction, Fraction], digits: int
) -> None:
    sides = rounded_sides(*dealt, digits)
    bid, ask, mid, spread = (Fraction(f"{one:f}") for one in (sides.bid, sides.ask, sides.mid, sides.spread))
    assert mid * 2 == bid + ask
    assert spread == ask - bid


@given(gapped(), DIGITS)
def test_what_is_written_is_never_tighter_and_off_by_less_than_its_last_digit(
    dealt: tuple[Fraction, Fraction], digits: int
) -> None:
    bid, ask = dealt
    sides = rounded_sides(bid, ask, digits)
    assert 0 <= bid - Fraction(sides.bid) < last_place(bid, max(digits, 10))
    assert 0 <= Fraction(sides.ask) - ask < last_place(ask, max(digits, 10))


@given(PRICES, DIGITS)
def test_equal_sides_stay_equal_and_are_rounded_to_the_nearest(price: Fraction, digits: int) -> None:
    sides = rounded_sides(price, price, digits)
    assert sides.bid == sides.ask == sides.mid
    assert sides.spread == 0
    assert abs(Fraction(sides.bid) - price) <= last_place(price, max(digits, 10)) / 2


@given(DEALT, DIGITS)
@example((Fraction(1), Fraction(1)), 1)
@example((Fraction(1, 10**12), Fraction(10**12)), 20)
def test_it_is_written_plainly_with_eight_digits_at_least_and_as_many_places_on_both_sides(
    dealt: tuple[Fraction, Fraction], digits: int
) -> None:
    sides = rounded_sides(*dealt, digits)
    for written in (sides.bid, sides.ask, sides.mid, sides.spread):
        assert PLAIN.fullmatch(f"{written:f}")
        assert written.as_tuple().exponent <= 0
    assert min(map(significant, (sides.bid, sides.ask, sides.mid))) >= 8
    assert sides.bid.as_tuple().exponent == sides.ask.as_tuple().exponent == sides.spread.as_tuple().exponent
    assert sides.mid.as_tuple().exponent in {sides.bid.as_tuple().exponent, sides.bid.as_tuple().exponent - 1}


@given(SOURCED, SOURCED)
def test_what_a_source_quotes_with_up_to_twenty_digits_is_written_unchanged(one: Fraction, other: Fraction) -> None:
    bid, ask = sorted((one, other))
    sides = rounded_sides(bid, ask, max(digits_of(bid), digits_of(ask)))
    assert (Fraction(f"{sides.bid:f}"), Fraction(f"{sides.ask:f}")) == (bid, ask)
    assert min(significant(sides.bid), significant(sides.ask)) >= 8
    assert significant(sides.bid) >= digits_of(bid)
    assert significant(sides.ask) >= digits_of(ask)


@pytest.mark.parametrize("count", range(1, 21))
def test_quotes_of_one_to_twenty_digits_keep_every_one(count: int) -> None:
    text = "12345678912345678912"[:count]
    for price in (Fraction(text), Fraction(f"0.{text}"), Fraction(f"0.0000{text}"), Fraction(f"{text}e-3")):
        assert digits_of(price) == count
        sides = rounded_sides(price, price, count)
        assert Fraction(f"{sides.bid:f}") == Fraction(f"{sides.ask:f}") == price


@given(gapped(), st.integers(11, 20))
def test_more_digits_of_a_source_are_more_digits_written(dealt: tuple[Fraction, Fraction], digits: int) -> None:
    fine, coarse = rounded_sides(*dealt, digits), rounded_sides(*dealt, 0)
    assert coarse.bid <= fine.bid <= fine.ask <= coarse.ask


@pytest.mark.parametrize(
    ("bid", "ask", "digits", "written"),
    [
        ("4000.12", "4000.88", 6, "4000.1200 4000.8800 4000.5000 0.7600"),
        ("4000.1", "4000.2", 5, "4000.1000 4000.2000 4000.1500 0.1000"),
        ("10800", "10802", 5, "10800.000 10802.000 10801.000 2.000"),
        ("1", "1", 1, "1.0000000 1.0000000 1.0000000 0.0000000"),
        ("1/3", "2/3", 0, "0.3333333333 0.6666666667 0.5000000000 0.3333333334"),
        ("2/3", "2/3", 0, "0.6666666667 0.6666666667 0.6666666667 0.0000000000"),
        ("1.0000000", "1.0000001", 8, "1.0000000 1.0000001 1.00000005 0.0000001"),
        ("9.9999999999", "10", 11, "9.9999999999 10.0000000000 9.99999999995 0.0000000001"),
        ("9.99999999999", "9.99999999999", 0, "10.000000 10.000000 10.000000 0.000000"),
        ("9.99999999999", "9.99999999999", 12, "9.99999999999 9.99999999999 9.99999999999 0.00000000000"),
        ("9.99999999991", "9.99999999992", 0, "9.999999999 10.000000000 9.9999999995 0.000000001"),
        ("1.00000000005", "1.00000000005", 0, "1.0000000 1.0000000 1.0000000 0.0000000"),
        ("1.0000000005", "1.0000000005", 0, "1.000000001 1.000000001 1.000000001 0.000000000"),
        ("0.0000000001234", "0.0000000001234", 4, "0.00000000012340000 " * 3 + "0.00000000000000000"),
        ("411522630041", "411522630041", 0, "411522630000 411522630000 411522630000 0"),
        ("411522630041", "411522630042", 12, "411522630041 411522630042 411522630041.5 1"),
        ("99.5", "100.25", 5, "99.500000 100.250000 99.875000 0.750000"),
    ],
)
def test_prices_are_written_so(bid: str, ask: str, digits: int, written: str) -> None:
    sides = rounded_sides(Fraction(bid), Fraction(ask), digits)
    assert " ".join(f"{one:f}" for one in (sides.bid, sides.ask, sides.mid, sides.spread)) == written


@pytest.mark.parametrize(("bid", "ask"), [("0", "1"), ("0", "0"), ("-1", "1"), ("-2", "-1"), ("2", "1"), ("1", "0")])
def test_what_is_no_price_is_not_written(bid: str, ask: str) -> None:
    with pytest.raises(ValueError, match=f"^{bid} to {ask} is no price$"):
        rounded_sides(Fraction(bid), Fraction(ask), 10)


def test_sides_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Sides(Decimal(1), Decimal(2)).bid = Decimal(3)  # type: ignore[misc]


# How many digits there are


@given(PRICES)
def test_the_digits_of_a_price_are_those_that_its_decimal_needs(price: Fraction) -> None:
    assert digits_of(price) == counted(price)


@pytest.mark.parametrize(
    ("price", "digits"),
    [
        ("4000.12", 6),
        ("4000.10", 5),
        ("100", 1),
        ("1/8", 3),
        ("1/3", 0),
        ("1e25", 1),
        ("1e-25", 1),
        ("12345678912345678912", 20),
        ("123456789123456789123", 0),
        ("0.123456789123456789123", 0),
        (str(Fraction(1, 2**20)), 14),
        (str(Fraction(1, 2**40)), 0),
    ],
)
def test_digits_are_counted_without_the_zeros_at_the_end(price: str, digits: int) -> None:
    assert digits_of(Fraction(price)) == digits


# Python's own precision


@pytest.mark.parametrize(
    "ambient",
    [
        Context(prec=3, traps=ALL_SIGNALS),
        Context(prec=1, rounding=decimal.ROUND_UP, traps=ALL_SIGNALS),
        Context(prec=3, rounding=decimal.ROUND_CEILING, traps=[]),
        Context(prec=3, Emin=-3, Emax=3, traps=ALL_SIGNALS),
        Context(prec=3, Emin=-3, Emax=3, traps=[]),
    ],
    ids=["three digits", "one digit", "without traps", "narrow exponents", "narrow exponents without traps"],
)
@pytest.mark.parametrize(
    ("bid", "ask"),
    [("4000.123456789", "4000.987654321"), ("1/3", "2/3"), ("2/3", "2/3"), ("0.00000123", "0.00000124")],
)
def test_the_ambient_context_changes_nothing_and_is_left_as_it_was(ambient: Context, bid: str, ask: str) -> None:
    def everything() -> tuple[object, ...]:
        sides = rounded_sides(Fraction(bid), Fraction(ask), digits_of(Fraction(bid)))
        mid, spread = sides.mid, sides.spread
        return tuple(one.as_tuple() for one in (sides.bid, sides.ask, mid, spread))

    expected = everything()
    with localcontext(ambient) as context:
        before = repr(context)
        assert everything() == expected
        assert repr(context) == before

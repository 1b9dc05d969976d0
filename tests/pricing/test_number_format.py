import random
import re
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import product
from math import floor, inf, nan

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cambist.history.archive import FixingArchive
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.cross_rates import midpoint
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.number_format import half_up, plain, plain_float, trimmed, without_exponents
from cambist.pricing.pair import Pair
from cambist.pricing.rate_book import RateBook

PLAIN = re.compile(r"(0|[1-9]\d*)(\.\d*[1-9])?", re.ASCII)
SMALLEST, LARGEST = Fraction(1, 10**12), 10**12
# Fractions of all sorts, and numbers as sources print them: few digits, any magnitude.
RATES = st.fractions(min_value=SMALLEST, max_value=LARGEST) | st.builds(
    lambda digits, places: Fraction(digits, 10**places), st.integers(1, 10**12), st.integers(0, 12)
)
FLOATS = st.floats(min_value=1e-12, max_value=1e12, allow_nan=False)


def last_unit(value: Fraction) -> Fraction:
    """What one more in the tenth significant digit is worth, by counting."""
    unit = Fraction(1, 10**9)
    while unit * 10**10 <= value:
        unit *= 10
    while unit * 10**9 > value:
        unit /= 10
    return unit


def is_tie(value: Fraction) -> bool:
    return (value / last_unit(value) * 2).denominator == 1 and (value / last_unit(value)).denominator == 2


@given(RATES)
@example(SMALLEST)
@example(Fraction(LARGEST))
@example(Fraction("0.000012345678905"))
def test_a_rate_never_loses_more_than_its_tenth_significant_digit(rate: Fraction) -> None:
    assert abs(Fraction(plain(rate)) - rate) <= last_unit(rate) / 2


@given(FLOATS)
@example(1e-12)
@example(1e12)
@example(4.932141136e-05)
def test_a_float_never_loses_more_than_its_tenth_significant_digit(rate: float) -> None:
    assert abs(Fraction(plain_float(rate)) - Fraction(rate)) <= last_unit(Fraction(rate)) / 2


@given(RATES)
@example(SMALLEST)
@example(Fraction(LARGEST))
def test_a_rate_is_written_plainly_and_never_as_nothing(rate: Fraction) -> None:
    assert PLAIN.fullmatch(plain(rate))
    assert plain(rate) != "0"


@given(FLOATS)
@example(1e-12)
@example(1e12)
@example(1e10)
@example(0.0001)
def test_a_float_is_written_plainly_and_never_as_nothing(rate: float) -> None:
    assert PLAIN.fullmatch(plain_float(rate))
    assert plain_float(rate) != "0"


@pytest.mark.parametrize(
    ("rate", "written"),
    [
        ("1.1172", "1.1172"),
        ("1.10", "1.1"),
        ("100", "100"),
        ("2/3", "0.6666666667"),
        ("1e-12", "0.000000000001"),
        ("1e12", "1000000000000"),
        ("123456789012", "123456789000"),
        ("99999999999", "100000000000"),
        ("9.99999999999", "10"),
        ("0.00004932141136", "0.00004932141136"),
        ("20275.17", "20275.17"),
    ],
)
def test_a_rate_is_written_with_ten_digits_and_no_idle_zeros(rate: str, written: str) -> None:
    assert plain(Fraction(rate)) == written
    assert plain_float(float(Fraction(rate))) == written


@pytest.mark.parametrize(
    ("numbers", "rewritten"),
    [
        (b'{"A":1e-05,"B":2.5}', b'{"A":0.00001,"B":2.5}'),
        (b'{"A":1.234567891e-07}', b'{"A":0.0000001234567891}'),
        (b'{"A":1e+10,"B":9.99e+12}', b'{"A":10000000000,"B":9990000000000}'),
        (b'{"A":1.234567891e+15}', b'{"A":1234567891000000}'),
        (b'{"A":2.5e-35,"B":1e-101,"C":3}', b'{"A":0.%s25,"B":0.%s1,"C":3}' % (b"0" * 34, b"0" * 100)),
        (b'{"A":1.5e+101,"B":2e-05}', b'{"A":15%s,"B":0.00002}' % (b"0" * 100)),
        (b'{"A1":1,"B":0.5}', b'{"A1":1,"B":0.5}'),
    ],
)
def test_exponents_are_rewritten_as_zeros(numbers: bytes, rewritten: bytes) -> None:
    assert without_exponents(numbers) == rewritten


@pytest.mark.parametrize("value", [0.0, -0.0, -1.0, -1e-12, -1e12, inf, -inf, nan])
def test_what_is_not_a_rate_is_not_written(value: float) -> None:
    with pytest.raises(ValueError, match="is not a rate"):
        plain_float(value)


@pytest.mark.parametrize("value", [Fraction(0), Fraction(-1), Fraction(-1, 10**12)])
def test_an_exact_number_that_is_not_a_rate_is_not_written_either(value: Fraction) -> None:
    with pytest.raises(ValueError, match="is not a rate"):
        plain(value)


@given(FLOATS)
def test_a_float_is_written_as_the_rate_that_it_stands_for(rate: float) -> None:
    """Apart from what lies exactly in the middle, where no rule about halves tells more than another."""
    assume(not is_tie(Fraction(rate)))
    assert plain_float(rate) == plain(Fraction(rate))


@pytest.mark.long
def test_the_newest_rates_are_written_alike_from_the_rate_book_and_the_rate_matrix(
    real_book: RateBook, real_matrix: RateMatrix
) -> None:
    codes = [code for code in real_book.listed if code in real_matrix.columns]
    assert len(codes) >= 70
    day = real_matrix.last_fixing
    for base, quote in product(codes, codes):
        history = real_matrix.cell(day, quote) / real_matrix.cell(day, base)
        live, exact = midpoint(real_book, Pair(base, quote)).value, exact_midpoint(real_book, Pair(base, quote))
        assert plain_float(history) == plain_float(live) == plain(Fraction(*exact)), (base, quote)


@pytest.mark.long
def test_both_ways_of_writing_agree_over_the_real_history(real_archive: FixingArchive, real_matrix: RateMatrix) -> None:
    """Also where the exact rate ends in a 5 as its eleventh digit, on which float64 alone tips either way."""
    days: dict[date, dict[str, Fraction]] = {}
    for fixing in real_archive.fixings("ecb"):
        days.setdefault(fixing.day, {"EUR": Fraction(1)})[fixing.pair.quote] = fixing.rate
    draw = random.Random(20261120)  # noqa: S311  it draws samples, not secrets
    for day in draw.sample(sorted(days), 200):
        units = days[day]
        for base, quote in product(draw.sample(sorted(units), 3), units):
            exact = units[quote] / units[base]
            history = plain_float(real_matrix.cell(day, quote) / real_matrix.cell(day, base))
            assert history == plain(exact), (day, base, quote)


def test_an_exact_half_in_the_history_is_rounded_up_both_ways(real_matrix: RateMatrix) -> None:
    """The pound was 13.642578125 crowns on 2025-08-04: ten digits leave exactly a half."""
    day = date(2025, 8, 4)
    history = real_matrix.cell(day, "NOK") / real_matrix.cell(day, "GBP")
    assert plain_float(history) == plain(Fraction("13.642578125")) == "13.64257813"


def test_ten_digits_are_rounded_to_and_not_cut_at() -> None:
    assert plain(Fraction("1.23456789051")) == "1.234567891"
    assert plain(Fraction("1.23456789049")) == "1.23456789"


@pytest.mark.parametrize(
    ("value", "written"), [("1E+3", "1000"), ("100", "100"), ("1.500", "1.5"), ("2.000", "2"), ("1E-7", "0.0000001")]
)
def test_a_trimmed_decimal_keeps_the_zeros_that_count(value: str, written: str) -> None:
    assert trimmed(Decimal(value)) == written


@given(st.integers(0, 10**40), st.integers(0, 20), st.integers(0, 12))
def test_an_amount_rounds_as_decimal_arithmetic_rounds_it(digits: int, scale: int, places: int) -> None:
    amount = Decimal(digits).scaleb(-scale, Context(prec=60))
    wanted = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=80))
    assert half_up(*amount.as_integer_ratio(), places) == format(wanted, "f")


@given(st.fractions(min_value=0), st.integers(0, 12))
def test_any_amount_rounds_to_its_nearest_and_a_half_up(amount: Fraction, places: int) -> None:
    units = Fraction(half_up(*amount.as_integer_ratio(), places)) * 10**places
    assert units == floor(amount * 10**places + Fraction(1, 2))


@given(st.integers(0, 10**60), st.integers(0, 12))
def test_an_exact_half_goes_up(units: int, places: int) -> None:
    half = Fraction(2 * units + 1, 2 * 10**places)
    assert Fraction(half_up(*half.as_integer_ratio(), places)) == Fraction(units + 1, 10**places)


def test_a_rounded_amount_keeps_the_places_asked() -> None:
    assert half_up(5, 1, 2) == "5.00"
    assert half_up(2675, 1000, 2) == "2.68"
    assert half_up(1, 2, 0) == "1"
    assert half_up(1, 100, 3) == "0.010"


def test_an_amount_of_sixty_digits_keeps_them_all() -> None:
    amount = int("1234567890" * 6)
    assert half_up(amount, 1, 2) == f"{amount}.00"


def test_an_amount_of_ten_thousand_digits_keeps_them_all() -> None:
    assert half_up(10**10_000, 3, 1) == "3" * 10_000 + ".3"

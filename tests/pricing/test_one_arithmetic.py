"""Float64 crosses show the same ten digits as exact arithmetic, halves included (ADR 2)."""

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import pytest

from cambist.pricing.cross_rates import Rate, midpoint, midpoints
from cambist.pricing.number_format import TIES_UP, plain, plain_float
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ORIGIN = Origin(Derivation.PUBLISHED, ("a",))
CROSSES = int(os.environ.get("CROSSES", "100_000"))
ROUNDING = Fraction(1, 2**53)
"""The most by which one operation on float64 rounds, relatively."""
LIFT = Fraction(TIES_UP) - 1
BOUND = (1 + LIFT) * (1 + ROUNDING) ** 4 / (1 - ROUNDING) ** 2 - 1
"""How far a lifted cross may lie above the exact one: two roundings for each leg, the division and the lift itself."""


def quoted(code: str, mid: Fraction, draw: random.Random) -> Quote:
    """A quote with this midpoint in the pivot, one way round or the other, with a spread."""
    pair, price = (Pair(code, PIVOT), mid) if draw.random() < 0.5 else (Pair(PIVOT, code), 1 / mid)
    half_spread = price * draw.randrange(100) / 100_000
    return Quote(pair, price - half_spread, price + half_spread, NOON, NOON, ORIGIN)


def priced(draw: random.Random) -> Fraction:
    """A price as sources quote them: a few digits, of any magnitude from 1e-9 to 1e6."""
    return Fraction(draw.randrange(1, 10 ** draw.randint(3, 10)), 10 ** draw.randint(0, 12)) or Fraction(1)


def book_of(quotes: dict[str, Quote]) -> RateBook:
    return RateBook.of(QuotedBook(1, NOON, quotes, ()))


def ten_digits(value: Fraction) -> str:
    """Round by decimal division, without the code that is tested."""
    rounded = Context(prec=10, rounding=ROUND_HALF_UP).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = format(rounded, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def half_above(value: Fraction) -> Fraction:
    """Return the nearest number above that lies in the middle of two numbers with ten digits."""
    unit = Fraction(10) ** (Decimal(ten_digits(value)).adjusted() - 9)
    if unit * 10**9 > value:  # it was rounded up to a power of ten
        unit /= 10
    return (value / unit + Fraction(1, 2)).__floor__() * unit + unit / 2


def test_the_lift_exceeds_the_error_of_a_cross() -> None:
    """All six roundings down leave an exact half above itself."""
    assert (1 - ROUNDING) ** 4 / (1 + ROUNDING) ** 2 * (1 + LIFT) > 1
    assert Fraction(18, 10**16) > BOUND


def test_random_crosses_have_the_same_digits_in_float_and_exact_arithmetic() -> None:
    """They differ in a few of a million: those that lie less than the bound below a half."""
    draw, size, differing = random.Random(20261122), 250, 0  # noqa: S311  it draws samples, not secrets
    for _ in range(max(1, CROSSES // size**2)):
        mids = {f"X{number}": priced(draw) for number in range(size)}
        book = book_of({code: quoted(code, mid, draw) for code, mid in mids.items()})
        found = midpoints(book, list(mids), list(mids)).values
        exact = (base / quote for base in mids.values() for quote in mids.values())
        for value, wanted in zip(found, exact, strict=True):
            shown = plain_float(value)
            if shown != ten_digits(wanted):
                differing += 1
                assert wanted < half_above(wanted) <= wanted * (1 + BOUND)
                assert shown == ten_digits(half_above(wanted))
    assert differing <= CROSSES / 50_000 + 3


def crosses_at(relative: Fraction, count: int) -> Iterator[tuple[Fraction, Rate]]:
    """Yield halves, and the float crosses of legs whose exact cross lies `relative` of itself above the half."""
    draw = random.Random(f"{relative}")  # noqa: S311  it draws samples, not secrets
    for _ in range(count):
        half = (draw.randrange(10**9, 10**10) + Fraction(1, 2)) * Fraction(10) ** draw.randint(-18, 3)
        quote = priced(draw)
        legs = {"AAA": quoted("AAA", half * (1 + relative) * quote, draw), "BBB": quoted("BBB", quote, draw)}
        yield half, midpoint(book_of(legs), Pair("AAA", "BBB"))


@pytest.mark.long
def test_an_exact_half_is_rounded_up_whatever_its_legs() -> None:
    for half, rate in crosses_at(Fraction(0), CROSSES // 10):
        assert plain_float(rate.value) == ten_digits(half) == plain(half)


@pytest.mark.long(every=2)
@pytest.mark.parametrize("times", [Fraction(1001, 1000), 2, 100])
def test_what_lies_further_below_a_half_than_the_bound_is_rounded_down(times: Fraction) -> None:
    for half, rate in crosses_at(-BOUND * times, CROSSES // 30):
        assert plain_float(rate.value) == ten_digits(half * (1 - BOUND * times)) != ten_digits(half)


@pytest.mark.parametrize("part", [Fraction(1, 10), Fraction(1, 2)])
def test_what_lies_closer_below_a_half_may_be_rounded_up(part: Fraction) -> None:
    found = {
        (plain_float(rate.value), ten_digits(half), ten_digits(half * (1 - BOUND * part)))
        for half, rate in crosses_at(-BOUND * part, CROSSES // 100)
    }
    assert all(shown in (above, below) for shown, above, below in found)
    assert any(shown == above for shown, above, _ in found)


@pytest.mark.parametrize("relative", [Fraction(1, 10**17), Fraction(1, 10**15), Fraction(1, 10**12)])
def test_what_lies_above_a_half_is_rounded_up(relative: Fraction) -> None:
    for half, rate in crosses_at(relative, CROSSES // 100):
        assert plain_float(rate.value) == ten_digits(half)

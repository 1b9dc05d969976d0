from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PRICES = st.builds(Fraction, st.integers(1, 10**9), st.integers(1, 10**9))


def quote(bid: str | Fraction, ask: str | Fraction) -> Quote:
    return Quote(Pair("EUR", "USD"), Fraction(bid), Fraction(ask), NOON, NOON, Origin(Derivation.PUBLISHED, ("ecb",)))


@st.composite
def quotes(draw: st.DrawFn) -> Quote:
    bid, ask = sorted((draw(PRICES), draw(PRICES)))
    return quote(bid, ask)


def test_the_mid_is_the_exact_half_and_the_spread_the_whole_between() -> None:
    dealt = quote("1.0850", "1.0853")
    assert dealt.mid == Fraction("1.08515")
    assert dealt.spread == Fraction("0.0003")


@given(quotes())
def test_the_mid_as_a_ratio_and_as_a_float_is_the_same_mid(each: Quote) -> None:
    assert Fraction(*each.mid_ratio("EUR")) == each.worth("EUR")
    assert Fraction(*each.mid_ratio("USD")) == each.worth("USD")
    assert each.float_mid == float(each.mid)


@given(quotes())
def test_a_quote_seen_from_its_quote_side_is_the_exact_inverse(each: Quote) -> None:
    assert each.worth("EUR") == each.mid
    assert each.worth("EUR") * each.worth("USD") == 1


@given(quotes())
def test_turned_around_the_bid_is_one_over_the_ask(each: Quote) -> None:
    bid, ask = each.sides("USD")
    assert (bid * each.ask, ask * each.bid) == (1, 1)
    assert bid <= ask


def test_on_its_base_side_a_quote_has_its_own_sides() -> None:
    assert quote("1.1", "1.2").sides("EUR") == (Fraction("1.1"), Fraction("1.2"))


def test_a_quote_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        quote("1.1", "1.2").bid = Fraction(2)  # type: ignore[misc]


def test_there_are_five_derivations() -> None:
    assert list(Derivation) == ["published", "crossed", "pegged", "converted", "moved"]

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.pair import PIVOT, Pair

CODES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=3, max_size=5)
PAIRS = st.builds(Pair, CODES, CODES)


def test_everything_crosses_through_the_dollar() -> None:
    assert PIVOT == "USD"


def test_a_pair_is_written_base_first() -> None:
    assert str(Pair("EUR", "USD")) == "EUR/USD"


@given(PAIRS)
def test_the_inverse_of_the_inverse_is_the_pair(pair: Pair) -> None:
    assert pair.inverse == Pair(pair.quote, pair.base)
    assert pair.inverse.inverse == pair


@given(PAIRS)
def test_each_side_of_a_pair_has_the_other_for_its_other(pair: Pair) -> None:
    assert pair.other(pair.base) == pair.quote
    assert pair.other(pair.quote) == pair.base


def test_a_side_may_have_another_name_and_stays_where_it_is() -> None:
    assert Pair("BRL", "USD").renamed("BRL", "BRX") == Pair("BRX", "USD")
    assert Pair("USD", "BRL").renamed("BRL", "BRX") == Pair("USD", "BRX")


@given(PAIRS)
def test_a_name_that_is_not_in_a_pair_renames_nothing(pair: Pair) -> None:
    assert pair.renamed("not one", "BRX") == pair
    assert pair.renamed(pair.base, pair.base) == pair


def test_a_pair_and_its_inverse_are_two_pairs() -> None:
    assert len({Pair("EUR", "USD"), Pair("EUR", "USD"), Pair("USD", "EUR")}) == 2


def test_pairs_sort_by_base_and_then_by_quote() -> None:
    pairs = [Pair("USD", "EUR"), Pair("EUR", "USD"), Pair("EUR", "JPY")]
    assert sorted(pairs) == [Pair("EUR", "JPY"), Pair("EUR", "USD"), Pair("USD", "EUR")]


def test_a_pair_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        Pair("EUR", "USD").base = "GBP"  # type: ignore[misc]

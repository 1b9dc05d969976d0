"""Legs: in what a code is dealt, and what that makes of it in the pivot."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.pricing.cross_rates import LEGS, cross_through, most_liquid_pair
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PRICES = st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 10**6))


def dealt(pair: str, bid: str | Fraction = "1", ask: str | Fraction = "1", source: str = "venue") -> Quote:
    base, quote = pair.split("/")
    origin = Origin(Derivation.PUBLISHED, (source,), votes=(Vote(source, 1.0, NOON, 1.0),))
    return Quote(Pair(base, quote), Fraction(bid), Fraction(ask), NOON, NOON + MINUTE, origin)


def on(*pairs: str) -> dict[Pair, Quote]:
    quotes = map(dealt, pairs)
    return {quote.pair: quote for quote in quotes}


def leg_of(code: str, *pairs: str) -> tuple[str, str] | None:
    found = most_liquid_pair(code, on(*pairs))
    return None if found is None else (found[0], str(found[1].pair))


def test_a_code_is_dealt_in_the_most_liquid_of_what_it_is_dealt_in() -> None:
    pairs = ["SOL/KRW", "SOL/BTC", "SOL/USDC", "SOL/EUR", "SOL/USDT", "SOL/USD"]
    legs = [leg_of("SOL", *pairs[: 6 - fewer]) for fewer in range(6)]
    assert [found[0] for found in legs if found] == ["USD", "USDT", "EUR", "USDC", "BTC", "KRW"]


def test_the_dollar_itself_is_before_any_coin_that_stands_for_it() -> None:
    assert LEGS[0] == PIVOT
    assert leg_of("BTC", "BTC/USDT", "BTC/USD") == ("USD", "BTC/USD")


def test_a_stablecoin_is_a_coin_like_any_other() -> None:
    assert leg_of("USDT", "USDT/USD", "USDT/EUR") == ("USD", "USDT/USD")
    assert leg_of("BTC", "BTC/USDT") == ("USDT", "BTC/USDT")


def test_a_code_may_stand_on_either_side_of_its_pair() -> None:
    assert leg_of("TRY", "USDT/TRY") == ("USDT", "USDT/TRY")
    assert leg_of("EUR", "BTC/EUR") == ("BTC", "BTC/EUR")


def test_nothing_is_dealt_in_itself() -> None:
    assert leg_of("EUR", "EUR/EUR", "EUR/GBP") == ("GBP", "EUR/GBP")


def test_what_is_dealt_in_no_leg_has_none() -> None:
    assert leg_of("SOL", "SOL/PEPE", "BTC/USD") is None
    assert leg_of("SOL") is None


def test_each_side_is_dealt_at_its_worse() -> None:
    bitcoin = cross_through("BTC", "USDT", dealt("BTC/USDT", "100000", "100010"), dealt("USDT/USD", "0.999", "1.001"))
    assert bitcoin.pair == Pair("BTC", "USD")
    assert (bitcoin.bid, bitcoin.ask) == (Fraction("99900"), Fraction("100110.01"))


def test_both_pairs_may_be_the_other_way_round() -> None:
    """A lira is bought at what selling a tether brings, and sold at what buying one costs."""
    lira = cross_through("TRY", "USDT", dealt("USDT/TRY", "40", "50"), dealt("USD/USDT", "0.8", "1.25"))
    assert (lira.bid, lira.ask) == (Fraction(1, 50) * Fraction(4, 5), Fraction(1, 40) * Fraction(5, 4))


@given(st.tuples(PRICES, PRICES), st.tuples(PRICES, PRICES), st.sampled_from(["SOL/BTC", "BTC/SOL"]))
def test_crossing_only_widens(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction], pair: str) -> None:
    quote, leg_quote = dealt(pair, *sorted(first)), dealt("BTC/USD", *sorted(second))
    crossed = cross_through("SOL", "BTC", quote, leg_quote)
    assert crossed.bid <= crossed.ask
    assert crossed.ask / crossed.bid == (quote.ask / quote.bid) * (leg_quote.ask / leg_quote.bid)


def test_a_cross_is_as_old_as_its_older_leg_and_came_with_its_later_one() -> None:
    early, late = dealt("BTC/USDT"), dealt("USDT/USD")
    late = Quote(late.pair, late.bid, late.ask, NOON + 5 * MINUTE, NOON + 6 * MINUTE, late.origin)
    for first, second in ((early, late), (late, early)):
        crossed = cross_through(first.pair.base, second.pair.base, first, second)
        assert (crossed.as_of, crossed.received_at) == (NOON, NOON + 6 * MINUTE)


@pytest.mark.parametrize(("leg_source", "sources"), [("kraken", ("binance", "kraken")), ("binance", ("binance",))])
def test_a_cross_names_its_legs_and_each_source_once(leg_source: str, sources: tuple[str, ...]) -> None:
    quote, leg_quote = dealt("BTC/USDT", source="binance"), dealt("USDT/USD", source=leg_source)
    origin = cross_through("BTC", "USDT", quote, leg_quote).origin
    assert origin == Origin(Derivation.CROSSED, sources, (Pair("BTC", "USDT"), Pair("USDT", "USD")), quote.origin.votes)

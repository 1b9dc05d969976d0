"""Closes as they are read: from a trail, crossed with what the image reads, and with their grounds."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from cambist.errors import NoRate
from cambist.history.coin_closes import cross_on_day, cross_series, explain_coin_day, find_close, written_origin
from cambist.history.explanation import ExplainedLeg
from cambist.history.fixing import Fixing, ReceivedFixing
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.source_history import SourceHistory
from cambist.history.typed_series import CLOSES
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin

FRIDAY, SATURDAY = date(2026, 3, 6), date(2026, 3, 7)
MIDNIGHT = datetime(2026, 3, 7, tzinfo=UTC)


def close(coin: str, value: str, origin: str = "okx", source: str = CLOSES, day: date = FRIDAY) -> ReceivedFixing:
    return ReceivedFixing(Fixing(source, Pair(coin, "USD"), day, Decimal(value)), MIDNIGHT, origin)


BITCOIN, ETHER = close("BTC", "60000"), close("ETH", "2500", "crossed from kraken, okx")
BOTH = {"BTC": BITCOIN, "ETH": ETHER}


@pytest.fixture(scope="module")
def matrix() -> RateMatrix:
    """An image in which a euro is 1.25 dollars on a Friday, and has never been fixed before."""
    row = np.array([(FRIDAY - FIRST_DAY).days], np.int64)
    line = PairSeries(Pair("EUR", "USD"), row, np.array([1.25]))
    return build_rate_matrix([SourceHistory("EUR", [line], "ecb", outranks_pegs=False)], date(2026, 12, 31), "a test")


# In a trail


def test_the_close_is_the_last_one_received_whatever_other_sources_published_later() -> None:
    first, second, others = close("BTC", "1"), close("BTC", "2"), close("BTC", "3", source="own")
    assert find_close([first, second, others]) is second
    assert find_close([second, others, first]) is first


@pytest.mark.parametrize("trail", [[], [close("BTC", "3", source="own")]])
def test_a_trail_without_one_of_ours_has_no_close(trail: list[ReceivedFixing]) -> None:
    assert find_close(iter(trail)) is None


# Crossed on many days


def test_a_series_has_the_days_with_a_close_and_a_rate_of_the_currency(matrix: RateMatrix) -> None:
    rows = np.array([(FRIDAY - FIRST_DAY).days + place for place in (-1, 0, 1, 5)], np.int64)
    closes = PairSeries(Pair("BTC", "USD"), rows, np.array([50000.0, 60000.0, 61000.0, 65000.0]))
    found = cross_series(matrix, Pair("BTC", "EUR"), date(2026, 3, 5), date(2026, 3, 8), closes)
    assert found.first_day == date(2026, 3, 5)
    assert found.values.tolist() == pytest.approx([np.nan, 48000, 48800, np.nan], nan_ok=True)
    assert found.values[1] == cross_on_day(matrix, Pair("BTC", "EUR"), FRIDAY, {"BTC": BITCOIN}).values[0]
    with pytest.raises(NoRate):
        cross_series(matrix, Pair("BTC", "EUR"), date(2026, 3, 1), date(2026, 3, 4), closes)


# Crossed


@pytest.mark.parametrize(
    ("pair", "rate"),
    [
        (Pair("BTC", "USD"), 60000),
        (Pair("USD", "BTC"), 1 / 60000),
        (Pair("BTC", "EUR"), 48000),
        (Pair("EUR", "BTC"), 1 / 48000),
        (Pair("BTC", "ETH"), 24),
        (Pair("ETH", "BTC"), 2500 / 60000),
        (Pair("BTC", "BTC"), 1),
        (Pair("ETH", "XAF"), 2500 / 1.25 * 655.957),
    ],
    ids=str,
)
def test_coins_are_crossed_by_their_closes_and_currencies_by_the_rate_matrix(
    matrix: RateMatrix, pair: Pair, rate: float
) -> None:
    crossed = cross_on_day(matrix, pair, FRIDAY, {code: BOTH[code] for code in (pair.base, pair.quote) if code in BOTH})
    assert crossed.codes == (pair.quote,)
    assert crossed.values == [pytest.approx(rate, rel=1e-14)]


def test_without_coins_the_day_reads_as_everywhere(matrix: RateMatrix) -> None:
    assert cross_on_day(matrix, Pair("EUR", "USD"), FRIDAY, {}).values == [1.25]
    assert [leg.sources for leg in explain_coin_day(matrix, Pair("EUR", "USD"), FRIDAY, {})] == [("ecb",)]
    with pytest.raises(NoRate, match=r"No rate from \[EUR\] to \[JPY\]"):
        cross_on_day(matrix, Pair("EUR", "JPY"), FRIDAY, {})


def test_coins_close_in_dollars_even_if_the_rate_matrix_lacks_the_day(matrix: RateMatrix) -> None:
    far = date(2020, 1, 1)
    for day in (far, date(2100, 1, 1)):
        assert cross_on_day(matrix, Pair("BTC", "USD"), day, BOTH).values == [60000]
        assert cross_on_day(matrix, Pair("BTC", "ETH"), day, BOTH).values == [24]
    with pytest.raises(NoRate, match=r"\[EUR\].*\[2020-01-01\]; \[EUR\] has rates from 2026-03-06"):
        cross_on_day(matrix, Pair("BTC", "EUR"), far, BOTH)


# Their grounds


def test_a_close_is_explained_by_its_sources_and_its_delivery(matrix: RateMatrix) -> None:
    assert explain_coin_day(matrix, Pair("ETH", "BTC"), FRIDAY, BOTH) == [
        ExplainedLeg(
            base="ETH",
            quote="USD",
            rate=Fraction(2500),
            made=Derivation.CROSSED,
            sources=("kraken", "okx"),
            fixed_on=FRIDAY,
            received_at=MIDNIGHT,
        ),
        ExplainedLeg(
            base="BTC",
            quote="USD",
            rate=Fraction(60000),
            made=Derivation.PUBLISHED,
            sources=("okx",),
            fixed_on=FRIDAY,
            received_at=MIDNIGHT,
        ),
    ]


def test_a_currency_beside_a_coin_has_the_leg_that_it_always_has(matrix: RateMatrix) -> None:
    of_saturday = {"BTC": close("BTC", "60000", day=SATURDAY)}
    coin, euro = explain_coin_day(matrix, Pair("BTC", "EUR"), SATURDAY, of_saturday)
    assert (coin.base, coin.fixed_on, coin.carried_days) == ("BTC", SATURDAY, 0)
    assert (euro.quote, euro.fixed_on, euro.because) == ("EUR", SATURDAY - timedelta(days=1), "weekend")
    dirham, coin = explain_coin_day(matrix, Pair("AED", "BTC"), SATURDAY, of_saturday)
    assert (dirham.quote, dirham.made, coin.base) == ("AED", "pegged", "BTC")


def test_the_dollar_and_a_coin_against_itself_add_no_leg(matrix: RateMatrix) -> None:
    for pair in (Pair("BTC", "USD"), Pair("USD", "BTC"), Pair("BTC", "BTC")):
        assert [leg.base for leg in explain_coin_day(matrix, pair, FRIDAY, {"BTC": BITCOIN})] == ["BTC"]


@pytest.mark.parametrize(
    ("made", "sources", "origin"),
    [
        (Derivation.PUBLISHED, ("okx",), "okx"),
        (Derivation.CROSSED, ("kraken", "okx"), "crossed from kraken, okx"),
        (Derivation.CROSSED, ("kraken",), "crossed from kraken"),
    ],
)
def test_who_a_close_is_from_is_written_so_that_it_can_be_read_again(
    matrix: RateMatrix, made: Derivation, sources: tuple[str, ...], origin: str
) -> None:
    written = written_origin(Origin(made, sources))
    assert written == origin
    (leg,) = explain_coin_day(matrix, Pair("BTC", "USD"), FRIDAY, {"BTC": close("BTC", "1", written)})
    assert (leg.made, leg.sources) == (made, sources)

"""All quotes at once: each is the one that the market returns alone, to the last digit."""

import random
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cambist.pricing.quote import Quote
from cambist.sandbox.faults import Faults, with_faults
from cambist.sandbox.market import Market, SimulatedMarket
from cambist.sandbox.noise import Noise, NoiseGroup
from cambist.sandbox.path_group import PathGroup
from cambist.sandbox.price_paths import PricePath, Trend
from cambist.sandbox.quoting import rounded, rounded_together

COINS = ["BTC", "ETH", "USDT", "SOL", *(f"C{number}" for number in range(160))]
MARKET, ALONE = SimulatedMarket(11, COINS), SimulatedMarket(11, COINS)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2099, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
METALS_BREAK = datetime(2026, 11, 18, 22, 30, tzinfo=UTC)
SECONDS = st.floats(-1e8, 4_102_444_800.0, allow_nan=False)
WAYS = [Noise(7, "EUR", 0.08), Noise(7, "GBP", 0.1), Noise(8, "BTC", 0.8)]


def together(market: Market, moment: datetime) -> list[Quote]:
    columns = market.quotes(moment.date(), moment, moment)
    return [columns.quote(row) for row in range(len(columns.listings))]


def alone(market: Market, day: date, moment: datetime) -> list[Quote]:
    codes = market.codes(day)
    quoted = [market.quote(code, moment) for code in codes]
    alive = {*codes, "USD"}
    pairs = [pair for pair in market.pairs() if {pair.base, pair.quote} <= alive]
    return quoted + [market.pair_quote(pair, moment) for pair in pairs]


@pytest.mark.long
@settings(deadline=None, max_examples=60)
@given(MOMENTS)
@example(NOON)
@example(NOON + timedelta(days=1))
@example(METALS_BREAK)
@example(datetime(2026, 11, 20, 20, tzinfo=UTC))  # the London Metal Exchange has closed
@example(datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))
def test_all_quotes_of_a_moment_are_those_that_are_returned_alone(moment: datetime) -> None:
    assert together(MARKET, moment) == alone(ALONE, moment.date(), moment)


def test_books_that_follow_each_other_have_the_quotes_that_are_returned_alone() -> None:
    for seconds in (0.5, 1, 1.5, 3, 5, 70, 300, 4096, 300_000, 0.25, 0):
        moment = NOON + timedelta(seconds=seconds)
        assert together(MARKET, moment) == alone(ALONE, moment.date(), moment)


@pytest.mark.long(every=2)
@pytest.mark.parametrize(
    "faults",
    [
        Faults(),
        Faults(slow=2.5),
        Faults(stale=("EUR", "BTC"), since=NOON - timedelta(hours=2)),
        Faults(stale="all", since=NOON - timedelta(hours=2), slow=30),
        Faults(outlier={"XAU": 1.5, "JPY": 2.0, "BTC": 1e-3}, slow=1),
        Faults(stale=("USDT",), since=NOON - timedelta(days=30), outlier={"EUR": 1.01}),
    ],
)
def test_faults_change_the_same_quotes_together_and_alone(faults: Faults) -> None:
    market, other = with_faults(MARKET, faults), with_faults(ALONE, faults)
    for moment in (NOON, NOON + timedelta(seconds=1), NOON + timedelta(days=1)):
        assert together(market, moment) == alone(other, moment.date(), moment)


def test_what_did_not_exist_at_a_stale_moment_is_quoted_now() -> None:
    first = datetime(2022, 7, 1, 0, 0, 10, tzinfo=UTC)  # the first day of the SLE
    faults = Faults(stale="all", since=first - timedelta(days=9), slow=60)
    market = with_faults(MARKET, faults)
    assert together(market, first) == alone(with_faults(ALONE, faults), first.date(), first)
    columns = market.quotes(first.date(), first, first)
    times = {listing.name: as_of for listing, as_of in zip(columns.listings, columns.as_of.tolist(), strict=True)}
    assert times["SLE"] - times["BTC"] == 9 * 86_400_000_000


@settings(deadline=None)
@given(st.lists(SECONDS, min_size=1, max_size=20))
def test_noises_together_are_the_same_bits_as_alone(moments: list[float]) -> None:
    group = NoiseGroup(WAYS)
    assert [group.at(moment).tolist() for moment in moments] == [[way.at(moment) for way in WAYS] for moment in moments]


@pytest.mark.long
@settings(deadline=None)
@given(st.lists(SECONDS, min_size=1, max_size=20))
def test_paths_together_are_the_same_bits_as_alone(moments: list[float]) -> None:
    falling = Trend(((0.0, 3.0), (1e9, 1.0), (2e9, 1.5)), ((1.5e9, 2.25), (2.5e9, -1.125)))
    paths = [
        PricePath(Trend(((0.0, 0.1),)), (WAYS[0],), 0.3),
        PricePath(falling, (WAYS[0], WAYS[1], WAYS[2]), -0.7),
        PricePath(falling, (), 1e-3),
        PricePath(Trend(((5e8, 0.1), (3e9, 0.7))), (WAYS[1],), 0.0),
    ]
    group = PathGroup(paths)
    found = [group.at(moment).tolist() for moment in moments]
    assert found == [[path.at(moment) for path in paths] for moment in moments]


def decimals(prices: list[float]) -> list[Fraction]:
    found = rounded_together(np.array(prices))
    assert all(10**7 <= each < 10**8 for each in found.digits.tolist())
    return [found.fraction(row) for row in range(len(prices))]


@given(st.lists(st.floats(1e-40, 1e40), min_size=1, max_size=50))
def test_prices_rounded_together_are_those_rounded_alone(prices: list[float]) -> None:
    assert decimals(prices) == [rounded(price) for price in prices]


def test_halves_and_powers_of_ten_are_rounded_as_they_are_alone() -> None:
    chance = random.Random(5)  # noqa: S311  nothing secret
    halves = [(chance.randrange(10**7, 10**8) + 0.5) * 10.0**power for power in range(-20, 20) for _ in range(50)]
    edges = [one * 10.0**power for power in range(-20, 20) for one in (1, 9.9999999, 9.99999995, 9.999999949, 9.5)]
    prices = [
        near
        for each in halves + edges
        for near in (each, np.nextafter(each, 0).item(), np.nextafter(each, 1e99).item())
    ]
    assert decimals(prices) == [rounded(price) for price in prices]

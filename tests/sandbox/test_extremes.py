"""Extremes: the same as with every tick, for pairs with and without noises in common."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cambist.sandbox.extremes import PairPath
from cambist.sandbox.levels import midnight
from cambist.sandbox.noise import Noise
from cambist.sandbox.price_paths import PricePaths, Trend

PATHS = PricePaths(11, ())
PAIRS = [("EUR", "USD"), ("USD", "JPY"), ("EUR", "DKK"), ("EUR", "PLN"), ("USD", "KPW"), ("USD", "FRF")]
DAYS = st.dates(date(1970, 1, 1), date(2040, 12, 31))
LAST = 4_102_444_800.0


@pytest.mark.long
@settings(deadline=None, max_examples=40)
@given(st.sampled_from(PAIRS), DAYS, st.integers(0, 23), st.integers(1, 24), st.integers(1, 3))
def test_they_are_those_of_all_ticks(pair: tuple[str, str], day: date, first: int, hours: int, days: int) -> None:
    path = PairPath(PATHS.path(pair[0]), PATHS.path(pair[1]))
    of_days = [
        midnight(day + timedelta(days=number)) + 3600.0 * np.arange(first, min(24, first + hours))
        for number in range(days)
    ]
    firsts = np.cumsum([0, *map(len, of_days[:-1])]).tolist()
    found = path.extremes(np.concatenate(of_days), firsts, 3600)
    for number, starts in enumerate(of_days):
        ticks = path.over(np.arange(starts[0], starts[-1] + 3600, 0.5))
        assert (found.highest[number], found.lowest[number]) == (ticks.max(), ticks.min())


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(PAIRS), DAYS, st.integers(0, 86_399), st.integers(1, 5000))
def test_no_value_exceeds_its_bounds(pair: tuple[str, str], day: date, first: int, length: int) -> None:
    path = PairPath(PATHS.path(pair[0]), PATHS.path(pair[1]))
    start, end = midnight(day) + first, midnight(day) + min(first + length, 86_400) - 0.5
    bounds = path.bounds(np.array([start]), np.array([end]))
    values = path.over(np.arange(start, end + 0.5, 0.5))
    assert bounds.lowest[0] <= values.min() <= values.max() <= bounds.highest[0]


@pytest.mark.parametrize("length", [0.5, 12, 60, 300, 3600])
def test_bounds_of_short_periods_are_narrow(length: float) -> None:
    noise = Noise(7, "EUR", 0.08)
    starts = np.arange(1_790_000_000, 1_790_100_000, length)
    low, high = noise.bounds(starts, starts + length)
    moved = np.ptp(noise.over(np.arange(1_790_000_000, 1_790_100_000, 0.5)))
    assert 0 < (high - low).max() < moved


@settings(deadline=None)
@given(st.lists(st.floats(-1e8, LAST), min_size=1, max_size=20))
def test_one_level_and_many_are_the_same_bits(moments: list[float]) -> None:
    trend = Trend(((-1e7, 1.1), (3e8, 2.3), (9e8, 0.7)), ((2e8, 4.6), (5e8, 1.3)))
    moments = [*moments, -1e7, 2e8, 3e8, 5e8, 9e8]
    assert trend.over(np.array(moments)).tolist() == [trend.at(moment) for moment in moments]

"""The wandering value: pure, the same one at a time and in arrays, as wild as it is told to be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cambist.sandbox.noise import Noise

LAST = 4_102_444_800.0
SECONDS = st.floats(-1e8, LAST, allow_nan=False)


@settings(deadline=None)
@given(st.lists(SECONDS, min_size=1, max_size=20))
def test_one_at_a_time_and_all_at_once_are_the_same_bits(moments: list[float]) -> None:
    noise = Noise(7, "EUR", 0.08)
    assert [noise.at(moment) for moment in moments] == noise.over(np.array(moments)).tolist()


@settings(deadline=None)
@given(st.lists(SECONDS, min_size=2, max_size=20))
def test_what_was_asked_before_changes_nothing(moments: list[float]) -> None:
    noise = Noise(7, "EUR", 0.08)
    forth = [noise.at(moment) for moment in moments]
    assert [noise.at(moment) for moment in reversed(moments)] == forth[::-1]
    assert [Noise(7, "EUR", 0.08).at(moment) for moment in moments] == forth


@pytest.mark.parametrize("volatility", [0.08, 0.8])
def test_it_moves_by_its_volatility_a_year(volatility: float) -> None:
    days = np.arange(0, LAST, 86_400)
    moved = [np.diff(Noise(seed, "EUR", volatility).over(days)).std() * 365.25**0.5 for seed in range(20)]
    assert np.mean(moved) == pytest.approx(volatility, rel=0.03)


def test_it_moves_within_a_second_and_without_a_jump() -> None:
    tenths = np.arange(1_790_000_000, 1_790_000_600, 0.1)
    steps = np.abs(np.diff(Noise(7, "EUR", 0.08).over(tenths)))
    assert 0 < steps.max() < 1e-5
    assert np.count_nonzero(steps) > 0.99 * len(steps)


@pytest.mark.parametrize("other", [Noise(8, "EUR", 0.08), Noise(7, "GBP", 0.08)], ids=["seed", "code"])
def test_another_seed_and_another_code_wander_elsewhere(other: Noise) -> None:
    days = np.arange(0, LAST, 86_400)
    one, two = np.diff(Noise(7, "EUR", 0.08).over(days)), np.diff(other.over(days))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.05

"""`SampledPrices`: moves of crosses of samples, against a computation with exact fractions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.history.price_moves import SampledPrices
from cambist.history.price_samples import KEPT_FOR, PriceSample

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STEP, DAY, WEEK = timedelta(minutes=5), timedelta(days=1), timedelta(days=7)
PRICES = st.floats(1e-9, 1e9)


def sample(steps_ago: int, **mids: float) -> PriceSample:
    return PriceSample(NOON - STEP * steps_ago, mids)


@given(st.integers(0, 10**6), PRICES)
def test_moves_are_those_of_the_crosses(seed: int, now: float) -> None:
    random = Random(seed)  # noqa: S311  no secret
    prices = [(10 ** random.uniform(-9, 9), 10 ** random.uniform(-9, 9)) for _ in range(300)]
    held = SampledPrices()
    held.add(sample(299 - row, AAA=one, BBB=other) for row, (one, other) in enumerate(prices))
    found = held.move("AAA", "BBB", now, NOON, DAY)
    assert found is not None
    crosses = [Fraction(one) / Fraction(other) for one, other in prices[-289:]]
    assert found.samples == 289
    assert found.since == NOON - DAY
    assert found.ratio == pytest.approx(float(Fraction(now) / crosses[0]))
    assert found.low == pytest.approx(float(min(*crosses, Fraction(now)) / Fraction(now)))
    assert found.high == pytest.approx(float(max(*crosses, Fraction(now)) / Fraction(now)))


def test_a_code_that_is_new_has_no_move_of_a_day_before_it_has_one() -> None:
    held = SampledPrices()
    held.add(sample(300 - row, AAA=1.0, **({"NEW": 2.0} if row > 200 else {})) for row in range(301))
    assert held.move("AAA", "USD", 1.0, NOON, DAY) is not None
    assert held.move("NEW", "USD", 2.0, NOON, DAY) is None
    assert held.move("NEW", "AAA", 2.0, NOON, DAY) is None
    assert held.move("NEVER", "USD", 2.0, NOON, DAY) is None


def test_samples_older_than_any_window_are_forgotten_and_new_codes_get_a_column() -> None:
    held = SampledPrices()
    days = int(KEPT_FOR / STEP)
    held.add(sample(days + 50 - row, AAA=1.0) for row in range(days + 51))
    held.add([PriceSample(NOON + STEP, {"AAA": 2.0, "BBB": 3.0})])
    times, prices = held._held
    assert times[0] == NOON + STEP - KEPT_FOR
    assert prices.shape == (days + 1, 3)
    found = held.move("AAA", "USD", 2.0, NOON + STEP, WEEK)
    assert found is not None
    assert (found.ratio, found.low, found.high) == (2.0, 0.5, 1.0)
    held.add([])
    assert held.newest == NOON + STEP


def test_gaps_are_left_out() -> None:
    held = SampledPrices()
    held.add(sample(288 - row, AAA=1.0) for row in range(289) if not 10 < row < 280)
    found = held.move("AAA", "USD", 4.0, NOON, DAY)
    assert found is not None
    assert (found.samples, found.ratio) == (20, 4.0)

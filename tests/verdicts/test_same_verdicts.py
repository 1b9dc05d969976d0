"""Verdicts depend on the fixings alone: not on when they were derived, in how many steps, or in what order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.verdicts.builders import part, random_fixings, same

from cambist.verdicts import judge as judge_module
from cambist.verdicts.facts import CodeFixings
from cambist.verdicts.judge import judge
from cambist.verdicts.measured import CONTEXT_ROWS

seeds = st.integers(0, 10**6)


@pytest.mark.long
@given(seeds, st.integers(1, 5), st.integers(1, 89))
def test_verdicts_that_are_continued_equal_those_from_the_beginning(seed: int, sources: int, split: int) -> None:
    fixings = random_fixings(seed, sources=sources)
    whole = judge(fixings)
    before = judge(part(fixings, 0, split))
    continued = judge(fixings, after=before.frontier())
    assert same(whole, continued) == []
    assert whole.frontier() == continued.frontier()


@pytest.mark.long
@given(seeds, st.integers(70, 140))
def test_only_the_rows_before_that_count_are_needed(seed: int, split: int) -> None:
    fixings = random_fixings(seed, rows=150)
    whole = judge(fixings)
    frontier = judge(part(fixings, 0, split)).frontier()
    first = max(split - frontier.depth - CONTEXT_ROWS, 0)
    continued = judge(part(fixings, first, 150), after=frontier)
    assert same(whole, continued) == []
    assert whole.frontier() == continued.frontier()


@pytest.mark.long
@given(seeds, st.integers(1, 5))
def test_rows_judged_together_have_the_verdicts_of_rows_judged_one_by_one(seed: int, sources: int) -> None:
    fixings = random_fixings(seed, sources=sources)
    together = judge(fixings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_module, "plain_rows", lambda measured, _: np.zeros(len(measured.days), np.bool_))
        one_by_one = judge(fixings)
    assert same(together, one_by_one) == []
    assert together.frontier() == one_by_one.frontier()


@pytest.mark.long
@given(seeds, st.integers(0, 3))
def test_a_source_that_says_nothing_changes_nothing(seed: int, at: int) -> None:
    fixings = random_fixings(seed)
    silent = CodeFixings(
        fixings.days,
        (*fixings.sources[:at], type(fixings.sources[0])("silent"), *fixings.sources[at:]),
        np.insert(fixings.values, at, np.nan, axis=1),
    )
    alone, beside = judge(fixings), judge(silent)
    assert np.array_equal(alone.level, beside.level, equal_nan=True)
    assert np.array_equal(alone.status, beside.status)
    assert np.array_equal(alone.weight, np.delete(beside.weight, at, axis=1))

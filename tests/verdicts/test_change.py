import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.verdicts.builders import COLUMNS, random_fixings

from cambist.verdicts.change import judge_changed
from cambist.verdicts.facts import CodeFixings, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.verdict import DayStatus


@given(st.integers(0, 10**6), st.integers(0, 299), st.integers(1, 4), st.sampled_from([0.001, 0.05, 4.605, np.nan]))
def test_a_change_of_a_past_fixing_leads_to_the_verdicts_from_the_beginning(
    seed: int, row: int, sources: int, by: float
) -> None:
    fixings = random_fixings(seed, rows=300, sources=sources)
    values = fixings.values.copy()
    values[row, seed % sources] += by
    if np.isnan(values[row]).all():
        return  # the day is gone, which never happens: fixings are only added and revised
    changed = CodeFixings(fixings.days, fixings.sources, values)
    before, whole = judge(fixings), judge(changed)
    part = judge_changed(changed, before, (int(fixings.days[row]),) * 2)
    first, last = np.searchsorted(fixings.days, [fixings.days[row], part.days[-1]])
    offset = int(np.searchsorted(fixings.days, part.days[0]))
    for name in COLUMNS:
        expected = getattr(whole, name)
        judged, stands = getattr(part, name)[first - offset :], getattr(before, name)[last + 1 :]
        assert np.array_equal(expected[first : last + 1], judged, equal_nan=True), name
        assert np.array_equal(expected[last + 1 :], stands, equal_nan=True), name


def test_what_is_withdrawn_later_stays_withdrawn_when_a_day_before_changes() -> None:
    values = 3 + np.random.default_rng(2).normal(0, 0.0005, (400, 3))
    values[:, 0] += 4.605
    values[:300, 1:] = np.nan
    sources = tuple(SourceFacts(key) for key in "abc")
    days = 20_000 + np.arange(400)
    before = judge(CodeFixings(days, sources, values))
    assert before.withdrawals == [(20_000, 20_299)]
    revised = values.copy()
    revised[100, 0] += 0.001
    whole = judge(CodeFixings(days, sources, revised))
    part = judge_changed(CodeFixings(days, sources, revised), before, (20_100, 20_100))
    assert part.days[-1] < 20_299
    assert np.array_equal(part.status, whole.status[part.days - 20_000])
    assert (part.status == DayStatus.WITHDRAWN).all()


def test_a_change_in_calm_times_is_judged_again_for_few_rows() -> None:
    truth = 3 + np.cumsum(np.random.default_rng(1).normal(0, 0.002, 3000))
    values = truth[:, None] + np.random.default_rng(2).normal(0, 0.0005, (3000, 3))
    fixings = random_fixings(1, rows=3000, sources=3)
    known = CodeFixings(20_000 + np.arange(3000), fixings.sources, values)
    before = judge(known)
    revised = values.copy()
    revised[1000, 1] += 0.08
    part = judge_changed(CodeFixings(known.days, known.sources, revised), before, (21_000, 21_000))
    assert part.days[0] >= 21_000 - 31
    assert len(part.days) < 140

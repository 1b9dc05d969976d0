"""Errors that central banks really published: none is published again while another original says otherwise."""

from math import log

import numpy as np
import pytest

from cambist.verdicts.facts import CodeFixings, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.verdict import DayStatus, FixingStatus, Judgement

# Units per US dollar through the source's own dollar rate of that day: what was right, and what was published.
ERRORS = {
    "NBP CUP 2026-03-04": (3.677 / 0.153, 1.0),
    "CBG AED 2020-01-20": (51.10 / 13.91, 51.22 / 168.45),
    "CBG AED 2026-02-27": (72.24 / 19.67, 71.84 / 234.32),
    "CBG CNY 2021-08-17": (51.17 / 7.87, 51.18 / 37.56),
    "CBG CNY 2025-12-09": (72.47 / 10.26, 72.01 / 47.68),
    "CBG SAR 2020-03-09": (50.83 / 13.55, 50.89 / 31.95),
    "BAM LYD 2026-03-25": (6.40, 9.3189 / 1.888),
    "CBU TMT 2026-04-01": (12142.10 / 3469.17, 12194.21 / 4037.68),
    "BOI LBP 2026-03-02": (89_500.0, 3.073 / 0.0003),
    "BCEAO EUR 2026-03-16": (9.3189 / 10.8057, 605.52 / 655.957),
}
DAYS = 30
SINCE = {"one day": range(DAYS - 1, DAYS), "a week": range(DAYS - 5, DAYS)}


def judged(
    right: float, wrong: float, days: range, *, is_best: bool, hours: tuple[float, float], new: bool
) -> Judgement:
    random = np.random.default_rng(4)
    truth = log(right) + np.cumsum(random.normal(0, 0.002, DAYS))
    values = truth[:, None] + random.normal(0, 0.0005, (DAYS, 2))
    column = 0 if is_best else 1
    if new:
        values[:, column] = np.nan
    values[days, column] = truth[days] + log(wrong / right)
    sources = tuple(SourceFacts(key, fixed_at=hour) for key, hour in zip("ab", hours, strict=True))
    return judge(CodeFixings(20_000 + np.arange(DAYS), sources, values))


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("days", SINCE)
@pytest.mark.parametrize("is_best", [True, False])
@pytest.mark.parametrize("hours", [(8.0, 15.0), (15.0, 8.0)])
@pytest.mark.parametrize("new", [True, False])
def test_a_recorded_error_is_held_while_another_original_says_otherwise(
    error: str, days: str, *, is_best: bool, hours: tuple[float, float], new: bool
) -> None:
    column = 0 if is_best else 1
    judgement = judged(*ERRORS[error], SINCE[days], is_best=is_best, hours=hours, new=new)
    assert (judgement.source[list(SINCE[days])] == 1 - column).all()
    assert (judgement.fixing_status[list(SINCE[days]), column] == FixingStatus.HELD).all()
    assert (judgement.status[list(SINCE[days])] == DayStatus.DISPUTED).all()


@pytest.mark.parametrize("error", ERRORS)
def test_the_only_fixing_of_a_code_is_published_and_said_to_be_single(error: str) -> None:
    wrong = ERRORS[error][1]
    judgement = judge(CodeFixings(np.array([20_000]), (SourceFacts("a"),), np.array([[log(wrong)]])))
    assert judgement.status.tolist() == [DayStatus.SINGLE]
    assert judgement.source.tolist() == [0]

from math import log, nan

import numpy as np
import pytest

from cambist.verdicts.explanation import explain_day
from cambist.verdicts.facts import CodeFixings, CodeReference, SourceFacts
from cambist.verdicts.judge import judge
from cambist.verdicts.verdict import DayStatus, FixingStatus, Reason

SOURCES = tuple(SourceFacts(key) for key in ("a", "b", "c"))
CALM = [[log(1400.0 + day % 3)] * 3 for day in range(20)]


def fixings(*days: list[float], rejected: np.ndarray | None = None) -> CodeFixings:
    values = np.array([*CALM, *days])
    return CodeFixings(20_000 + np.arange(len(values)), SOURCES, values, rejected=rejected)


def test_a_day_on_which_all_agree() -> None:
    verdict = explain_day(judge(fixings([log(1401)] * 3)))
    assert (verdict.status, verdict.source, verdict.source_day) == (DayStatus.AGREED, "a", 20_020)
    assert verdict.alternatives == ()
    assert verdict.originals_needed is None
    assert {one.status for one in verdict.fixings} == {FixingStatus.AGREED}


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [(log(140_000), Reason.UNIT), (-log(1400), Reason.UNIT), (log(1540), Reason.CONTRADICTED)],
)
def test_a_fixing_that_two_contradict_is_held_with_the_reason(wrong: float, reason: Reason) -> None:
    verdict = explain_day(judge(fixings([wrong, log(1401), log(1401)])))
    assert (verdict.status, verdict.source, verdict.other) == (DayStatus.DISPUTED, "b", wrong)
    assert [one.status for one in verdict.fixings] == [FixingStatus.HELD, FixingStatus.AGREED, FixingStatus.AGREED]
    assert verdict.fixings[0].reason == reason
    assert verdict.fixings[0].distance == pytest.approx(wrong - log(1401))


def test_a_lone_jump_is_held_and_its_alternative_is_open() -> None:
    verdict = explain_day(judge(fixings([log(2100), nan, nan])))
    assert (verdict.status, verdict.source, verdict.source_day) == (DayStatus.HELD, "a", 20_019)
    assert verdict.other == log(2100)
    assert [one.reason for one in verdict.fixings] == [Reason.JUMP]
    assert verdict.alternatives[0].level == log(2100)
    assert verdict.originals_needed == 1


def test_what_the_operator_rejected_counts_for_nothing() -> None:
    rejected = np.zeros((21, 3), np.bool_)
    rejected[-1, :2] = True
    verdict = explain_day(judge(fixings([log(2100), log(2100), log(1401)], rejected=rejected)))
    assert (verdict.status, verdict.source) == (DayStatus.SINGLE, "c")
    assert [one.reason for one in verdict.fixings] == [Reason.REJECTED, Reason.REJECTED, Reason.NONE]


def test_what_the_operator_accepted_is_believed_even_if_it_looks_like_a_mistaken_unit() -> None:
    day = [log(140_000), nan, nan]
    accepted = np.zeros((21, 3), np.bool_)
    accepted[-1, 0] = True
    known = fixings(day)
    assert explain_day(judge(known)).status == DayStatus.HELD
    decided = judge(CodeFixings(known.days, known.sources, known.values, accepted=accepted))
    assert explain_day(decided).level == log(140_000)


def test_a_level_that_two_originals_refute_by_a_unit_is_withdrawn() -> None:
    values = np.full((12, 3), log(1400.0))
    values[:, 0] += log(100)
    values[:8, 1:] = nan
    judgement = judge(CodeFixings(20_000 + np.arange(12), SOURCES, values))
    assert (judgement.status[:8] == DayStatus.WITHDRAWN).all()
    assert (judgement.source[:8] == -1).all()
    assert np.isnan(judgement.level[:8]).all()
    assert judgement.level[8:].tolist() == [log(1400.0)] * 4


def test_a_first_fixing_far_from_the_packaged_level_waits_for_a_second_original() -> None:
    reference = CodeReference(plausible=log(14.0))
    one = CodeFixings(np.array([20_000]), SOURCES, np.array([[log(1400.0), nan, nan]]))
    two = CodeFixings(np.array([20_000]), SOURCES, np.array([[log(1400.0), log(1400.0), nan]]))
    assert explain_day(judge(one, reference)).status == DayStatus.NONE
    assert explain_day(judge(one, reference)).level is None
    assert explain_day(judge(two, reference)).status == DayStatus.AGREED


def test_a_redenomination_by_table_is_no_jump() -> None:
    day = [log(1.401)] * 3
    reference = CodeReference(redenominations=((20_020, log(1000)),))
    verdict = explain_day(judge(fixings(day), reference))
    assert verdict.status == DayStatus.AGREED
    assert verdict.level == pytest.approx(log(1.401))
    assert verdict.alternatives == ()


def test_a_fixing_off_the_peg_is_held_with_that_reason() -> None:
    values = np.array([*CALM, [log(1470), log(1401), log(1401)]])
    reference = CodeReference(pegs=np.full(len(values), log(1400)))
    verdict = explain_day(judge(fixings(values[-1].tolist()), reference))
    assert verdict.fixings[0].reason == Reason.OFF_PEG


def test_where_all_first_fixings_are_rejected_nothing_is_known_and_the_next_one_is_the_first() -> None:
    values = np.array([[log(14.0)] * 3, [log(1400.0)] * 3, [log(1401.0)] * 3])
    rejected = np.array([[True] * 3, [False] * 3, [False] * 3])
    found = CodeFixings(20_000 + np.arange(3), SOURCES, values, rejected=rejected)
    whole = judge(found)
    assert whole.status.tolist() == [DayStatus.NONE, DayStatus.AGREED, DayStatus.AGREED]
    assert explain_day(whole, 0).level is None
    continued = judge(found, after=whole.frontier(0))
    assert continued.status.tolist() == [DayStatus.AGREED, DayStatus.AGREED]
    assert continued.level.tolist() == whole.level[1:].tolist()

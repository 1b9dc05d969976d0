"""Crises, replayed on what several sources would have published of real series."""

import pytest
from tools.judge.crises import CRISES, Crisis, tolerance
from tools.judge.panel import run

WITH_THE_PACKAGE = [crisis for crisis in CRISES if crisis.by == "ecb"]


@pytest.mark.long(every=4)
@pytest.mark.parametrize("crisis", WITH_THE_PACKAGE, ids=lambda crisis: f"{crisis.code} {crisis.first}")
def test_no_day_of_a_crisis_is_wrong_in_the_end(crisis: Crisis) -> None:
    panel = crisis.panel(3, seed=1)
    assert panel
    outcome = run(panel, tolerance=tolerance)
    assert outcome.final == 0
    assert outcome.live <= 1


@pytest.mark.parametrize("crisis", [one for one in CRISES if one.by == "fed"], ids=lambda crisis: crisis.code)
def test_the_crises_of_the_nineties_are_followed_within_a_day(crisis: Crisis) -> None:
    panel = crisis.panel(8, seed=1)
    if panel is None:
        pytest.skip("the series of the Federal Reserve are not beside the checkout")
    assert run(panel, tolerance=tolerance).live == 0

"""What sources may do to a code, and how many days of 40 are wrong then: a seeded share of `make judge`."""

import pytest
from tools.judge.panel import run
from tools.judge.scenarios import SCENARIOS, Scenario, wrong_for_ever

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
JUMPS = [name for name in BY_NAME if name.startswith("true jump")]
RESISTED = [
    "inverted, one day",
    "x100 for ever",
    "/1000, one day",
    "swapped columns for ever",
    "one cell +3.0%",
    "one cell +40.0%",
    "corrects yesterday +6 %, wrongly",
    "typing error +8 %, corrected",
    "new unit by table, one never",
    "best drifts +0.5 % a day",
    "best +10 % for ever",
    "issuer: x100 for ever",
    "x100 from day 0, packaged level",
    "4 digits, calm",
]
"""No day is wrong, with two sources or more."""


@pytest.mark.parametrize("name", JUMPS)
@pytest.mark.parametrize("sources", [2, 3, 5, 8])
def test_a_true_jump_of_all_sources_is_served_with_the_second_one(name: str, sources: int) -> None:
    outcome = run(BY_NAME[name].panel(sources))
    assert (outcome.live, outcome.final, outcome.held) == (0, 0, 0)
    assert outcome.hours == 1


@pytest.mark.parametrize("name", JUMPS)
def test_a_true_jump_of_the_only_source_is_served_a_day_late(name: str) -> None:
    outcome = run(BY_NAME[name].panel(1))
    assert (outcome.live, outcome.final, outcome.hours) == (1, 0, 24)


@pytest.mark.long(every=3)
@pytest.mark.parametrize("name", RESISTED)
@pytest.mark.parametrize("sources", [2, 3])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_one_source_that_is_wrong_is_not_published(name: str, sources: int, *, is_reversed: bool) -> None:
    outcome = run(BY_NAME[name].panel(sources, is_reversed=is_reversed))
    assert (outcome.live, outcome.final, outcome.held) == (0, 0, pytest.approx(0, abs=1))


@pytest.mark.parametrize(
    ("name", "sources", "live", "final"),
    [
        ("stale file under new dates", 2, 1, 1),
        ("x100 alone for 8 days, then others", 3, 8, 0),
        ("best +12 % from the first day", 3, 0, 0),
        ("two of n x100 for ever", 3, 0, 0),
        ("peg breaks x1.5", 2, 1, 0),
        ("same, the best is the issuer", 2, 0, 0),
        ("issuer: one cell +8 %", 2, 1, 0),
        ("lone weekend liar -9 %", 3, 0, 0),
        # What no rule can do: two of three that are wrong alike, and two that never agreed.
        ("two of n +10 % for ever", 3, 26, 26),
        ("best +12 % from the first day", 2, 34, 34),
    ],
)
def test_wrong_days_are_no_more_than(name: str, sources: int, live: int, final: int) -> None:
    outcome = run(BY_NAME[name].panel(sources))
    assert (outcome.live, outcome.final) == (live, final)


@pytest.mark.long(every=23)
@pytest.mark.parametrize("is_issuer", [False, True])
@pytest.mark.parametrize("factor", [10.0, 31.1034768, 100.0, 0.001])
@pytest.mark.parametrize(
    "market", [{"noise": 0.01}, {"noise": 0.03}, {"volatility": 0.01}, {"volatility": 0.02}], ids=str
)
def test_a_mistaken_unit_is_not_published_however_far_sources_are_apart_and_rates_move(
    market: dict[str, float], factor: float, *, is_issuer: bool
) -> None:
    def by_a_factor(_value: float, _before: float) -> float:
        return 1.0

    for seed in range(1, 5):
        for sources in (2, 3, 5):
            mistaken = Scenario("", {0: wrong_for_ever(factor)}, issuer=is_issuer, **market)
            outcome = run(mistaken.panel(sources, seed), tolerance=by_a_factor)
            assert (outcome.live, outcome.final) == (0, 0), (seed, sources)

"""A scenario that breaks an invariant is made smaller."""

from __future__ import annotations

from datetime import date

from tools.simulation.scenario import Fault, Mistake, Scenario
from tools.simulation.shrinking import shrink

LARGE = Scenario(
    seed=1,
    world="ingest",
    first_day=date(1971, 3, 1),
    days=9,
    sources=("fed", "boe", "norges", "dnb"),
    mistakes=tuple(Mistake("boe", "typed", pair=number, day=number) for number in range(8)),
    faults=tuple(Fault("killed", hour=float(number)) for number in range(5)),
)


def test_what_is_not_needed_is_left_out() -> None:
    needed = LARGE.mistakes[5]
    smaller = shrink(LARGE, lambda tried: needed in tried.mistakes and "boe" in tried.sources and tried.days >= 3)
    assert smaller.mistakes == (needed,)
    assert smaller.sources == ("boe",)
    assert (smaller.faults, smaller.days) == ((), 3)


def test_two_events_that_are_needed_together_stay() -> None:
    needed = {LARGE.mistakes[0], LARGE.mistakes[7]}
    smaller = shrink(LARGE, lambda tried: needed <= set(tried.mistakes))
    assert set(smaller.mistakes) == needed


def test_it_ends_after_so_many_runs() -> None:
    runs = []

    def is_broken(tried: Scenario) -> bool:
        runs.append(tried)
        return False

    assert shrink(LARGE, is_broken, most_runs=10) == LARGE
    assert len(runs) == 10
